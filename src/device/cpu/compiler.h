// compiler.h -- the host's C compiler, which turns kernel files into shared objects for the CPU.
//
// Taken in this order: $CC, the compiler that built the program (TILESCOPE_CC), cc, gcc, clang.
// Objects are kept in the cache (cache.h) under the hash of everything that made them. Writes
// nothing beside the source. Any thread.
#ifndef COMPILER_H
#define COMPILER_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"

struct compiler;

// NULL: there is none, and err says what was tried.
struct compiler *compiler_find(struct error *err);
void compiler_free(struct compiler *c);  // accepts NULL

// First line of its --version.
const char *compiler_version(const struct compiler *c);

// Compiles a kernel file, or takes it from the cache, and loads it. include is the folder with
// kernel.h. Returns dlopen's handle, for dlsym and dlclose; on failure NULL, and err holds the
// compiler's errors as "file:line: message" lines.
void *compiler_load(const struct compiler *c, const struct build *build, const char *include,
                    struct error *err);

#endif

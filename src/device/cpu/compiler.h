// compiler.h -- turns kernel files into shared objects for the CPU, with the host's C++ compiler.
//
// It takes the first of these that works: $CC, the compiler that built the program (TILESCOPE_CC),
// cc, gcc, clang. It keeps the objects in the cache (cache.h) and writes nothing beside the source.
// Any thread may call.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "device/headers.h"

struct compiler;

// NULL: no compiler works, and err says what was tried. $TILESCOPE_KERNEL_FLAGS holds further
// flags, separated by spaces, for objects that are not traced: the sanitizers' where kernels are
// tested.
// For traced objects it tries gcc first, after $CC: gcc's accesses are those of an H200. clang must
// not optimize traced objects and then splits a vector that a function takes by value.
struct compiler *compiler_find(bool is_to_trace, struct error *err);
void compiler_free(struct compiler *c);  // accepts NULL

// Asks the compiler for its folders and lists the files that it reads and runs, for a process that
// may open nothing else. It lists the libraries that lie directly in a folder of libraries. The
// list ends with NULL; g_strfreev frees it. NULL: the compiler does not answer, and err says why.
char **compiler_files(const struct compiler *c, struct error *err);

// The first line of its --version.
const char *compiler_version(const struct compiler *c);

// Compiles a kernel file, or finds it in the cache. *object is the shared object, whose bytes
// g_free frees. False: err holds the compiler's errors as "file:line: message" lines.
bool compiler_make(const struct compiler *c, const struct build *build,
                   const struct headers *headers, struct build_code *object, struct error *err);

// object.h -- the module of a kernel file on cpu. It loads the file's object and knows its machine
// code, the GPU memory that each variable would lie in, and its source lines.
//
// The object is loaded from a sealed copy of its bytes in memory. So nobody can change or cut the
// file meanwhile, and loading works even if the disk forbids programs. /proc/PID/maps shows it as
// "/memfd:mean.cu (deleted)".
//
// It does not compile; compiler.h does. Any thread may call.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/backend_impl.h"

struct emulator_args;  // both in kernel_interface.h
struct emulator_range;

typedef void emulator_kernel(const struct emulator_args *args);

struct object {
    struct module module;
    emulator_kernel *kernels[BACKEND_MAX_ENTRIES];
    char *names[BACKEND_MAX_ENTRIES];  // "mean.cu: mean_naive"
    void *handle;                      // dlopen's; NULL: it is not loaded
    char *path;                        // of the bytes, for other programs
    int file;                          // descriptor of the bytes
    const void *base;                  // where the loader has put it; sites count from here
    size_t image_bytes;                // how much memory the loader has filled from base on
    const void *code;
    size_t code_bytes;
    bool has_lines;  // object_find_lines() finds some
    // Its thread-local storage: all static __shared__ arrays.
    size_t shared_module, shared_bytes, shared_alignment;
    // Of a traced object: __constant__ variables, then everything writable, which a GPU keeps in
    // global memory.
    struct emulator_range *ranges;
    int range_count;
};

// Loads the code and finds the build's kernels. It calls the build's guard when the copy is made.
// NULL: err says why it cannot be loaded.
struct object *object_load(const struct build_code *code, const struct build *build,
                           struct error *err);
void object_free(struct object *o);  // unloads it
static inline const struct object *object_of(const struct module *m)
{
    return (const struct object *)m;
}

// True if the instruction is the object's, or that of a hook which it calls while it is traced:
// code that may be left anywhere.
bool object_holds(const struct object *o, uintptr_t instruction);

// The calling CPU thread's static __shared__ arrays, o->shared_bytes of them; NULL: there are none.
const void *object_shared(const struct object *o);

// Puts the calling CPU thread's static __shared__ arrays at this address from now on, for every
// object. NULL: each object has its own, from the loader.
void object_place_shared(void *memory);

// See the contracts in backend_impl.h.
bool object_find_constant(struct backend *b, const struct module *m, const char *name,
                          void **memory, size_t *bytes);
void *object_function(const struct module *m, const char *name);
bool object_find_lines(const struct module *m, const unsigned int *sites, int count,
                       struct trace_chain *chains, struct error *err);

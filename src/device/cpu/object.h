// object.h -- the module of a kernel file on cpu: loads its object, and says what that holds: its
// machine code, which of its variables a GPU keeps where, and its source lines.
//
// The object is loaded from a sealed copy of its bytes in memory. No file can be changed or cut
// under it, and it is loaded from a disk that allows no programs, too. /proc/PID/maps shows it as
// "/memfd:mean.cu (deleted)".
//
// It does not compile; compiler.h does. Any thread may call.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "device/backend_impl.h"

struct emulator_args;  // both in kernel_interface.h
struct emulator_range;

typedef void emulator_kernel(const struct emulator_args *args);

struct object {
    struct module module;
    emulator_kernel *kernels[BACKEND_MAX_ENTRIES];
    char *names[BACKEND_MAX_ENTRIES];  // "mean.cu: mean_naive"
    void *handle;                      // dlopen's; NULL: it is only kept
    char *path;                        // for programs that read the bytes
    int file;                          // holds them
    const void *base;                  // where sites of a traced object count from, and
    size_t image_bytes;                // how far the loader has filled memory from there
    const void *code;
    size_t code_bytes;
    // Its thread-local storage: all static __shared__ arrays.
    size_t shared_module, shared_bytes, shared_alignment;
    // __constant__ variables of a traced object, then all that can be written, which a GPU keeps in
    // global memory.
    struct emulator_range *ranges;
    int range_count;
};

// Loads it and finds the build's kernels; tells the build's guard when the copy is made. NULL: err
// says why it is not loaded.
struct object *object_load(const struct build_code *code, const struct build *build,
                           struct error *err);
void object_free(struct object *o);  // unloads it
static inline const struct object *object_of(const struct module *m)
{
    return (const struct object *)m;
}

// The calling CPU thread's static __shared__ arrays, o->shared_bytes of them; NULL: there are none.
const void *object_shared(const struct object *o);

// From now on the calling CPU thread has them at this address, whichever object they belong to;
// NULL: the loader gives each object its own.
void object_place_shared(void *memory);

// See the contracts in backend_impl.h.
bool object_find_constant(struct backend *b, const struct module *m, const char *name,
                          void **memory, size_t *bytes);
void *object_function(const struct module *m, const char *name);
bool object_find_lines(const struct module *m, const unsigned int *sites, int count,
                       struct trace_chain *chains, struct error *err);

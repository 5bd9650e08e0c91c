// object.h -- what a loaded object of kernels holds: its machine code, and which of its variables a
// GPU keeps where.
//
// It does not load or compile; compiler.h does. Any thread may call.
#ifndef OBJECT_H
#define OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct emulator_range;

struct object {
    void *handle;      // dlopen's
    char *path;        // of its file, which may be gone
    const void *base;  // where sites of a traced object count from
    const void *code;
    size_t code_bytes;
    size_t shared_module, shared_bytes;  // its thread-local storage: all static __shared__ arrays
    // __constant__ variables, then all that can be written, which a GPU keeps in global memory. Of
    // a traced object only; the caller of object_finish frees them with it.
    struct emulator_range *ranges;
    int range_count;
};

// Takes the handle over. inside is one of the object's functions.
void object_init(struct object *o, void *handle, const void *inside, bool is_traced);
void object_finish(struct object *o);  // unloads it; accepts a zeroed one

// The calling CPU thread's static __shared__ arrays, o->shared_bytes of them; NULL: there are none.
const void *object_shared(const struct object *o);

#endif

// backend_cuda.h -- what the files of the CUDA backend share. Only they include it.
//
//     backend_cuda.c         the table of functions: memory, textures, launches, faults, GPUs, life
//     backend_cuda_module.c  turns a kernel file into loaded kernels; their occupancy
//     libraries.c            calls NPP, cuBLAS and CUB
//
// The backend uses only the runtime API, linked statically, so that the program starts without a
// driver.
#pragma once

#include <cuda_runtime_api.h>
#include <glib.h>

#include "device/backend_impl.h"

struct libraries;

struct cuda {
    struct backend base;
    int ordinal;
    struct build_target target;
    struct cudaDeviceProp properties;
    struct translator *nvrtc;
    struct libraries *libraries;
    cudaStream_t stream;  // NULL: CUDA is not started yet
    cudaEvent_t marks[BACKEND_MARKS];
    GHashTable *allocations;  // of each piece of memory: address -> bytes
    GArray *textures;         // struct bound_textures, one for each address
    bool has_failed;
    struct error fault;  // why it has failed
};

static inline struct cuda *cuda_of(struct backend *b)
{
    return (struct cuda *)b;
}

// Unless code is success, sets err to "purpose: CUDA's reason (its name)" and returns false. It
// also clears the runtime's own record of the error, so that the next cudaGetLastError does not
// blame another call.
bool cuda_check(cudaError_t code, struct error *err, const char *purpose, ...)
    __attribute__((format(printf, 3, 4)));
void cuda_ignore(cudaError_t code);  // for calls whose failure changes nothing

// Makes c's device the thread's current one, for launches and for calls without a stream. Several
// backends may be open.
bool cuda_enter(const struct cuda *c, struct error *err);

// ---- backend_cuda_module.c ----

struct module *cuda_compile(struct backend *b, const struct build *build,
                            const struct headers *headers, struct error *err);
void cuda_unload(struct backend *b, struct module *m);
const void *cuda_kernel(const struct module *m, int entry);  // for the runtime's calls
bool cuda_find_constant(struct backend *b, const struct module *m, const char *name, void **memory,
                        size_t *bytes);
struct occupancy cuda_occupancy(struct backend *b, const struct module *m, int entry,
                                const struct launch_config *config);

// ---- libraries.c ----
//
// It opens NPP, cuBLAS and the program's own build of CUB when a module needs them, and calls their
// functions on the stream. The program links none of them. It finds NPP and cuBLAS with
// shared_object.h, as NVRTC. CUB is only headers, so the build makes a library of it (cub_shim.cu),
// which lies beside the program.
//
// Any thread may open; one thread calls. A function that was opened can be called until
// libraries_destroy.

// Opens nothing yet. c is borrowed.
struct libraries *libraries_create(const struct cuda *c);
// Once the stream is idle; accepts NULL.
void libraries_destroy(struct libraries *l);
// False: err says what is missing, in a few words.
bool libraries_open(struct libraries *l, const struct library_function *function,
                    struct error *err);
// Queues a call of a function that was opened.
bool libraries_call(struct libraries *l, const struct library_function *function,
                    const struct library_arguments *arguments, struct error *err);

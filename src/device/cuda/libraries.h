// libraries.h -- opens NPP, cuBLAS and the program's own build of CUB when they are wanted, and
// calls their functions on a stream.
//
// The program links none of them. NPP and cuBLAS are found as NVRTC is (shared_object.h); CUB has
// no library, so that the build makes one of it (cub_shim.cu), which lies beside the program.
//
// Any thread may open; one thread calls. A function that was opened can be called until
// libraries_destroy.
#ifndef LIBRARIES_H
#define LIBRARIES_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "base/error.h"
#include "device/library.h"

struct libraries;

// driver_major: the newest CUDA that the driver knows. Opens nothing yet.
struct libraries *libraries_create(cudaStream_t stream, int ordinal,
                                   const struct cudaDeviceProp *properties, int driver_major);
// Once the stream is idle; accepts NULL.
void libraries_destroy(struct libraries *l);

// False: err says what is missing, in a few words.
bool libraries_open(struct libraries *l, const struct library_function *function,
                    struct error *err);
// Queues a call of a function that was opened.
bool libraries_call(struct libraries *l, const struct library_function *function,
                    const struct library_arguments *arguments, struct error *err);

#endif

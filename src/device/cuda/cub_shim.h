// cub_shim.h -- what cub_shim.cu exports: algorithms of CUB (which is only headers) as C functions.
//
// The build makes libtilescope_cub.so of them, which libraries.c opens.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

// Queues the algorithm over `in`, of count elements. memory NULL: only says in *bytes how much
// memory it wants. Returns a cudaError_t.
typedef int cub_function(void *memory, size_t *bytes, const void *in, void *out, int count,
                         cudaStream_t stream);

#ifdef __cplusplus
extern "C" {
#endif
cub_function tilescope_cub_sum;        // ints to one int
cub_function tilescope_cub_histogram;  // bytes to 256 unsigned ints
cub_function tilescope_cub_scan;       // ints to as many ints
#ifdef __cplusplus
}
#endif

// common.h -- what the kernels of filters (kernel.h) and of labs (lab.h) have in common. Kernel
// files include one of those two.
#ifndef COMMON_H
#define COMMON_H

#ifdef __CUDACC__
extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory
#else
#include "cuda_words.h"
#endif

// The params that a kernel works with: those it is `given`. With `unroll` on the program defines
// this as an initializer with literals, so that the compiler knows them, and unrolls loops.
#ifndef PARAMS
#define PARAMS given
#endif

// Stands in place of struct params in a file without any.
#define NO_PARAMS   \
    struct params { \
        int none;   \
    }

static __device__ __forceinline__ int clamp(int value, int low, int high)
{
    return min(max(value, low), high);
}

#endif

// lab.h -- what the kernels of labs/ share: they work on arrays.
//
// A kernel takes, by their names and in any order, arrays of the file as pointers, and its params;
// ints are literals while the user has `unroll` on. Arrays begin 512-aligned and do not overlap.
// `in` arrays are filled before the first launch and are only read; `out` and `scratch` arrays hold
// rubbish before each launch. Nothing is padded: reads and writes stay inside the array.
//
// The reference of an out array is given long long i, too, and returns its element i, slowly and
// obviously, as a double, which holds every value of the types that arrays have.
#ifndef LAB_H
#define LAB_H

// The thread's number in its block, row after row, and how many threads that has.
static __device__ __forceinline__ int thread_rank(void)
{
    return threadIdx.y * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ int num_threads(void)
{
    return blockDim.x * blockDim.y;
}

#endif

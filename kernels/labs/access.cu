//! lab "Access" key A
//! param stride  1 [1, 64]  from one word that is read to the next
//! param offset  0 [0, 64]  of the first one
//! param n       16777216 cpu=262144 [1, 16777216]  words
//! array a  in  [offset + stride*n] reads [n] noise 0, 255
//! array b  out [n] shown 0, 255
//! goal sectors <= 1.05 copy
//! goal time <= 1.2 copy
#include "lab.h"

static __host__ __device__ __forceinline__ float word(const float *a, int stride, int offset, int i)
{
    return a[offset + stride * i];
}

//! reference b
__host__ __device__ double access_reference(const float *a, int stride, int offset, long long i)
{
    return word(a, stride, offset, (int)i);
}

// One thread a word. A warp's 32 words lie in 4 sectors of 32 bytes at stride 1, in 32 from stride
// 8 on, and whole sectors are read. On an H200: 1.5 device copies of b at stride 1, 1.6 with offset
// 1, 1.7 at stride 2, 4.1 at 8, 8.7 at 32.
//! variant bytes4 256x1
__global__ void access_bytes4(float *b, const float *a, int stride, int offset, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.y == 0) b[i] = word(a, stride, offset, i);
}

// Two words a thread: half as many instructions, and twice as many bytes on their way. Both come
// with one load if they are neighbours and the first is 8-aligned. 1.09 copies at stride 1.
//! variant bytes8 256x1 each=2x1
__global__ void access_bytes8(float *b, const float *a, int stride, int offset, int n)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.y > 0 || i >= n) return;
    if (i + 1 == n)
        b[i] = word(a, stride, offset, i);
    else if (stride == 1 && offset % 2 == 0)
        *(float2 *)(b + i) = *(const float2 *)(a + offset + i);
    else
        *(float2 *)(b + i) =
            make_float2(word(a, stride, offset, i), word(a, stride, offset, i + 1));
}

// Four words a thread, by the same rules: 1.00 copies at stride 1, whatever the offset. From stride
// 8 on the sectors decide, and it is no better than bytes4.
//! variant bytes16 256x1 each=4x1
__global__ void access_bytes16(float *b, const float *a, int stride, int offset, int n)
{
    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.y > 0 || i >= n) return;
    if (i + 3 >= n)
        for (int k = i; k < n; k++) b[k] = word(a, stride, offset, k);
    else if (stride == 1 && offset % 4 == 0)
        *(float4 *)(b + i) = *(const float4 *)(a + offset + i);
    else
        *(float4 *)(b + i) =
            make_float4(word(a, stride, offset, i), word(a, stride, offset, i + 1),
                        word(a, stride, offset, i + 2), word(a, stride, offset, i + 3));
}

// Number i of a permutation of 0 ... n - 1. Each line permutes the numbers below a power of two;
// what comes out at n or beyond goes through them again.
static __device__ __forceinline__ int shuffled(int i, int n)
{
    const int bits = 32 - __clz(n - 1), mask = (int)((1u << bits) - 1);
    unsigned int mixed = (unsigned int)i;
    do {
        mixed = (mixed * 0x9e3779b1u + 0x7f4a7c15u) & mask;
        mixed ^= mixed >> (bits / 2 + 1);
        mixed = mixed * 0x85ebca6bu & mask;
        mixed ^= mixed >> (bits / 2 + 1);
    } while (mixed >= (unsigned int)n);
    return (int)mixed;
}

// One thread a word, in random order: every lane reads a sector and writes into another. 37 copies.
//! variant shuffled 256x1 order=own
__global__ void access_shuffled(float *b, const float *a, int stride, int offset, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= n || threadIdx.y > 0) return;
    const int i = shuffled(thread, n);
    b[i] = word(a, stride, offset, i);
}

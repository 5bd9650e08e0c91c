//! lab "Access" key A
//! goal sectors <= 1.05 copy
//! goal time <= 1.2 copy
#include "lab.h"

struct params {
    int stride;  //! 1 [1, 64] from one word that is read to the next
    int offset;  //! 0 [0, 64] of the first one
    int n;       //! 16777216 cpu=262144 [1, 16777216] words
};

struct arrays {
    const float *a;  //! in [offset + stride*n] reads [n] noise 0, 255
    float *b;        //! out [n] shown 0, 255
};

static __device__ __forceinline__ float word(struct arrays d, struct params p, int i)
{
    return d.a[p.offset + p.stride * i];
}

REFERENCE(b)
{
    return word(d, p, (int)i);
}

// One thread a word. A warp's 32 words lie in 4 sectors of 32 bytes at stride 1, in 32 from stride
// 8 on, and whole sectors are read. On an H200: 1.5 device copies of b at stride 1, 1.6 with offset
// 1, 1.7 at stride 2, 4.1 at 8, 8.7 at 32.
//! variant bytes4 256x1
KERNEL(access_bytes4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n && threadIdx.y == 0) d.b[i] = word(d, p, i);
}

// Two words a thread: half as many instructions, and twice as many bytes on their way. Both come
// with one load if they are neighbours and the first is 8-aligned. 1.09 copies at stride 1.
//! variant bytes8 256x1 each=2x1
KERNEL(access_bytes8)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.y > 0 || i >= p.n) return;
    if (i + 1 == p.n)
        d.b[i] = word(d, p, i);
    else if (p.stride == 1 && p.offset % 2 == 0)
        *(float2 *)(d.b + i) = *(const float2 *)(d.a + p.offset + i);
    else
        *(float2 *)(d.b + i) = make_float2(word(d, p, i), word(d, p, i + 1));
}

// Four words a thread, by the same rules: 1.00 copies at stride 1, whatever the offset. From stride
// 8 on the sectors decide, and it is no better than bytes4.
//! variant bytes16 256x1 each=4x1
KERNEL(access_bytes16)
{
    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.y > 0 || i >= p.n) return;
    if (i + 3 >= p.n)
        for (int k = i; k < p.n; k++) d.b[k] = word(d, p, k);
    else if (p.stride == 1 && p.offset % 4 == 0)
        *(float4 *)(d.b + i) = *(const float4 *)(d.a + p.offset + i);
    else
        *(float4 *)(d.b + i) =
            make_float4(word(d, p, i), word(d, p, i + 1), word(d, p, i + 2), word(d, p, i + 3));
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
KERNEL(access_shuffled)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= p.n || threadIdx.y > 0) return;
    const int i = shuffled(thread, p.n);
    d.b[i] = word(d, p, i);
}

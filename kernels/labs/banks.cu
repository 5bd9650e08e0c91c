//! lab "Banks" key K
#include "lab.h"

struct params {
    int stride;  //! 1 [1, 64] words from where a thread begins to where the next one does
    int words;   //! 256 [1, 1024] that each thread adds up
    int n;       //! 1048576 cpu=4096 [1, 16777216] threads
};

// Threads of a block, and words of its tile at which they may begin: 32 lanes, each up to 64 words
// further.
enum { THREADS = 256, STARTS = 2048 };

struct arrays {
    const int *a;  //! in [n + 2048 + words] noise 0, 255
    int *s;        //! out [n] shown 120*words, 135*words ramp
};

static __device__ __forceinline__ int start_of(int thread, int stride)
{
    return thread * stride % STARTS;
}

// Element i of s: the sum of `words` words of a. A block's tile begins at a[first].
REFERENCE(s)
{
    const long long first = i / THREADS * THREADS + start_of((int)(i % THREADS), p.stride);
    int sum = 0;
    for (int k = 0; k < p.words; k++) sum += d.a[first + k];
    return sum;
}

// Where a word of the tile lies. Bank b holds the words b, b + 32, b + 64 ...
enum layout { PLAIN, PADDED, SWIZZLED };

static __device__ __forceinline__ unsigned int place(unsigned int word, enum layout layout)
{
    if (layout == PADDED) return word + word / 32;
    return layout == SWIZZLED ? word ^ word / 32 % 32 : word;
}

static __device__ __forceinline__ void load_tile(struct arrays d, struct params p,
                                                 enum layout layout)
{
    const int count = min(STARTS + p.words, p.n + STARTS + p.words - (int)blockIdx.x * THREADS);
    for (int k = threadIdx.x; k < count; k += THREADS)
        ((int *)tile)[place(k, layout)] = d.a[blockIdx.x * THREADS + k];
    __syncthreads();
}

static __device__ __forceinline__ void store_sum(struct arrays d, struct params p, int sum)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < p.n) d.s[i] = sum;
}

// volatile, or the compiler would make one wide load of neighbouring words where it can.
static __device__ __forceinline__ void add_words(struct arrays d, struct params p,
                                                 enum layout layout)
{
    load_tile(d, p, layout);
    const volatile int *const words = (const volatile int *)tile;
    const int start = start_of(threadIdx.x, p.stride);
    int sum = 0;
    for (int k = 0; k < p.words; k++) sum += words[place(start + k, layout)];
    store_sum(d, p, sum);
}

// A bank gives one word a cycle. The lanes of a warp read words `stride` apart, so as many of them
// meet in a bank as the greatest common divisor of stride and 32 says. On an H200, unrolled, the
// strides 2, 4, 8, 16 and 32 take 1.7, 3.3, 6.5, 13 and 26 times as long as stride 1.
//! variant plain 256x1 block=fixed shared=4*(2048 + words)
KERNEL(banks_plain)
{
    add_words(d, p, PLAIN);
}

// A word is left out after every 32, so that stride 32 goes through all banks: 1.6 times plain's
// stride 1, for the arithmetic. But no layout is good for all strides: at 31 it takes 19 times.
//! variant padded 256x1 block=fixed shared=4*(2048 + words + (2048 + words) / 32)
KERNEL(banks_padded)
{
    add_words(d, p, PADDED);
}

// Nothing is left out, but each row of 32 words is in another order. It is as fast as padded at
// powers of two, and its bad strides are 31 and 33: 9 times.
//! variant swizzled 256x1 block=fixed shared=4*((2048 + words + 31) / 32*32)
KERNEL(banks_swizzled)
{
    add_words(d, p, SWIZZLED);
}

// Two words a load: half a warp at a time gets 8 bytes a lane, so half as many lanes meet. Words
// must be 8-aligned; at odd strides each is loaded alone.
//! variant bytes8 256x1 block=fixed shared=4*(2048 + words)
KERNEL(banks_bytes8)
{
    load_tile(d, p, PLAIN);
    const int *const start = (const int *)tile + start_of(threadIdx.x, p.stride);
    int sum = 0, k = 0;
    for (; p.stride % 2 == 0 && k + 1 < p.words; k += 2) {
        const long long two = *(const volatile long long *)(start + k);
        sum += (int)two + (int)(two >> 32);
    }
    for (; k < p.words; k++) sum += start[k];
    store_sum(d, p, sum);
}

// Four words a load, a quarter of a warp at a time: stride 32 takes a quarter of plain's time. Only
// strides that are multiples of 4 are 16-aligned.
//! variant bytes16 256x1 block=fixed shared=4*(2048 + words)
KERNEL(banks_bytes16)
{
    load_tile(d, p, PLAIN);
    const int *const start = (const int *)tile + start_of(threadIdx.x, p.stride);
    int sum = 0, k = 0;
    for (; p.stride % 4 == 0 && k + 3 < p.words; k += 4) {
        const int4 four = *(const int4 *)(start + k);
        sum += four.x + four.y + four.z + four.w;
    }
    for (; k < p.words; k++) sum += start[k];
    store_sum(d, p, sum);
}

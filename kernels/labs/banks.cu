//! lab "Banks" key K
//! param stride  1 [1, 64]  words from where a thread begins to where the next one does
//! param words   256 [1, 1024]  that each thread adds up
//! param n       1048576 cpu=4096 [1, 16777216]  threads
//! array a  in  [n + 2048 + words] noise 0, 255
//! array s  out [n] shown 120*words, 135*words ramp
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// Threads of a block, and words of its tile at which they may begin: 32 lanes, each up to 64 words
// further.
enum { THREADS = 256, STARTS = 2048 };

static __host__ __device__ __forceinline__ int start_of(int thread, int stride)
{
    return thread * stride % STARTS;
}

// Element i of s: the sum of `words` words of a. A block's tile begins at a[first].
//! reference s
__host__ __device__ double banks_reference(const int *a, int stride, int words, long long i)
{
    const long long first = i / THREADS * THREADS + start_of((int)(i % THREADS), stride);
    int sum = 0;
    for (int k = 0; k < words; k++) sum += a[first + k];
    return sum;
}

// Where a word of the tile lies. Bank b holds the words b, b + 32, b + 64 ...
enum layout { PLAIN, PADDED, SWIZZLED };

static __device__ __forceinline__ unsigned int place(unsigned int word, enum layout layout)
{
    if (layout == PADDED) return word + word / 32;
    return layout == SWIZZLED ? word ^ word / 32 % 32 : word;
}

static __device__ __forceinline__ void load_tile(const int *a, int words, int n, enum layout layout)
{
    const int count = min(STARTS + words, n + STARTS + words - (int)blockIdx.x * THREADS);
    for (int k = threadIdx.x; k < count; k += THREADS)
        ((int *)tile)[place(k, layout)] = a[blockIdx.x * THREADS + k];
    __syncthreads();
}

static __device__ __forceinline__ void store_sum(int *s, int n, int sum)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) s[i] = sum;
}

// volatile, or the compiler would make one wide load of neighbouring words where it can.
static __device__ __forceinline__ void add_words(int *s, const int *a, int stride, int words, int n,
                                                 enum layout layout)
{
    load_tile(a, words, n, layout);
    const volatile int *const staged = (const volatile int *)tile;
    const int start = start_of(threadIdx.x, stride);
    int sum = 0;
    for (int k = 0; k < words; k++) sum += staged[place(start + k, layout)];
    store_sum(s, n, sum);
}

// A bank gives one word a cycle. The lanes of a warp read words `stride` apart, so as many of them
// meet in a bank as the greatest common divisor of stride and 32 says. On an H200, unrolled, the
// strides 2, 4, 8, 16 and 32 take 1.7, 3.3, 6.5, 13 and 26 times as long as stride 1.
//! variant plain 256x1 block=fixed shared=4*(2048 + words)
__global__ void banks_plain(int *s, const int *a, int stride, int words, int n)
{
    add_words(s, a, stride, words, n, PLAIN);
}

// A word is left out after every 32, so that stride 32 goes through all banks: 1.6 times plain's
// stride 1, for the arithmetic. But no layout is good for all strides: at 31 it takes 19 times.
//! variant padded 256x1 block=fixed shared=4*(2048 + words + (2048 + words) / 32)
__global__ void banks_padded(int *s, const int *a, int stride, int words, int n)
{
    add_words(s, a, stride, words, n, PADDED);
}

// Nothing is left out, but each row of 32 words is in another order. It is as fast as padded at
// powers of two, and its bad strides are 31 and 33: 9 times.
//! variant swizzled 256x1 block=fixed shared=4*((2048 + words + 31) / 32*32)
__global__ void banks_swizzled(int *s, const int *a, int stride, int words, int n)
{
    add_words(s, a, stride, words, n, SWIZZLED);
}

// Two words a load: half a warp at a time gets 8 bytes a lane, so half as many lanes meet. Words
// must be 8-aligned; at odd strides each is loaded alone.
//! variant bytes8 256x1 block=fixed shared=4*(2048 + words)
__global__ void banks_bytes8(int *s, const int *a, int stride, int words, int n)
{
    load_tile(a, words, n, PLAIN);
    const int *const start = (const int *)tile + start_of(threadIdx.x, stride);
    int sum = 0, k = 0;
    for (; stride % 2 == 0 && k + 1 < words; k += 2) {
        const long long two = *(const volatile long long *)(start + k);
        sum += (int)two + (int)(two >> 32);
    }
    for (; k < words; k++) sum += start[k];
    store_sum(s, n, sum);
}

// Four words a load, a quarter of a warp at a time: stride 32 takes a quarter of plain's time. Only
// strides that are multiples of 4 are 16-aligned.
//! variant bytes16 256x1 block=fixed shared=4*(2048 + words)
__global__ void banks_bytes16(int *s, const int *a, int stride, int words, int n)
{
    load_tile(a, words, n, PLAIN);
    const int *const start = (const int *)tile + start_of(threadIdx.x, stride);
    int sum = 0, k = 0;
    for (; stride % 4 == 0 && k + 3 < words; k += 4) {
        const int4 four = *(const int4 *)(start + k);
        sum += four.x + four.y + four.z + four.w;
    }
    for (; k < words; k++) sum += start[k];
    store_sum(s, n, sum);
}

//! lab "Histogram" key H
//! param n       8388608 cpu=262144 [1, 1073741824]  bytes
//! param spread  256 [1, 256]  how many values occur: 1, all bytes are equal; 256, any
//! array x     in  [n] noise 0, spread - 1
//! array bins  out [256] shown 0, n / spread + n / max(spread, 2) ramp
//! goal sectors <= 1.3 copy
//! goal conflicts = 0
//! goal time <= 1.5 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// How many bytes are i.
//! reference bins
__host__ __device__ double histogram_reference(const unsigned char *x, int n, long long i)
{
    unsigned int count = 0;
    for (int k = 0; k < n; k++) count += x[k] == i;
    return count;
}

// Before each variant, this pass sets the bins to zero, one thread a bin.
//! before columns=bw*bh
__global__ void histogram_clear(unsigned int *bins)
{
    const int bin = blockIdx.x * num_threads() + thread_rank();
    if (bin < 256) bins[bin] = 0;
}

// One thread a byte, which it counts in global memory. Additions to one word wait for each other
// in the L2 cache: the fewer values there are, the longer the queues. On an H200, 2^23 random bytes
// take 106 copies, equal ones 667.
//! variant global 256x1 domain=n columns=bw*bh
__global__ void histogram_global(unsigned int *bins, const unsigned char *x, int n)
{
    const int i = blockIdx.x * num_threads() + thread_rank();
    if (i < n) atomicAdd(&bins[x[i]], 1u);
}

// Sets `count` words of shared memory to zero.
static __device__ __forceinline__ void start(unsigned int *counts, int count)
{
    for (int i = thread_rank(); i < count; i += num_threads()) counts[i] = 0;
    __syncthreads();
}

// Adds the block's histograms to the bins. Bin b of histogram h is at counts[b * bin + h * copy].
static __device__ __forceinline__ void finish(unsigned int *bins, const unsigned int *counts,
                                              int copies, int bin, int copy)
{
    __syncthreads();
    for (int b = thread_rank(); b < 256; b += num_threads()) {
        unsigned int sum = 0;
        for (int h = 0; h < copies; h++) sum += counts[b * bin + (h + b) % copies * copy];
        if (sum) atomicAdd(&bins[b], sum);
    }
}

// A block counts in its shared memory and adds that to the bins once, at the end. So that this is
// seldom, there are only as many threads as the GPU holds, and each takes many bytes. 2^28 bytes
// take 5.7 copies, random or equal, for the loads of single bytes.
//! variant shared 256x1 domain=multiprocessors*2048 columns=bw*bh
__global__ void histogram_shared(unsigned int *bins, const unsigned char *x, int n)
{
    __shared__ unsigned int counts[256];
    start(counts, 256);
    const int first = blockIdx.x * num_threads() + thread_rank();
    for (int i = first; i < n; i += gridDim.x * num_threads()) atomicAdd(&counts[x[i]], 1u);
    finish(bins, counts, 1, 1, 0);
}

// Counts a word's bytes. Bin b is at counts[b << shift].
static __device__ __forceinline__ void count_word(unsigned int *counts, int shift, unsigned int x)
{
    atomicAdd(&counts[(x & 255) << shift], 1u);
    atomicAdd(&counts[(x >> 8 & 255) << shift], 1u);
    atomicAdd(&counts[(x >> 16 & 255) << shift], 1u);
    atomicAdd(&counts[(x >> 24) << shift], 1u);
}

// Counts the thread's share of the bytes.
static __device__ __forceinline__ void count(const unsigned char *bytes, int n,
                                             unsigned int *counts, int shift)
{
    const int first = blockIdx.x * num_threads() + thread_rank(), step = gridDim.x * num_threads();
    for (int i = first; i < n / 16; i += step) {
        const uint4 x = ((const uint4 *)bytes)[i];
        count_word(counts, shift, x.x);
        count_word(counts, shift, x.y);
        count_word(counts, shift, x.z);
        count_word(counts, shift, x.w);
    }
    for (int i = n / 16 * 16 + first; i < n; i += step) atomicAdd(&counts[bytes[i] << shift], 1u);
}

// 16 bytes a load in blocks of 1024 threads: a sixteenth of the loads. Equal bytes take 1.0 copies,
// since lanes that count in one word add up first; random ones 1.8: three or four of 32 lanes want
// words of one bank.
//! variant packed 1024x1 domain=multiprocessors*2048 columns=bw*bh
__global__ void histogram_packed(unsigned int *bins, const unsigned char *x, int n)
{
    __shared__ unsigned int counts[256];
    start(counts, 256);
    count(x, n, counts, 0);
    finish(bins, counts, 1, 1, 0);
}

// A histogram a warp, so that only lanes of one warp meet. It buys 1 %: the conflicts are between
// the lanes of a warp, and shared memory serves the warps one after the other anyway.
//! variant warps 1024x1 domain=multiprocessors*2048 columns=bw*bh shared=1024*((bw*bh + 31)/32)
__global__ void histogram_warps(unsigned int *bins, const unsigned char *x, int n)
{
    unsigned int *const counts = (unsigned int *)tile;
    const int warps = (num_threads() + 31) / 32;
    start(counts, 256 * warps);
    count(x, n, counts + thread_rank() / 32 * 256, 0);
    finish(bins, counts, warps, 1, 256);
}

// A histogram a lane, which the warps of the block share. Bin b of lane l is word 32 b + l, so each
// lane counts in a bank of its own: whatever the bytes are, no lane waits for another.
// 1.03 copies.
//! variant lanes 1024x1 domain=multiprocessors*2048 columns=bw*bh
__global__ void histogram_lanes(unsigned int *bins, const unsigned char *x, int n)
{
    __shared__ unsigned int counts[256 * 32];
    start(counts, 256 * 32);
    count(x, n, counts + thread_rank() % 32, 5);
    finish(bins, counts, 32, 32, 1);
}

// What CUB, NVIDIA's collection of parallel algorithms, makes of it.
//! library cub cub::DeviceHistogram::HistogramEven(n, x, bins)

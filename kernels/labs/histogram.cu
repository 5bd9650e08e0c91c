//! lab "Histogram" key H
//! goal sectors <= 1.3 copy
//! goal conflicts = 0
//! goal time <= 1.5 copy
#include "lab.h"

struct params {
    int n;       //! 8388608 cpu=262144 [1, 1073741824] bytes
    int spread;  //! 256 [1, 256] how many values occur: 1, all bytes are equal; 256, any
};

struct arrays {
    const unsigned char *x;  //! in [n] noise 0, spread - 1
    unsigned int *bins;      //! out [256] shown 0, n / spread + n / max(spread, 2) ramp
};

// How many bytes are i.
REFERENCE(bins)
{
    unsigned int count = 0;
    for (int k = 0; k < p.n; k++) count += d.x[k] == i;
    return count;
}

// Before each variant, this pass sets the bins to zero, one thread a bin.
//! before columns=bw*bh
KERNEL(histogram_clear)
{
    const int bin = blockIdx.x * num_threads() + thread_rank();
    if (bin < 256) d.bins[bin] = 0;
}

// One thread a byte, which it counts in global memory. Additions to one word wait for each other
// in the L2 cache: the fewer values there are, the longer the queues. On an H200, 2^23 random bytes
// take 106 copies, equal ones 667.
//! variant global 256x1 domain=n columns=bw*bh
KERNEL(histogram_global)
{
    const int i = blockIdx.x * num_threads() + thread_rank();
    if (i < p.n) atomicAdd(&d.bins[d.x[i]], 1u);
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
KERNEL(histogram_shared)
{
    __shared__ unsigned int counts[256];
    start(counts, 256);
    const int first = blockIdx.x * num_threads() + thread_rank();
    for (int i = first; i < p.n; i += gridDim.x * num_threads()) atomicAdd(&counts[d.x[i]], 1u);
    finish(d.bins, counts, 1, 1, 0);
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
KERNEL(histogram_packed)
{
    __shared__ unsigned int counts[256];
    start(counts, 256);
    count(d.x, p.n, counts, 0);
    finish(d.bins, counts, 1, 1, 0);
}

// A histogram a warp, so that only lanes of one warp meet. It buys 1 %: the conflicts are between
// the lanes of a warp, and shared memory serves the warps one after the other anyway.
//! variant warps 1024x1 domain=multiprocessors*2048 columns=bw*bh shared=1024*((bw*bh + 31)/32)
KERNEL(histogram_warps)
{
    unsigned int *const counts = (unsigned int *)tile;
    const int warps = (num_threads() + 31) / 32;
    start(counts, 256 * warps);
    count(d.x, p.n, counts + thread_rank() / 32 * 256, 0);
    finish(d.bins, counts, warps, 1, 256);
}

// A histogram a lane, which the warps of the block share. Bin b of lane l is word 32 b + l, so each
// lane counts in a bank of its own: whatever the bytes are, no lane waits for another.
// 1.03 copies.
//! variant lanes 1024x1 domain=multiprocessors*2048 columns=bw*bh
KERNEL(histogram_lanes)
{
    __shared__ unsigned int counts[256 * 32];
    start(counts, 256 * 32);
    count(d.x, p.n, counts + thread_rank() % 32, 5);
    finish(d.bins, counts, 32, 32, 1);
}

// What CUB, NVIDIA's collection of parallel algorithms, makes of it.
//! library cub cub::DeviceHistogram::HistogramEven(n, x, bins)

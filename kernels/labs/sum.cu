//! lab "Sum" key U
//! param n  16777216 cpu=65536 [1, 1073741824]  numbers
//! array a  in  [n] noise -1000, 1000
//! array s  out [1] shown -n, n signed
//! goal sectors <= 1.02 copy
//! goal conflicts = 0
//! goal time <= 1.2 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// The sum, modulo 2^32.
//! reference s
__host__ __device__ double sum_reference(const int *a, int n)
{
    long long sum = 0;
    for (int k = 0; k < n; k++) sum += a[k];
    return (int)(unsigned int)sum;
}

// Blocks cannot wait for each other, so each adds its own sum to s, atomically. Before that, this
// pass sets s to 0. It takes 1.9 us on an H200; a last pass that adds up the blocks' sums
// takes 2.3.
//! before domain=1
__global__ void sum_clear(int *s)
{
    if (thread_rank() == 0) *s = 0;
}

// Number `at`, or 0 behind the last.
static __device__ __forceinline__ unsigned int number(const int *a, int n, int at)
{
    return at < n ? a[at] : 0;
}

// In step 1, 2, 4 … every 2nd, 4th, 8th … thread of the block adds its neighbour's sum: half of a
// warp's lanes idle at first, then all but one. On an H200, 2^24 numbers take 9.3 copies.
//! variant modulo 256x1 domain=n columns=bw*bh shared=4*bw*bh
__global__ void sum_modulo(int *s, const int *a, int n)
{
    unsigned int *const sums = (unsigned int *)tile;
    const int t = thread_rank(), count = num_threads();
    sums[t] = number(a, n, blockIdx.x * count + t);
    __syncthreads();
    for (int step = 1; step < count; step *= 2) {
        if (t % (2 * step) == 0 && t + step < count) sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0) atomicAdd(s, (int)sums[0]);
}

// The first threads do the work, so whole warps fall idle instead of lanes, and `%` goes. But the
// lanes of a warp read at a stride of 2, 4, 8 … words, so as many want the same bank at a time.
// 5.0 copies.
//! variant conflicting 256x1 domain=n columns=bw*bh shared=4*bw*bh
__global__ void sum_conflicting(int *s, const int *a, int n)
{
    unsigned int *const sums = (unsigned int *)tile;
    const int t = thread_rank(), count = num_threads();
    sums[t] = number(a, n, blockIdx.x * count + t);
    __syncthreads();
    for (int step = 1; step < count; step *= 2) {
        const int at = 2 * step * t;
        if (at + step < count) sums[at] += sums[at + step];
        __syncthreads();
    }
    if (t == 0) atomicAdd(s, (int)sums[0]);
}

// Adds the block's sums in shared memory up in sums[0].
static __device__ __forceinline__ void add_halves(unsigned int *sums, int t, int count)
{
    __syncthreads();
    while (count > 1) {
        const int half = (count + 1) / 2;
        if (t + half < count) sums[t] += sums[t + half];
        __syncthreads();
        count = half;
    }
}

// The upper half is added to the lower half, again and again: neighbours read neighbours.
// 4.3 copies, the time of the atomic additions: one for 256 numbers, all to one word, 1.4 ns each.
//! variant sequential 256x1 domain=n columns=bw*bh shared=4*bw*bh
__global__ void sum_sequential(int *s, const int *a, int n)
{
    unsigned int *const sums = (unsigned int *)tile;
    const int t = thread_rank(), count = num_threads();
    sums[t] = number(a, n, blockIdx.x * count + t);
    add_halves(sums, t, count);
    if (t == 0) atomicAdd(s, (int)sums[0]);
}

// A thread adds two numbers as it loads them, so there are half as many blocks and atomic
// additions. 2.3 copies.
//! variant first_add 256x1 domain=n columns=2*bw*bh shared=4*bw*bh
__global__ void sum_first_add(int *s, const int *a, int n)
{
    unsigned int *const sums = (unsigned int *)tile;
    const int t = thread_rank(), count = num_threads();
    const int at = blockIdx.x * 2 * count + t;
    sums[t] = number(a, n, at) + number(a, n, at + count);
    add_halves(sums, t, count);
    if (t == 0) atomicAdd(s, (int)sums[0]);
}

// Lane 0 gets the sum of its warp.
static __device__ __forceinline__ unsigned int add_lanes(unsigned int sum)
{
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    return sum;
}

// Adds the sums of all threads of the block to s.
static __device__ __forceinline__ void add_block(int *s, unsigned int sum)
{
    __shared__ unsigned int sums[32];
    const int t = thread_rank(), warps = num_threads() / 32;
    sum = add_lanes(sum);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    if (t >= 32) return;
    sum = add_lanes(t < warps ? sums[t] : 0);
    if (t == 0) atomicAdd(s, (int)sum);
}

// The lanes of a warp add up through shuffles; only the sums of warps meet in shared memory, with
// one barrier instead of ten. So larger blocks pay, and halve the atomic additions. 1.7 copies.
//! variant shuffle 512x1 multiple_of=32 domain=n columns=2*bw*bh
__global__ void sum_shuffle(int *s, const int *a, int n)
{
    const int at = blockIdx.x * 2 * num_threads() + thread_rank();
    add_block(s, number(a, n, at) + number(a, n, at + num_threads()));
}

static __device__ __forceinline__ unsigned int add_four(int4 v)
{
    return (unsigned int)v.x + v.y + v.z + v.w;
}

// A thread adds 32 numbers: eight loads of 16 bytes that are on their way at once, and a sixteenth
// of the atomic additions. 0.95 copies; of 2^28 numbers 0.96, with memory busy to 95 % of its peak.
//! variant vector 512x1 multiple_of=32 domain=n columns=32*bw*bh
__global__ void sum_vector(int *s, const int *a, int n)
{
    const int fours = n / 4, first = blockIdx.x * 8 * num_threads() + thread_rank();
    unsigned int sum = first < n % 4 ? a[4 * fours + first] : 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const int i = first + k * num_threads();
        if (i < fours) sum += add_four(((const int4 *)a)[i]);
    }
    add_block(s, sum);
}

// What CUB, NVIDIA's collection of parallel algorithms, makes of it.
//! library cub cub::DeviceReduce::Sum(n, a, s)

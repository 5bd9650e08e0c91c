//! lab "Sliding sum" key L
//! param n    16777216 cpu=262144 [1, 268435456]  numbers
//! param n_f  16 [1, 1024]  neighbours on each side
//! array x  in  [n] noise -100, 100
//! array s  out [n] shown -200 - 8*n_f, 200 + 8*n_f signed
//! file .bin n n_f x -> n n_f s
//! goal sectors <= 1.1 copy
//! goal conflicts = 0
//! goal time <= 1.2 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// Element i of s: x[i] and n_f numbers on each side of it; beyond the ends there are zeros. All
// sums wrap modulo 2^32, as the numbers of a file may be large: hence unsigned.
//! reference s
__host__ __device__ double sliding_reference(const int *x, int n, int n_f, long long i)
{
    unsigned int sum = 0;
    for (long long j = i - n_f; j <= i + n_f; j++)
        if (j >= 0 && j < n) sum += (unsigned int)x[j];
    return (int)sum;
}

// One thread an element: 2 n_f + 1 loads, nearly all of them served by the L1 cache. For 2^26
// numbers and n_f = 16, an H200 takes 3.5 times as long as for a copy; at 64 10.7 times.
//! variant naive 256x1
//! compiled unrolls the loop, so that lanes at the array's ends part more often
__global__ void sliding_naive(int *s, const int *x, int n, int n_f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.y > 0) return;
    const int first = max(i - n_f, 0), last = min(i + n_f, n - 1);
    unsigned int sum = 0;
    for (int j = first; j <= last; j++) sum += (unsigned int)x[j];
    s[i] = (int)sum;
}

static __device__ __forceinline__ unsigned int number_at(const int *x, int n, int i)
{
    return i >= 0 && i < n ? (unsigned int)x[i] : 0;
}

// The block stages its numbers and n_f more on each side, and zeros beyond the ends. A number is
// loaded 1 + 2 n_f / bw times instead of 2 n_f + 1 times. But every addition still needs a read,
// and shared memory is hardly faster than the L1 cache: 3.4 copies, at n_f = 64 8.8.
//! variant shared 256x1 shared=4 * (bw + 2*n_f)
__global__ void sliding_shared(int *s, const int *x, int n, int n_f)
{
    unsigned int *const staged = (unsigned int *)tile;
    const int first = blockIdx.x * blockDim.x - n_f, threads = blockDim.x * blockDim.y;
    for (int j = threadIdx.y * blockDim.x + threadIdx.x; j < blockDim.x + 2 * n_f; j += threads)
        staged[j] = number_at(x, n, first + j);
    __syncthreads();

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.y > 0) return;
    unsigned int sum = 0;
    for (int j = 0; j <= 2 * n_f; j++) sum += staged[threadIdx.x + j];
    s[i] = (int)sum;
}

enum { RUN = 8 };  // sums of a thread, one after the other

// A word is left out after every 32: lanes that begin RUN words apart meet in no bank.
static __device__ __forceinline__ int place(int j)
{
    return j + j / 32;
}

// Each thread writes 8 sums. From one to the next it adds the number that comes into the window
// and takes off the one that falls out: 2 n_f + 16 reads for 8 sums instead of 16 n_f + 8. That
// takes 1.6 copies, at n_f = 64 2.9.
//! variant running 256x1 each=8x1 shared=4 * ((8*bw + 2*n_f) * 33/32 + 1)
//! compiled merges loads of the tile, and lets lanes at the array's ends part
__global__ void sliding_running(int *s, const int *x, int n, int n_f)
{
    unsigned int *const staged = (unsigned int *)tile;
    const int start = blockIdx.x * blockDim.x * RUN, threads = blockDim.x * blockDim.y;
    const int end = RUN * blockDim.x + 2 * n_f;
    for (int j = threadIdx.y * blockDim.x + threadIdx.x; j < end; j += threads)
        staged[place(j)] = number_at(x, n, start - n_f + j);
    __syncthreads();
    if (threadIdx.y > 0) return;

    const int trail = RUN * threadIdx.x, lead = trail + 2 * n_f, first = start + trail;
    unsigned int sum = 0, sums[RUN];
    for (int j = trail; j < lead; j++) sum += staged[place(j)];
    for (int k = 0; k < RUN; k++) {
        sum += staged[place(lead + k)];
        sums[k] = sum;
        sum -= staged[place(trail + k)];
    }
    for (int k = 0; k < RUN; k += 4)
        if (first + k + 3 < n)
            *(uint4 *)(s + first + k) = make_uint4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
        else
            for (int last = k; last < k + 3; last++)
                if (first + last < n) s[first + last] = (int)sums[last];
}

// ---- prefix sums: any window at the same cost ----
//
// A block reads SPAN numbers and puts their prefix sums into shared memory: prefix[k] is the sum of
// its numbers 0 ... k. A window's sum is then the difference of two of them:
//
//         halo            sums that the block writes            halo
//     |------------|----------------------------------------|------------|   SPAN numbers
//          trail |<-------- 2 n_f + 1 -------->| lead
//
// Neighbouring blocks read the halo at about the same time, so the L2 cache has it. Halos are
// multiples of 32, and groups of four numbers are 16-aligned.
enum { SCANNERS = 512, ROWS = 4, ROW = 4 * 32, SPAN = SCANNERS * ROWS * 4 };

//! let scan_halo = (n_f + 32) / 32 * 32

static __device__ __forceinline__ uint4 four_at(const int *x, int n, int i)
{
    if (i >= 0 && i + 3 < n) return *(const uint4 *)(x + i);
    return make_uint4(number_at(x, n, i), number_at(x, n, i + 1), number_at(x, n, i + 2),
                      number_at(x, n, i + 3));
}

// The sum of value over the lanes of the warp up to this one.
static __device__ __forceinline__ unsigned int sum_to_lane(unsigned int value)
{
    const int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        const unsigned int below = __shfl_up_sync(0xffffffff, value, step);
        if (lane >= step) value += below;
    }
    return value;
}

static __device__ __forceinline__ uint4 plus(uint4 four, unsigned int addend)
{
    return make_uint4(four.x + addend, four.y + addend, four.z + addend, four.w + addend);
}

// In registers, a warp scans 4 rows of 128 numbers: each lane its four, and the warp the lanes'
// sums with five shuffles. Then each warp adds what the warps before it have summed. Two shared
// reads a sum, whatever the window: 1.03 copies for every n_f from 1 to 1024.
//! variant scanned 512x1 block=fixed columns=8192 - 2*scan_halo shared=4 * (8192 + 16)
//! compiled lets lanes at the array's ends part where they store
__global__ void sliding_scanned(int *s, const int *x, int n, int n_f)
{
    unsigned int *const prefix = (unsigned int *)tile, *const totals = prefix + SPAN;
    const int halo = (n_f + 32) / 32 * 32, start = blockIdx.x * (SPAN - 2 * halo);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int own = warp * ROWS * ROW + 4 * lane;
    uint4 v[ROWS];
    for (int r = 0; r < ROWS; r++) v[r] = four_at(x, n, start - halo + own + r * ROW);

    unsigned int sum = 0;
    for (int r = 0; r < ROWS; r++) {
        v[r].y += v[r].x;
        v[r].z += v[r].y;
        v[r].w += v[r].z;
        const unsigned int upto = sum_to_lane(v[r].w);
        v[r] = plus(v[r], sum + upto - v[r].w);
        sum += __shfl_sync(0xffffffff, upto, 31);
    }
    if (lane == 0) totals[warp] = sum;
    __syncthreads();

    const unsigned int total = lane < SCANNERS / 32 ? totals[lane] : 0;
    const unsigned int below = __shfl_sync(0xffffffff, sum_to_lane(total) - total, warp);
    for (int r = 0; r < ROWS; r++) *(uint4 *)(prefix + own + r * ROW) = plus(v[r], below);
    __syncthreads();

    const unsigned int *const lead = prefix + halo + n_f, *const trail = lead - 2 * n_f - 1;
    const int count = min(SPAN - 2 * halo, n - start);
    for (int k = threadIdx.x; k < count; k += SCANNERS) s[start + k] = (int)(lead[k] - trail[k]);
}

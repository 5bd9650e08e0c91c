//! lab "Prefix sums"
//! param n  16777216 cpu=65536 [1, 1073741824]  numbers
//! array a       in  [n] noise -1000, 1000
//! array b       out [n] shown -1024000, 1024000 signed
//! array sums    scratch [n]
//! array states  scratch [32*(n/1024 + 2)]
//! goal sectors <= 1.05 copy
//! goal conflicts = 0
//! goal time <= 1.25 copy
#include "lab.h"

extern __shared__ unsigned int words[];  // the block's dynamic shared memory

// Element i of b: the sum of the numbers up to number i, modulo 2^32.
//! reference b
__host__ __device__ double scan_reference(const int *a, long long i)
{
    unsigned int sum = 0;
    for (long long k = 0; k <= i; k++) sum += a[k];
    return (int)sum;
}

// ---- three passes: sums of blocks, sums of these, and both together ----
//
// Blocks cannot wait for each other. So a first pass computes sums that begin anew in each block,
// and keeps the block's sum. The second pass sums these up, and the third adds to each number of b
// what came before its block. b is written, read and written again: two copies at least.

// Number `at`, or 0 behind the last.
static __device__ __forceinline__ unsigned int number(const int *a, int n, int at)
{
    return at < n ? a[at] : 0;
}

// Prefix sums over the threads of a block. In step 1, 2, 4 … each thread adds the sum of the one
// that is so many before it. It reads one half of the memory and writes the other, so that nobody
// reads what another one has changed already.
static __device__ __forceinline__ unsigned int scan_threads(unsigned int *halves, unsigned int sum)
{
    const int t = thread_rank(), count = num_threads();
    unsigned int *from = halves, *to = halves + count;
    from[t] = sum;
    __syncthreads();
    for (int step = 1; step < count; step *= 2) {
        if (t >= step) sum += from[t - step];
        to[t] = sum;
        __syncthreads();
        unsigned int *const other = from;
        from = to;
        to = other;
    }
    return sum;
}

// The second pass, of one block: each thread adds up a run of the blocks' sums, and goes through it
// again once it knows what came before. A block of the first pass has PER numbers a thread.
template <int PER> __global__ void scan_sums(int *sums, int n)
{
    const int per_block = PER * num_threads(), count = (n + per_block - 1) / per_block;
    const int run = (count + num_threads() - 1) / num_threads();
    const int first = thread_rank() * run, end = min(first + run, count);
    unsigned int sum = 0;
    for (int i = first; i < end; i++) sum += sums[i];
    unsigned int before = scan_threads(words, sum) - sum;
    for (int i = first; i < end; i++) sums[i] = before += sums[i];
}

// The third pass.
template <int PER> __global__ void scan_add(int *b, const int *sums, int n)
{
    const int first = blockIdx.x * PER * num_threads() + thread_rank();
    if (blockIdx.x == 0) return;
    const unsigned int before = sums[blockIdx.x - 1];
#pragma unroll
    for (int k = 0; k < PER; k++) {
        const int i = first + k * num_threads();
        if (i < n) b[i] = b[i] + before;
    }
}

// A thread a number, after Hillis and Steele: log2 of the block's size steps, in each of which
// nearly all threads add. That is ten times as many additions as one thread would need.
//! variant hillis_steele 1024x1 domain=n columns=bw*bh shared=8*bw*bh
__global__ void scan_hillis_steele(int *b, int *sums, const int *a, int n)
{
    const int t = thread_rank(), count = num_threads(), i = blockIdx.x * count + t;
    const unsigned int sum = scan_threads(words, number(a, n, i));
    if (i < n) b[i] = sum;
    if (t == count - 1) sums[blockIdx.x] = sum;
}
//! variant hillis_steele 1024x1 of scan_sums<1> domain=1 shared=8*bw*bh
//! variant hillis_steele 1024x1 of scan_add<1> domain=n columns=bw*bh

enum { THREADS = 512, COUNT = 2 * THREADS };  // of a block: powers of two

// Where number i of the block lies: with `is_padded` there is an unused word after every 32.
static __device__ __forceinline__ int place(int i, bool is_padded)
{
    return is_padded ? i + i / 32 : i;
}

// Blelloch's tree. On the way up, every 2nd, 4th, 8th … word gets the sum of as many. Then the root
// becomes 0, and on the way down a node gives that to its left child, and to its right one as well,
// with what is left of it. So each word ends with the sum of all before it.
static __device__ __forceinline__ void scan_tree(int *b, int *sums, const int *a, int n,
                                                 bool is_padded)
{
    const int t = threadIdx.x, first = blockIdx.x * COUNT + t, last = place(COUNT - 1, is_padded);
    const unsigned int own[] = {number(a, n, first), number(a, n, first + THREADS)};
    words[place(t, is_padded)] = own[0];
    words[place(t + THREADS, is_padded)] = own[1];
    for (int step = 1; step < COUNT; step *= 2) {
        const int left = 2 * step * t + step - 1, right = left + step;
        __syncthreads();
        if (right < COUNT) words[place(right, is_padded)] += words[place(left, is_padded)];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = words[last];
        words[last] = 0;
    }
    for (int step = THREADS; step > 0; step /= 2) {
        const int left = 2 * step * t + step - 1, right = left + step;
        __syncthreads();
        if (right >= COUNT) continue;
        const unsigned int sum = words[place(left, is_padded)];
        const unsigned int before = words[place(right, is_padded)];
        words[place(left, is_padded)] = before;
        words[place(right, is_padded)] = before + sum;
    }
    __syncthreads();
    if (first < n) b[first] = words[place(t, is_padded)] + own[0];
    if (first + THREADS < n) b[first + THREADS] = words[place(t + THREADS, is_padded)] + own[1];
}

// A tree of sums takes two additions a number, however large the block is. But the lanes of a warp
// read at a stride of 2, 4, 8 … words, so that as many want the same bank at a time.
//! variant blelloch 512x1 block=fixed domain=n columns=1024 shared=4*1024
__global__ void scan_blelloch(int *b, int *sums, const int *a, int n)
{
    scan_tree(b, sums, a, n, false);
}
//! variant blelloch 512x1 of scan_sums<2> block=fixed domain=1 shared=4*1024
//! variant blelloch 512x1 of scan_add<2> block=fixed domain=n columns=1024

// An unused word after every 32: lanes at any stride of a power of two have banks of their own.
//! variant padded 512x1 block=fixed domain=n columns=1024 shared=4*(1024+1024/32)
__global__ void scan_padded(int *b, int *sums, const int *a, int n)
{
    scan_tree(b, sums, a, n, true);
}
//! variant padded 512x1 of scan_sums<2> block=fixed domain=1 shared=4*1024
//! variant padded 512x1 of scan_add<2> block=fixed domain=n columns=1024

// ---- registers instead of shared memory ----

// Prefix sums over the lanes of a warp.
static __device__ __forceinline__ unsigned int scan_lanes(unsigned int sum)
{
    const int lane = thread_rank() % 32;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const unsigned int other = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += other;
    }
    return sum;
}

// What the warps before this one add up to, if each lane has its sum; and the sum of the block.
static __device__ __forceinline__ unsigned int scan_warps(unsigned int sum, unsigned int *of_block)
{
    __shared__ unsigned int sums[32];
    const int warp = thread_rank() / 32, lane = thread_rank() % 32, warps = num_threads() / 32;
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    const unsigned int up_to = scan_lanes(lane < warps ? sums[lane] : 0);
    *of_block = __shfl_sync(~0u, up_to, 31);
    return __shfl_sync(~0u, up_to, warp) - sum;
}

// The lanes of a warp sum up through shuffles, as Hillis and Steele do. Only the sums of warps meet
// in shared memory, with one barrier instead of twenty.
//! variant shuffle 512x1 multiple_of=32 domain=n columns=bw*bh
__global__ void scan_shuffle(int *b, int *sums, const int *a, int n)
{
    const int i = blockIdx.x * num_threads() + thread_rank();
    unsigned int of_block, sum = scan_lanes(number(a, n, i));
    sum += scan_warps(__shfl_sync(~0u, sum, 31), &of_block);
    if (i < n) b[i] = sum;
    if (thread_rank() == 0) sums[blockIdx.x] = of_block;
}
//! variant shuffle 512x1 of scan_sums<1> domain=1 shared=8*bw*bh
//! variant shuffle 512x1 of scan_add<1> domain=n columns=bw*bh

enum { FOURS = 8, NUMBERS = 4 * FOURS };  // of a thread

// Numbers of a thread in groups of four. A warp's groups lie side by side, one for each lane, and
// its next 32 groups behind them.
struct numbers {
    uint4 four[FOURS];
};

static __device__ __forceinline__ int place_of(int block, int group)
{
    const int warp = block * (num_threads() / 32) + thread_rank() / 32;
    return 32 * NUMBERS * warp + 4 * (32 * group + thread_rank() % 32);
}

static __device__ __forceinline__ struct numbers load(const int *a, int n, int block)
{
    struct numbers own;
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        const int i = place_of(block, k);
        if (i + 3 < n)
            own.four[k] = *(const uint4 *)(a + i);
        else
            own.four[k] = make_uint4(number(a, n, i), number(a, n, i + 1), number(a, n, i + 2), 0);
    }
    return own;
}

static __device__ __forceinline__ uint4 add(uint4 v, unsigned int before)
{
    return make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// Adds `before` to each of the sums and writes them.
static __device__ __forceinline__ void store(int *b, int n, int block, struct numbers own,
                                             unsigned int before)
{
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        const int i = place_of(block, k);
        const uint4 v = add(own.four[k], before);
        if (i + 3 < n) {
            *(uint4 *)(b + i) = v;
            continue;
        }
        if (i < n) b[i] = v.x;
        if (i + 1 < n) b[i + 1] = v.y;
        if (i + 2 < n) b[i + 2] = v.z;
    }
}

// Turns the numbers of a block into prefix sums, but for what the warps before add up to, which it
// returns; and the block's sum.
static __device__ __forceinline__ unsigned int scan_numbers(struct numbers *own,
                                                            unsigned int *of_block)
{
    unsigned int of_warp = 0;
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        uint4 v = own->four[k];
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        const unsigned int up_to = scan_lanes(v.w);
        own->four[k] = add(v, of_warp + up_to - v.w);
        of_warp += __shfl_sync(~0u, up_to, 31);
    }
    return scan_warps(of_warp, of_block);
}

// A thread takes 32 numbers, 16 bytes a load, and adds most of them up by itself: fewer shuffles a
// number, and more bytes on their way at once. But b still moves three times.
//! variant vector 256x1 multiple_of=32 domain=n columns=32*bw*bh
__global__ void scan_vector(int *b, int *sums, const int *a, int n)
{
    struct numbers own = load(a, n, blockIdx.x);
    unsigned int of_block;
    const unsigned int before = scan_numbers(&own, &of_block);
    store(b, n, blockIdx.x, own, before);
    if (thread_rank() == 0) sums[blockIdx.x] = of_block;
}
//! variant vector 256x1 of scan_sums<32> domain=1 shared=8*bw*bh

//! variant vector 256x1 multiple_of=32 domain=n columns=32*bw*bh
__global__ void scan_add_vector(int *b, const int *sums, int n)
{
    if (blockIdx.x == 0) return;
    store(b, n, blockIdx.x, load(b, n, blockIdx.x), sums[blockIdx.x - 1]);
}

// ---- one pass ----
//
// A block can wait for blocks that have started before it, since these run until they end. So
// blocks do not work on the part of their index: they take the next number from a counter. Each
// publishes its own sum as soon as it has it, and the sum of all up to its end as soon as it knows
// what came before. (Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled
// Look-back, 2016.)

// What is known of a part, and that sum, are one word: whoever sees the one sees the other. Each
// word has a line of memory of its own. All warps that wait read the words of the newest parts, and
// if these were neighbours, one slice of the L2 cache would have to serve them all.
enum state { NOTHING, OWN_SUM, SUM_UP_TO };
enum { LINE = 32 };  // words

static __device__ __forceinline__ volatile unsigned long long *word_of(unsigned int *states,
                                                                       int part)
{
    return (volatile unsigned long long *)(states + (part + 1) * LINE);  // behind the counter
}

static __device__ __forceinline__ void publish(unsigned int *states, int part, enum state state,
                                               unsigned int sum)
{
    *word_of(states, part) = (unsigned long long)state << 32 | sum;
}

// What all parts before this one add up to; the lanes of a warp look at 32 of them at a time, lane
// 0 at the last. What came before a sum up to its end need not be there yet.
static __device__ __forceinline__ unsigned int look_back(unsigned int *states, int part)
{
    const int lane = thread_rank() % 32;
    unsigned int before = 0, known = 0;
    for (int at = part - 1 - lane; !known; at -= 32) {
        unsigned long long word;
        unsigned int nothing;
        do {
            word = at >= 0 ? *word_of(states, at) : (unsigned long long)SUM_UP_TO << 32;
            known = __ballot_sync(~0u, word >> 32 == SUM_UP_TO);
            nothing = __ballot_sync(~0u, word >> 32 == NOTHING);
        } while (nothing & (known ? (known & -known) - 1 : ~0u));
        before += !known || lane < __ffs(known) ? (unsigned int)word : 0;
    }
    return __shfl_sync(~0u, scan_lanes(before), 31);
}

// Two of the three passes go: while one warp looks back for what came before, the numbers wait in
// registers. So a is read once and b is written once, as a copy does.
//! variant look_back 256x1 multiple_of=32 domain=32*(n/(32*bw*bh)+2) columns=bw*bh
__global__ void scan_begin(unsigned int *states, int n)
{
    const int i = blockIdx.x * num_threads() + thread_rank();
    if (i < LINE * (n / (NUMBERS * num_threads()) + 2)) states[i] = 0;
}

//! variant look_back 256x1 multiple_of=32 domain=n columns=32*bw*bh order=own
__global__ void scan_look_back(int *b, unsigned int *states, const int *a, int n)
{
    __shared__ unsigned int taken, before;
    if (thread_rank() == 0) taken = atomicAdd(&states[0], 1u);
    __syncthreads();
    const int part = taken;
    struct numbers own = load(a, n, part);
    unsigned int of_block;
    const unsigned int of_warps = scan_numbers(&own, &of_block);
    if (thread_rank() < 32) {
        if (thread_rank() == 0) publish(states, part, part ? OWN_SUM : SUM_UP_TO, of_block);
        const unsigned int sum = part ? look_back(states, part) : 0;
        if (thread_rank() == 0) {
            if (part) publish(states, part, SUM_UP_TO, sum + of_block);
            before = sum;
        }
    }
    __syncthreads();
    store(b, n, part, own, of_warps + before);
}

// What CUB, NVIDIA's collection of parallel algorithms, makes of it: a single pass with look-back.
//! library cub cub::DeviceScan::InclusiveSum(n, a, b)

//! lab "Softmax"
//! param rows     8192 cpu=256 [1, 32768]  rows of a and b
//! param columns  4096 cpu=512 [1, 65536]  columns of a and b
// e^100 is more than a float holds, so that nobody can do without the maximum of a row.
//! array a  in  [rows][columns] noise -100, 100
//! array b  out [rows][columns] shown 0, 1 ramp
// A lane of a warp adds up 128 numbers of 4096. Each addition rounds by up to 6e-8 of the sum: 8e-6
// at the worst. The rest is for the last bits of e^x.
//! tolerance 1e-5 relative
//! goal sectors <= 1.05 copy
//! goal conflicts = 0
//! goal time <= 1.1 copy
#include "lab.h"

extern __shared__ float shared[];  // the block's dynamic shared memory

// e^a[i] by the sum of all e^a[k] of the row, with both divided by e^a[i].
//! reference b
__host__ __device__ double softmax_reference(const float *a, int columns, long long i)
{
    const float *const row = a + i / columns * columns;
    double sum = 0;
    for (int k = 0; k < columns; k++) sum += exp((double)row[k] - a[i]);
    return 1 / sum;
}

// ---- three passes over a row: its maximum, the sum of e^(x - maximum), the quotients ----

// A thread a row: each load of a warp touches 32 lines for 4 bytes of each. Its sum is a double: a
// float would lose too much of so many numbers. On an H200, 35.4 times as long as a device copy.
//! variant naive 256x1 domain=rows columns=bw*bh
__global__ void softmax_naive(float *b, const float *a, int rows, int columns)
{
    const int row = blockIdx.x * num_threads() + thread_rank();
    if (row >= rows) return;
    const float *const from = a + (size_t)row * columns;
    float *const to = b + (size_t)row * columns;
    float most = -INFINITY;
    double sum = 0;
    for (int i = 0; i < columns; i++) most = fmaxf(most, from[i]);
    for (int i = 0; i < columns; i++) sum += expf(from[i] - most);
    const float factor = (float)(1 / sum);
    for (int i = 0; i < columns; i++) to[i] = expf(from[i] - most) * factor;
}

// All threads get the largest of the block's numbers, of which each has one, or their sum.
static __device__ __forceinline__ float reduce_block(float own, bool is_sum)
{
    const int t = thread_rank();
    __syncthreads();  // nobody reads what was here before
    shared[t] = own;
    for (int left = num_threads(), half; left > 1; left = half) {
        half = (left + 1) / 2;
        __syncthreads();
        if (t + half >= left) continue;
        const float other = shared[t + half];
        shared[t] = own = is_sum ? own + other : fmaxf(own, other);
    }
    __syncthreads();
    return shared[0];
}

// A block a row: neighbours read neighbours, and 256 times as many threads work. What they find
// meets in shared memory, twice. a is read three times, mostly from caches: 1.44 copies.
//! variant block 256x1 multiple_of=32 domain=bw*bh*rows columns=bw*bh shared=4*bw*bh
//! compiled runs the ragged turn of an unrolled loop first, by itself
__global__ void softmax_block(float *b, const float *a, int columns)
{
    const float *const from = a + (size_t)blockIdx.x * columns;
    float *const to = b + (size_t)blockIdx.x * columns;
    const int first = thread_rank(), step = num_threads();
    float most = -INFINITY, sum = 0;
    for (int i = first; i < columns; i += step) most = fmaxf(most, from[i]);
    most = reduce_block(most, false);
    for (int i = first; i < columns; i += step) sum += expf(from[i] - most);
    const float factor = 1 / reduce_block(sum, true);
    for (int i = first; i < columns; i += step) to[i] = expf(from[i] - most) * factor;
}

// ---- maximum and sum together ----
//
// The sum of e^(x - most) becomes that of a larger maximum by one factor, e^(most - larger). So one
// pass finds both, and any two parts of a row can be put together. (Milakov and Gimelshein, Online
// normalizer calculation for softmax, 2018.)

// Of some numbers of a row: the maximum, and the sum of e^(x - maximum).
struct part {
    float most, sum;
};

// Of none. The maximum is the lowest float: an infinity less itself would not be a number.
static __device__ __forceinline__ struct part empty_part(void)
{
    return {-3.402823466e38f, 0};
}

// One of the two factors is always 1, so one exponential is enough.
static __device__ __forceinline__ struct part add(struct part p, float x)
{
    const float above = x - p.most, factor = expf(-fabsf(above));
    return {fmaxf(p.most, x), above > 0 ? p.sum * factor + 1 : p.sum + factor};
}

static __device__ __forceinline__ struct part merge(struct part p, struct part q)
{
    const float most = fmaxf(p.most, q.most);
    return {most, p.sum * expf(p.most - most) + q.sum * expf(q.most - most)};
}

// Of every `step`-th number of a row from `first` on.
static __device__ __forceinline__ struct part read_part(const float *from, int columns, int first,
                                                        int step)
{
    struct part p = empty_part();
    for (int i = first; i < columns; i += step) p = add(p, from[i]);
    return p;
}

// Writes as many quotients, if all numbers of the row make this part.
static __device__ __forceinline__ void write_part(float *to, const float *from, int columns,
                                                  int first, int step, struct part whole)
{
    const float factor = 1 / whole.sum;
    for (int i = first; i < columns; i += step) to[i] = expf(from[i] - whole.most) * factor;
}

// All threads get what the block has. Each step's words are others than the step before has read.
static __device__ __forceinline__ struct part merge_threads(struct part p)
{
    const int t = thread_rank();
    float *const most = shared, *const sum = shared + num_threads();
    for (int left = num_threads(), half;; left = half) {
        half = (left + 1) / 2;
        if (t < left) most[t] = p.most;
        if (t < left) sum[t] = p.sum;
        __syncthreads();
        if (left == 1) return {most[0], sum[0]};
        if (t + half < left) p = merge(p, {most[t + half], sum[t + half]});
    }
}

// One pass finds maximum and sum: a is read twice instead of three times, and threads meet once
// instead of twice. 1.34 copies.
//! variant online 256x1 multiple_of=32 domain=bw*bh*rows columns=bw*bh shared=8*bw*bh
//! compiled runs the ragged turn of an unrolled loop first, by itself
__global__ void softmax_online(float *b, const float *a, int columns)
{
    const int t = thread_rank(), threads = num_threads();
    const float *const from = a + (size_t)blockIdx.x * columns;
    const struct part whole = merge_threads(read_part(from, columns, t, threads));
    write_part(b + (size_t)blockIdx.x * columns, from, columns, t, threads, whole);
}

// All lanes get what their warp has.
static __device__ __forceinline__ struct part merge_lanes(struct part p)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        p = merge(p, {__shfl_xor_sync(~0u, p.most, step), __shfl_xor_sync(~0u, p.sum, step)});
    return p;
}

// A warp a row: its lanes exchange registers, and no warp waits for another one. That pays for rows
// of 1024 numbers. 4096 take 2.05 copies: with eight times the rows under way, they leave the L2
// cache before the second pass.
//! variant warp 256x1 multiple_of=32 domain=32*rows columns=bw*bh
//! compiled runs the ragged turn of an unrolled loop first, by itself
__global__ void softmax_warp(float *b, const float *a, int rows, int columns)
{
    const int row = (blockIdx.x * num_threads() + thread_rank()) / 32, lane = thread_rank() % 32;
    if (row >= rows) return;
    const float *const from = a + (size_t)row * columns;
    const struct part whole = merge_lanes(read_part(from, columns, lane, 32));
    write_part(b + (size_t)row * columns, from, columns, lane, 32, whole);
}

// ---- four numbers a load ----
//
// Where the number of columns is not a multiple of 4, rows begin anywhere, and numbers are loaded
// one by one.

static __device__ __forceinline__ struct part add_four(struct part p, float4 v)
{
    const float most = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), p.most);
    return {most, p.sum * expf(p.most - most) + expf(v.x - most) + expf(v.y - most) +
                      expf(v.z - most) + expf(v.w - most)};
}

static __device__ __forceinline__ struct part read_fours(const float *from, int columns, int first,
                                                         int step)
{
    struct part p = empty_part();
    if (columns % 4 != 0) return read_part(from, columns, first, step);
#pragma unroll 4
    for (int i = first; i < columns / 4; i += step) p = add_four(p, ((const float4 *)from)[i]);
    return p;
}

static __device__ __forceinline__ void write_fours(float *to, const float *from, int columns,
                                                   int first, int step, struct part whole)
{
    const float factor = 1 / whole.sum;
    if (columns % 4 != 0) return write_part(to, from, columns, first, step, whole);
#pragma unroll 4
    for (int i = first; i < columns / 4; i += step) {
        const float4 v = ((const float4 *)from)[i];
        ((float4 *)to)[i] =
            make_float4(expf(v.x - whole.most) * factor, expf(v.y - whole.most) * factor,
                        expf(v.z - whole.most) * factor, expf(v.w - whole.most) * factor);
    }
}

// 16 bytes a load: a quarter of the requests, and more bytes on their way at once. Four numbers are
// added to the sum at a time, which takes five exponentials instead of four. 1.63 copies.
//! variant vector 256x1 multiple_of=32 domain=32*rows columns=bw*bh
//! compiled runs the ragged turn of an unrolled loop first, by itself
__global__ void softmax_vector(float *b, const float *a, int rows, int columns)
{
    const int row = (blockIdx.x * num_threads() + thread_rank()) / 32, lane = thread_rank() % 32;
    if (row >= rows) return;
    const float *const from = a + (size_t)row * columns;
    const struct part whole = merge_lanes(read_fours(from, columns, lane, 32));
    write_fours(b + (size_t)row * columns, from, columns, lane, 32, whole);
}

// ---- the row in registers ----

enum { HELD = 16 };  // numbers that a thread keeps

// All threads get what the block has. Each warp merges what the warps have, which takes one barrier
// instead of two.
static __device__ __forceinline__ struct part merge_block(struct part p)
{
    __shared__ float most[32], sum[32];
    const int warp = thread_rank() / 32, lane = thread_rank() % 32, warps = num_threads() / 32;
    p = merge_lanes(p);
    if (lane == 0) most[warp] = p.most;
    if (lane == 0) sum[warp] = p.sum;
    __syncthreads();
    return merge_lanes(lane < warps ? part{most[lane], sum[lane]} : empty_part());
}

// Minus infinity, whose exponential is 0, fills what lies behind the row.
static __device__ __forceinline__ void read_held(float *own, const float *from, int columns)
{
    const int t = thread_rank(), threads = num_threads();
    if (columns % 4 != 0) {
#pragma unroll
        for (int k = 0; k < HELD; k++)
            own[k] = t + k * threads < columns ? from[t + k * threads] : -INFINITY;
        return;
    }
#pragma unroll
    for (int k = 0; k < HELD; k += 4) {
        const int i = 4 * t + k * threads;
        float4 v = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        if (i < columns) v = *(const float4 *)(from + i);
        own[k] = v.x;
        own[k + 1] = v.y;
        own[k + 2] = v.z;
        own[k + 3] = v.w;
    }
}

static __device__ __forceinline__ void write_held(float *to, const float *own, int columns,
                                                  float factor)
{
    const int t = thread_rank(), threads = num_threads();
    if (columns % 4 != 0) {
#pragma unroll
        for (int k = 0; k < HELD; k++)
            if (t + k * threads < columns) to[t + k * threads] = own[k] * factor;
        return;
    }
#pragma unroll
    for (int k = 0; k < HELD; k += 4) {
        const int i = 4 * t + k * threads;
        if (i < columns)
            *(float4 *)(to + i) = make_float4(own[k] * factor, own[k + 1] * factor,
                                              own[k + 2] * factor, own[k + 3] * factor);
    }
}

// A block a row, which its threads keep in registers: a is read once and b is written once, with
// one exponential a number. 1.04 copies. Rows of more than 16 numbers a thread are read twice.
//! variant registers 256x1 multiple_of=32 domain=bw*bh*rows columns=bw*bh
__global__ void softmax_registers(float *b, const float *a, int columns)
{
    const int t = thread_rank(), threads = num_threads();
    const float *const from = a + (size_t)blockIdx.x * columns;
    float *const to = b + (size_t)blockIdx.x * columns;
    if (columns > HELD * threads) {
        const struct part whole = merge_block(read_fours(from, columns, t, threads));
        write_fours(to, from, columns, t, threads, whole);
        return;
    }
    float own[HELD];
    struct part p = empty_part();
    read_held(own, from, columns);
#pragma unroll
    for (int k = 0; k < HELD; k++) p.most = fmaxf(p.most, own[k]);
#pragma unroll
    for (int k = 0; k < HELD; k++) p.sum += own[k] = expf(own[k] - p.most);
    const struct part whole = merge_block(p);
    write_held(to, own, columns, expf(p.most - whole.most) / whole.sum);
}

//! lab "Matrix product" key X
//! param n  1024 cpu=128 [1, 8192]  rows and columns of each matrix
// Whole numbers this small stay exact in floats, whatever the order in which they are added.
//! array a  in  [n][n] noise 0, 15
//! array b  in  [n][n] noise 0, 15
//! array c  out [n][n] shown 0, 112 * n ramp
//! goal sectors <= 1.7 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// c = a b: the products of a row of a with a column of b, added up.
//! reference c
__host__ __device__ double matmul_reference(const float *a, const float *b, int n, long long i)
{
    const long long row = i / n, column = i % n;
    double sum = 0;
    for (int k = 0; k < n; k++) sum += (double)a[row * n + k] * b[(long long)k * n + column];
    return sum;
}

// One thread an element; neighbouring threads compute neighbouring rows, so the lanes of a warp
// read a at a stride of n, a sector each: 0.50 TFLOP/s at n = 4096. (This, column and vector are of
// an H100, all other figures of an H200, where cuBLAS reaches 51.)
//! variant uncoalesced 32x8 domain=n, n
__global__ void matmul_uncoalesced(float *c, const float *a, const float *b, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum = fmaf(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

// Coalesced: neighbouring threads compute neighbouring columns, so that a warp reads one number of
// a and 32 neighbours of b. 6.1 TFLOP/s: each product still takes two loads.
//! variant naive 32x8
__global__ void matmul_naive(float *c, const float *a, const float *b, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum = fmaf(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

// Element (row, column) of a matrix, or zero outside.
static __device__ __forceinline__ float element(const float *m, int n, int row, int column)
{
    return row < n && column < n ? m[row * n + column] : 0;
}

// A block stages tiles of 32 x 32 of a and b in shared memory: each number is loaded from global
// memory once for 32 products. 8.9 TFLOP/s: both factors of a product come from shared memory.
//! variant shared 32x32 block=fixed
//! compiled merges neighbouring loads from the tile
__global__ void matmul_shared(float *c, const float *a, const float *b, int n)
{
    __shared__ float a_tile[32][32], b_tile[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        a_tile[y][x] = element(a, n, row, k0 + x);
        b_tile[y][x] = element(b, n, k0 + y, column);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++) sum = fmaf(a_tile[y][k], b_tile[k][x], sum);
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

// A thread computes 8 elements of a column in registers: a number of b that it reads from shared
// memory serves 8 products. 17.5 TFLOP/s.
//! variant column 64x8 block=fixed columns=64 rows=64
//! compiled merges neighbouring loads from the tile
__global__ void matmul_column(float *c, const float *a, const float *b, int n)
{
    __shared__ float a_tile[64][8], b_tile[8][64];
    const int x = threadIdx.x, y = threadIdx.y, t = y * 64 + x;
    const int column = blockIdx.x * 64 + x, top = blockIdx.y * 64;
    float sum[8] = {0};
    for (int k0 = 0; k0 < n; k0 += 8) {
        a_tile[t / 8][t % 8] = element(a, n, top + t / 8, k0 + t % 8);
        b_tile[y][x] = element(b, n, k0 + y, column);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float from_b = b_tile[k][x];
#pragma unroll
            for (int i = 0; i < 8; i++) sum[i] = fmaf(a_tile[y * 8 + i][k], from_b, sum[i]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++) {
        const int row = top + y * 8 + i;
        if (row < n && column < n) c[row * n + column] = sum[i];
    }
}

// The variants below step through k this far at a time.
enum { DEPTH = 16 };

// A thread computes 8 x 8 elements: 16 numbers from shared memory serve 64 products.
// a is staged transposed, in padded rows, so that its stores cause no bank conflicts.
// 25.8 TFLOP/s.
//! variant registers 8x8 block=fixed columns=64 rows=64
//! compiled merges neighbouring loads from the tile
__global__ void matmul_registers(float *c, const float *a, const float *b, int n)
{
    __shared__ float a_tile[DEPTH][64 + 2], b_tile[DEPTH][64];
    const int x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
    const int left = blockIdx.x * 64, top = blockIdx.y * 64;
    float sum[8][8] = {{0}};
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
        for (int i = t; i < 64 * DEPTH; i += 64) {
            a_tile[i % DEPTH][i / DEPTH] = element(a, n, top + i / DEPTH, k0 + i % DEPTH);
            b_tile[i / 64][i % 64] = element(b, n, k0 + i / 64, left + i % 64);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] = fmaf(a_tile[k][y + 8 * i], b_tile[k][x + 8 * j], sum[i][j]);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int row = top + y + 8 * i, column = left + x + 8 * j;
            if (row < n && column < n) c[row * n + column] = sum[i][j];
        }
}

// Four neighbours in a row, or zeros outside. Rows begin at a multiple of 16 bytes only where n is
// one of 4.
static __device__ __forceinline__ float4 load_four(const float *m, int n, int row, int column)
{
    const float4 none = {0, 0, 0, 0};
    if (row >= n || column >= n) return none;
    if (n % 4 == 0) return *(const float4 *)(m + row * n + column);
    return make_float4(m[row * n + column], element(m, n, row, column + 1),
                       element(m, n, row, column + 2), element(m, n, row, column + 3));
}

static __device__ __forceinline__ void store_four(float *m, int n, int row, int column,
                                                  const float *from)
{
    if (row >= n || column >= n) return;
    float *const to = m + row * n + column;
    if (n % 4 == 0)
        *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
    else
        for (int j = 0; j < min(4, n - column); j++) to[j] = from[j];
}

static __device__ __forceinline__ void unpack(float *to, const float *from)
{
    const float4 four = *(const float4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

// The numbers that a thread carries from global to shared memory for one step.
struct share {
    float4 a[4], b[4];
};

// The block has `side` threads and computes side x side elements from row `top` and column `left`.
static __device__ __forceinline__ struct share load_step(const float *a, const float *b, int n,
                                                         int side, int top, int left, int k0)
{
    struct share next;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int at = threadIdx.x + side * i;
        next.a[i] = load_four(a, n, top + at / 4, k0 + at % 4 * 4);
        next.b[i] = load_four(b, n, k0 + at / (side / 4), left + at % (side / 4) * 4);
    }
    return next;
}

// Element (row, k) of the step's part of a goes to a[k * (side + 4) + row].
static __device__ __forceinline__ void stage_step(float *a, float *b, int side, struct share next)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int at = threadIdx.x + side * i, pitch = side + 4;
        float *const to = a + at % 4 * 4 * pitch + at / 4;
        to[0] = next.a[i].x;
        to[pitch] = next.a[i].y;
        to[2 * pitch] = next.a[i].z;
        to[3 * pitch] = next.a[i].w;
        *(float4 *)(b + at * 4) = next.b[i];
    }
}

// Where a thread works. It computes side/8 x 8 elements, in groups of 4 x 4: rows y, y + 16 … and
// columns x, x + 32 of the tile. So the lanes of a warp read 4 fours of a, and 8 of b, at a time.
struct place {
    int left, top, x, y;
};

static __device__ __forceinline__ struct place place_of(int side)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = side / 64;
    const struct place at = {(int)blockIdx.x * side, (int)blockIdx.y * side,
                             warp % across * 64 + lane % 8 * 4,
                             warp / across * (side / 2) + lane / 8 * 4};
    return at;
}

static __device__ __forceinline__ void multiply_step(float (*sum)[8], const float *a,
                                                     const float *b, int side, struct place at)
{
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        float from_a[16], from_b[8];
#pragma unroll
        for (int i = 0; i < side / 8; i += 4) unpack(from_a + i, a + k * (side + 4) + at.y + 4 * i);
        unpack(from_b, b + k * side + at.x);
        unpack(from_b + 4, b + k * side + at.x + 32);
#pragma unroll
        for (int i = 0; i < side / 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) sum[i][j] = fmaf(from_a[i], from_b[j], sum[i][j]);
    }
}

static __device__ __forceinline__ void store_sums(float *c, int n, int side, struct place at,
                                                  const float (*sum)[8])
{
#pragma unroll
    for (int i = 0; i < side / 8; i++) {
        const int row = at.top + at.y + i % 4 + i / 4 * 16;
        store_four(c, n, row, at.left + at.x, sum[i]);
        store_four(c, n, row, at.left + at.x + 32, sum[i] + 4);
    }
}

// All loads and stores are of 16 bytes, so that a quarter of the instructions does. 40.1 TFLOP/s.
//! variant vector 64x1 block=fixed columns=64 rows=64 shared=64*(2*64 + 4)
__global__ void matmul_vector(float *c, const float *a, const float *b, int n)
{
    const struct place at = place_of(64);
    float *const a_tile = (float *)tile, *const b_tile = a_tile + DEPTH * (64 + 4);
    float sum[8][8] = {{0}};
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
        stage_step(a_tile, b_tile, 64, load_step(a, b, n, 64, at.top, at.left, k0));
        __syncthreads();
        multiply_step(sum, a_tile, b_tile, 64, at);
        __syncthreads();
    }
    store_sums(c, n, 64, at, sum);
}

// The next step's numbers are on their way, in registers, while this one's are multiplied. They go
// to the other of two pairs of tiles, so a step has one barrier.
static __device__ __forceinline__ void multiply(float *c, const float *a, const float *b, int n,
                                                int side)
{
    const struct place at = place_of(side);
    float *const a_tile = (float *)tile, *const b_tile = a_tile + 2 * DEPTH * (side + 4);
    float sum[16][8] = {{0}};
    struct share next = load_step(a, b, n, side, at.top, at.left, 0);
    for (int k0 = 0, now = 0; k0 < n; k0 += DEPTH, now ^= 1) {
        float *const a_now = a_tile + now * DEPTH * (side + 4);
        float *const b_now = b_tile + now * DEPTH * side;
        stage_step(a_now, b_now, side, next);
        __syncthreads();
        next = load_step(a, b, n, side, at.top, at.left, k0 + DEPTH);
        multiply_step(sum, a_now, b_now, side, at);
    }
    store_sums(c, n, side, at, sum);
}

// Double buffering: loads and products overlap. 44.3 TFLOP/s.
//! variant buffered 64x1 block=fixed columns=64 rows=64 shared=128*(2*64 + 4)
__global__ void matmul_buffered(float *c, const float *a, const float *b, int n)
{
    multiply(c, a, b, n, 64);
}

// 16 x 8 elements a thread: 24 numbers from shared memory serve 128 products. 47.6 TFLOP/s, 92 % of
// cuBLAS. With n = 1024 its 64 blocks leave half of the GPU idle: twice buffered's time.
//! variant wide 128x1 block=fixed columns=128 rows=128 shared=128*(2*128 + 4)
__global__ void matmul_wide(float *c, const float *a, const float *b, int n)
{
    multiply(c, a, b, n, 128);
}

// What NVIDIA's library of linear algebra makes of it, in floats.
//! library cublas cublasSgemm(n, a, b, c)

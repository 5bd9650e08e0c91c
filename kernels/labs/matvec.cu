//! lab "Matrix times vector" key V
//! param rows     4096 cpu=512 [1, 32768]  rows of a, numbers of y
//! param columns  4096 cpu=512 [1, 32768]  columns of a, numbers of x
// Whole numbers this small stay exact in floats, whatever the order in which they are added.
//! array a  in      [rows][columns] noise -15, 15
//! array x  in      [columns] noise -15, 15
//! array y  out     [rows] shown -16384, 16384 signed
//! array t  scratch [columns][rows]
//! goal sectors <= 2.1 copy
//! goal conflicts = 0
//! goal time <= 1.4 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// y = a x: the products of row i of a with x, added up.
//! reference y
__host__ __device__ double matvec_reference(const float *a, const float *x, int columns,
                                            long long i)
{
    double sum = 0;
    for (int j = 0; j < columns; j++) sum += (double)a[i * columns + j] * x[j];
    return sum;
}

// One thread a row: each load of a warp touches 32 lines of memory for 4 bytes of each. On an H200,
// 4096 x 4096 take 17.6 times as long as a device copy of as many bytes.
//! variant naive 128x1 columns=bw*bh
__global__ void matvec_naive(float *y, const float *a, const float *x, int rows, int columns)
{
    const int row = blockIdx.x * num_threads() + thread_rank();
    if (row >= rows) return;
    const float *const own = a + (size_t)row * columns;
    float sum = 0;
    for (int j = 0; j < columns; j++) sum = fmaf(own[j], x[j], sum);
    y[row] = sum;
}

// The same, but a is stored by columns (transposed beforehand, untimed): neighbours now read
// neighbours. 14.2 copies: a thread a row is few threads, too few to keep memory busy.
//! variant columns 128x1 columns=bw*bh prepare=matvec_turn
__global__ void matvec_columns(float *y, const float *t, const float *x, int rows, int columns)
{
    const int row = blockIdx.x * num_threads() + thread_rank();
    if (row >= rows) return;
    float sum = 0;
    for (int j = 0; j < columns; j++) sum = fmaf(t[(size_t)j * rows + row], x[j], sum);
    y[row] = sum;
}

//! untimed 32x8 domain=rows, columns
__global__ void matvec_turn(float *t, const float *a, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        t[(size_t)column * rows + row] = a[(size_t)row * columns + column];
}

// The block stages x in shared memory, as many numbers at a time as it has threads. It buys
// nothing, since all lanes want the same number at a time, which the L1 cache serves as well; but
// threads wait at barriers. 15.7 copies.
//! variant shared 128x1 columns=bw*bh shared=4*bw*bh prepare=matvec_turn
//! compiled merges neighbouring loads of the staged x
__global__ void matvec_shared(float *y, const float *t, const float *x, int rows, int columns)
{
    float *const staged = (float *)tile;
    const int row = blockIdx.x * num_threads() + thread_rank();
    const float *next = t + min(row, rows - 1);
    float sum = 0;
    for (int left = 0; left < columns; left += num_threads()) {
        const int count = min(num_threads(), columns - left);
        __syncthreads();
        if (thread_rank() < count) staged[thread_rank()] = x[left + thread_rank()];
        __syncthreads();
        for (int j = 0; j < count; j++) {
            sum = fmaf(*next, staged[j], sum);
            next += rows;
        }
    }
    if (row < rows) y[row] = sum;
}

// Lane 0 gets the sum of its warp.
static __device__ __forceinline__ float add_lanes(float sum)
{
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    return sum;
}

// A warp a row, of a as it is: neighbouring lanes read neighbouring columns, and there are 32
// times as many threads. 1.17 copies.
//! variant warp 256x1 multiple_of=32 domain=32*rows columns=bw*bh
//! compiled runs the ragged turn of an unrolled loop first, by itself
__global__ void matvec_warp(float *y, const float *a, const float *x, int rows, int columns)
{
    const int row = (blockIdx.x * num_threads() + thread_rank()) / 32, lane = thread_rank() % 32;
    if (row >= rows) return;
    const float *const own = a + (size_t)row * columns;
    float sum = 0;
    for (int j = lane; j < columns; j += 32) sum = fmaf(own[j], x[j], sum);
    sum = add_lanes(sum);
    if (lane == 0) y[row] = sum;
}

static __device__ __forceinline__ float add_products(float4 a, float4 x, float sum)
{
    return fmaf(a.x, x.x, fmaf(a.y, x.y, fmaf(a.z, x.z, fmaf(a.w, x.w, sum))));
}

// 16 bytes a load. 1.06 copies. Where the number of columns is not a multiple of 4, rows begin
// anywhere, and the loop over the rest does the whole row as `warp` does.
//! variant vector 256x1 multiple_of=32 domain=32*rows columns=bw*bh
//! compiled runs the ragged turn of an unrolled loop first, by itself
__global__ void matvec_vector(float *y, const float *a, const float *x, int rows, int columns)
{
    const int row = (blockIdx.x * num_threads() + thread_rank()) / 32, lane = thread_rank() % 32;
    if (row >= rows) return;
    const float *const own = a + (size_t)row * columns;
    const int fours = columns % 4 == 0 ? columns / 4 : 0;
    float sum = 0;
#pragma unroll 8
    for (int j = lane; j < fours; j += 32)
        sum = add_products(((const float4 *)own)[j], ((const float4 *)x)[j], sum);
    for (int j = 4 * fours + lane; j < columns; j += 32) sum = fmaf(own[j], x[j], sum);
    sum = add_lanes(sum);
    if (lane == 0) y[row] = sum;
}

// A block a row: the loads of a row start together, and short blocks end one by one, so that the
// next ones' loads fill the gaps. 1.01 copies; of 16384 x 16384 0.97, with memory busy to 94 % of
// its peak.
//! variant block 256x1 block=fixed domain=256*rows
__global__ void matvec_block(float *y, const float *a, const float *x, int columns)
{
    __shared__ float sums[8];
    const int row = blockIdx.x, t = threadIdx.x;
    const float *const own = a + (size_t)row * columns;
    const int fours = columns % 4 == 0 ? columns / 4 : 0;
    float sum = 0;
#pragma unroll 4
    for (int j = t; j < fours; j += 256)
        sum = add_products(((const float4 *)own)[j], ((const float4 *)x)[j], sum);
    for (int j = 4 * fours + t; j < columns; j += 256) sum = fmaf(own[j], x[j], sum);
    sum = add_lanes(sum);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    if (t >= 32) return;
    sum = add_lanes(t < 8 ? sums[t] : 0);
    if (t == 0) y[row] = sum;
}

// What NVIDIA's library of linear algebra makes of it.
//! library cublas cublasSgemv(rows, columns, a, x, y)

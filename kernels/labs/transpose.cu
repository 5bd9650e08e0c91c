//! lab "Transpose" key T
//! param rows     4096 cpu=512 [1, 32768]  rows of a
//! param columns  4096 cpu=512 [1, 32768]  columns of a
//! array a  in      [rows][columns] letter 0, 255
//! array b  out     [columns][rows] shown 0, 255
//! array t  scratch [columns][rows]
//! goal sectors <= 1.05 copy
//! goal conflicts = 0
//! goal time <= 1.2 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// Element i of b, slowly and obviously.
//! reference b
__host__ __device__ double transpose_reference(const float *a, int rows, int columns, long long i)
{
    return a[i % rows * columns + i / rows];
}

// What `copy` copies: t is already the transpose.
//! untimed 32x8
__global__ void transpose_prepare(float *t, const float *a, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < rows && y < columns) t[y * rows + x] = a[x * columns + y];
}

// No transpose, but the floor below it: t, transposed beforehand, is copied to b, 16 bytes a
// thread. Ratios below are to a device copy on an H200, at 4096 x 4096 ... 16384 x 16384.
//! variant copy 256x1 each=4x1 domain=rows*columns prepare=transpose_prepare level=floor
__global__ void transpose_copy(float *b, const float *t, int rows, int columns)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x), count = rows * columns;
    if (threadIdx.y > 0) return;
    if (first + 3 < count)
        *(float4 *)(b + first) = *(const float4 *)(t + first);
    else
        for (int i = first; i < count; i++) b[i] = t[i];
}

// One thread an element. A warp reads one line of a, along a row, and writes its words into 32
// lines of b, down a column: 7.3 ... 8.4.
//! variant write_columns 32x8 domain=columns, rows
__global__ void transpose_write_columns(float *b, const float *a, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) b[x * rows + y] = a[y * columns + x];
}

// The other way round: reads go down a column and writes along a row. The caches keep the lines
// that were read until the neighbouring warps have used the rest of them: 2.4 ... 2.5.
//! variant read_columns 32x8
__global__ void transpose_read_columns(float *b, const float *a, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < rows && y < columns) b[y * rows + x] = a[x * columns + y];
}

// ---- a square of a turned in shared memory ----

enum { SIDE = 32, STEP = 8 };  // of the square; rows that the block moves at once

// Where the square's word (row, column) lies. A column of the plain square is in one bank only; a
// word more a row, or another order within each row, spreads it over all 32.
enum layout { PLAIN, PADDED, SWIZZLED };

static __device__ __forceinline__ int place(int row, int column, enum layout layout)
{
    if (layout == PADDED) return row * (SIDE + 1) + column;
    return row * SIDE + (layout == SWIZZLED ? column ^ row : column);
}

static __device__ __forceinline__ void turn_square(float *b, const float *a, int rows, int columns,
                                                   enum layout layout)
{
    float *const square = (float *)tile;
    const int left = blockIdx.y * SIDE, top = blockIdx.x * SIDE, x = threadIdx.x;
    for (int y = threadIdx.y; y < SIDE; y += STEP)
        if (top + y < rows && left + x < columns)
            square[place(y, x, layout)] = a[(top + y) * columns + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE; y += STEP)
        if (left + y < columns && top + x < rows)
            b[(left + y) * rows + top + x] = square[place(x, y, layout)];
}

// Both ways along rows: the block reads a square's rows into shared memory and writes its columns.
// But the 32 words of such a column lie in one bank, and a warp gets them one by one: 2.5 ... 2.6,
// no better than read_columns.
//! variant shared 32x8 each=1x4 block=fixed shared=4*32*32
__global__ void transpose_shared(float *b, const float *a, int rows, int columns)
{
    turn_square(b, a, rows, columns, PLAIN);
}

// An unused word at the end of each row of the square: a column's words are in 32 banks now.
// 1.09 ... 1.16.
//! variant padded 32x8 each=1x4 block=fixed shared=4*32*33
__global__ void transpose_padded(float *b, const float *a, int rows, int columns)
{
    turn_square(b, a, rows, columns, PADDED);
}

// No word is wasted: row r keeps its columns in the order c ^ r, which has no conflicts either.
// 1.07 ... 1.15.
//! variant swizzled 32x8 each=1x4 block=fixed shared=4*32*32
__global__ void transpose_swizzled(float *b, const float *a, int rows, int columns)
{
    turn_square(b, a, rows, columns, SWIZZLED);
}

// ---- 16 bytes at a time ----

enum { WIDE = 64, FOURS = WIDE / 4 };  // the square's side, in words and in groups of four

// Four words of row y from column x on, or as many as the row has.
static __device__ __forceinline__ float4 load_four(const float *words, int x, int y, int width,
                                                   int height)
{
    const float *const from = words + y * width + x;
    if (y >= height || x >= width) return make_float4(0, 0, 0, 0);
    if (width % 4 == 0) return *(const float4 *)from;
    return make_float4(from[0], x + 1 < width ? from[1] : 0, x + 2 < width ? from[2] : 0,
                       x + 3 < width ? from[3] : 0);
}

static __device__ __forceinline__ void store_four(float *words, int x, int y, int width, int height,
                                                  float4 four)
{
    float *const to = words + y * width + x;
    if (y >= height || x >= width) return;
    if (width % 4 == 0) {
        *(float4 *)to = four;
        return;
    }
    to[0] = four.x;
    if (x + 1 < width) to[1] = four.y;
    if (x + 2 < width) to[2] = four.z;
    if (x + 3 < width) to[3] = four.w;
}

// A thread reads 4 x 4 words, turns them in its registers, and moves them on 16 bytes at a time, so
// that more bytes are on their way at once: 1.02. In shared memory, the rows 4 g ... 4 g + 3 of
// column c lie together at place g ^ c / 4.
//! variant vector 16x16 each=4x4 block=fixed shared=4*64*64
//! compiled merges the loads from the tile at ragged edges
__global__ void transpose_vector(float *b, const float *a, int rows, int columns)
{
    float4 *const fours = (float4 *)tile;
    const int left = blockIdx.y * WIDE, top = blockIdx.x * WIDE;
    const int tx = threadIdx.x, ty = threadIdx.y, x = left + 4 * tx, y = top + 4 * ty;
    const float4 r0 = load_four(a, x, y, columns, rows);
    const float4 r1 = load_four(a, x, y + 1, columns, rows);
    const float4 r2 = load_four(a, x, y + 2, columns, rows);
    const float4 r3 = load_four(a, x, y + 3, columns, rows);
    float4 *const column = fours + 4 * tx * FOURS + (ty ^ tx);
    column[0 * FOURS] = make_float4(r0.x, r1.x, r2.x, r3.x);
    column[1 * FOURS] = make_float4(r0.y, r1.y, r2.y, r3.y);
    column[2 * FOURS] = make_float4(r0.z, r1.z, r2.z, r3.z);
    column[3 * FOURS] = make_float4(r0.w, r1.w, r2.w, r3.w);
    __syncthreads();
    for (int c = ty; c < WIDE; c += FOURS)
        store_four(b, top + 4 * tx, left + c, rows, columns, fours[c * FOURS + (tx ^ c / 4)]);
}

// What NVIDIA's library of linear algebra makes of it: 1 times the transpose of a, plus 0 times b.
//! library cublas cublasSgeam(rows, columns, a, b)

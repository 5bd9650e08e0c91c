//! filter "Mean" key m
//! param radius  3 [0, 64]  pixels on each side of the centre
//! goal sectors <= 2 copy
//! goal time <= 2 copy
#include "kernel.h"
#include "march.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// The window's mean, rounded half up.
//! reference out
__host__ __device__ int mean_reference(plane in, int radius, int x, int y)
{
    const int side = 2 * radius + 1, area = side * side;
    int sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += load(in, x + dx, y + dy);
    return (2 * sum + area) / (2 * area);
}

// The window's sum over its area, rounded half up.
__device__ unsigned char mean_of(unsigned int sum, int radius)
{
    const unsigned int area = (2 * radius + 1) * (2 * radius + 1);
    return (unsigned char)((sum + area / 2) / area);
}

// One thread per pixel, every tap straight from global memory: (2r+1)^2 loads a pixel,
// nearly all of them served by the caches.
//! variant naive 32x8
__global__ void mean_naive(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += load(in, x + dx, y + dy);
    out.pixels[y * out.pitch + x] = mean_of(sum, radius);
}

// The same taps through the texture unit: clamping costs no instruction, but the unit answers
// fewer requests a cycle than the L1 cache does. On an H200, 2.6 ... 5.7 times naive's time.
//! variant texture 32x8
__global__ void mean_texture(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += fetch(in, x + dx, y + dy);
    out.pixels[y * out.pitch + x] = mean_of(sum, radius);
}

// The block first copies its pixels and a halo of r around them into shared memory, then reads
// only that: global loads a pixel fall from (2r+1)^2 to (bw+2r)(bh+2r) / (bw*bh). It loses up to
// r = 2; it is 1.2 times as fast as naive at r = 4, 2.4 times at 64.
//! variant shared 32x8 shared=(bw + 2*radius) * (bh + 2*radius)
__global__ void mean_shared(plane out, plane in, int radius)
{
    const int tile_width = blockDim.x + 2 * radius, tile_height = blockDim.y + 2 * radius;
    const int left = blockIdx.x * blockDim.x - radius, top = blockIdx.y * blockDim.y - radius;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
            tile[ty * tile_width + tx] = (unsigned char)load(in, left + tx, top + ty);
    __syncthreads();  // the whole tile is there; no thread may have left before this line

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const unsigned char *row = tile + threadIdx.y * tile_width + threadIdx.x;
    unsigned int sum = 0;
    for (int dy = 0; dy <= 2 * radius; dy++, row += tile_width)
        for (int dx = 0; dx <= 2 * radius; dx++) sum += row[dx];
    out.pixels[y * out.pitch + x] = mean_of(sum, radius);
}

// One pass adds along the rows, the next along the columns of its sums: 2(2r+1) taps instead of
// (2r+1)^2, for a word a pixel that goes to scratch and back. Both passes stage what they read.
// From r = 4 on it beats shared; at 64 it is forty times as fast.
//! variant separable 32x8 shared=(bw + 2*radius) * bh
__global__ void mean_separable_rows(plane out, plane in, unsigned int *scratch, int radius)
{
    const int row_width = blockDim.x + 2 * radius;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int left = blockIdx.x * blockDim.x - radius;
    unsigned char *const row = tile + threadIdx.y * row_width;
    for (int tx = threadIdx.x; tx < row_width; tx += blockDim.x)
        row[tx] = (unsigned char)load(in, left + tx, y);
    __syncthreads();
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = 0;
    for (int dx = 0; dx <= 2 * radius; dx++) sum += row[threadIdx.x + dx];
    scratch[y * in.width + x] = sum;
}

// The columns. Sums of a row reach 129 * 255, so each takes four bytes of shared memory.
//! variant separable 32x8 shared=4 * bw * (bh + 2*radius)
__global__ void mean_separable_columns(plane out, plane in, unsigned int *scratch, int radius)
{
    const int tile_height = blockDim.y + 2 * radius;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int top = blockIdx.y * blockDim.y - radius;
    unsigned int *const column = (unsigned int *)tile + threadIdx.x;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        column[ty * blockDim.x] =
            scratch[clamp(top + ty, 0, in.height - 1) * in.width + min(x, in.width - 1)];
    __syncthreads();
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = 0;
    for (int dy = 0; dy <= 2 * radius; dy++) sum += column[(threadIdx.y + dy) * blockDim.x];
    out.pixels[y * out.pitch + x] = mean_of(sum, radius);
}

// Running sums (march.h): each step, down the columns and then along the rows, adds what enters
// the window and subtracts what leaves. The cost hardly depends on the radius: at r = 16 on an
// H200, 1.4 copies, where naive takes 358. docs/ladder.md has its eleven versions.
//! variant running 64x1 block=fixed columns=march_columns rows=march_rows level=expert
//! compiled merges loads of the tile
__global__ void mean_running(plane out, plane in, int radius)
{
    march(out, in, radius, MARCH_MEAN, 0);
}

// What NVIDIA's library of image processing makes of it, a call for each plane. It rounds
// otherwise.
//! library npp nppiFilterBoxBorder_8u_C1R_Ctx(radius) tolerance=1

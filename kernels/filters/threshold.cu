//! filter "Threshold" key y
//! param radius  3 [0, 64]  pixels on each side of the centre
//! param c       5 [-128, 127]  how far below the mean a pixel is black already
//! goal sectors <= 2.6 copy
//! goal time <= 2 copy
#include "kernel.h"
#include "march.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// White where the pixel is brighter than the window's mean less c.
//! reference out
__host__ __device__ int threshold_reference(plane in, int radius, int c, int x, int y)
{
    const int side = 2 * radius + 1;
    double sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += load(in, x + dx, y + dy);
    return load(in, x, y) > sum / (side * side) - c ? 255 : 0;
}

// The same without the division: sum - c * area < pixel * area.
__device__ unsigned char threshold_of(int sum, int radius, int c, int pixel)
{
    const int area = (2 * radius + 1) * (2 * radius + 1);
    return sum - c * area < pixel * area ? 255 : 0;
}

// One thread per pixel, every tap straight from global memory: (2r+1)^2 loads a pixel,
// nearly all of them served by the caches.
//! variant naive 32x8
__global__ void threshold_naive(plane out, plane in, int radius, int c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    int sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += load(in, x + dx, y + dy);
    out.pixels[y * out.pitch + x] = threshold_of(sum, radius, c, load(in, x, y));
}

// The common first version: the same taps through the texture unit, which clamps at no cost
// but answers fewer requests a cycle than the L1 cache does.
//! variant texture 32x8
__global__ void threshold_texture(plane out, plane in, int radius, int c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    int sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += fetch(in, x + dx, y + dy);
    out.pixels[y * out.pitch + x] = threshold_of(sum, radius, c, fetch(in, x, y));
}

// The block first copies its pixels and a halo of r around them into shared memory, then
// reads only that: global loads a pixel fall from (2r+1)^2 to (bw+2r)(bh+2r) / (bw*bh).
//! variant shared 32x4 shared=(bw + 2*radius) * (bh + 2*radius)
__global__ void threshold_shared(plane out, plane in, int radius, int c)
{
    const int tile_width = blockDim.x + 2 * radius, tile_height = blockDim.y + 2 * radius;
    const int left = blockIdx.x * blockDim.x - radius, top = blockIdx.y * blockDim.y - radius;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
            tile[ty * tile_width + tx] = (unsigned char)load(in, left + tx, top + ty);
    __syncthreads();

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const unsigned char *const window = tile + threadIdx.y * tile_width + threadIdx.x;
    int sum = 0;
    for (int dy = 0; dy <= 2 * radius; dy++)
        for (int dx = 0; dx <= 2 * radius; dx++) sum += window[dy * tile_width + dx];
    const int pixel = window[radius * tile_width + radius];
    out.pixels[y * out.pitch + x] = threshold_of(sum, radius, c, pixel);
}

// Running sums (march.h), as in mean, without separable in between. A sum begins at -c * area and
// loses pixel * area, so that its sign is the answer. At r = 16 on an H200, 1.5 copies.
//! variant running 64x1 block=fixed columns=march_columns rows=march_rows level=expert
//! compiled merges accesses of the tile, and runs ragged turns of loops first
__global__ void threshold_running(plane out, plane in, int radius, int c)
{
    march(out, in, radius, MARCH_THRESHOLD, c);
}

// What NVIDIA's library of image processing makes of it, a call for each plane.
//! library npp nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx(radius, c)

//! filter "Threshold" key y
//! goal sectors <= 2.6 copy
//! goal time <= 2 copy
#include "kernel.h"
#include "march.h"

struct params {
    int radius;  //! 3 [0, 64] pixels on each side of the centre
    int c;       //! 5 [-128, 127] how far below the mean a pixel is black already
};

// White where the pixel is brighter than the window's mean less c.
REFERENCE(out)
{
    const int side = 2 * p.radius + 1;
    double sum = 0;
    for (int dy = -p.radius; dy <= p.radius; dy++)
        for (int dx = -p.radius; dx <= p.radius; dx++) sum += load(in, x + dx, y + dy);
    return load(in, x, y) > sum / (side * side) - p.c ? 255 : 0;
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
KERNEL(threshold_naive)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    int sum = 0;
    for (int dy = -p.radius; dy <= p.radius; dy++)
        for (int dx = -p.radius; dx <= p.radius; dx++) sum += load(in, x + dx, y + dy);
    out.pixels[y * out.pitch + x] = threshold_of(sum, p.radius, p.c, load(in, x, y));
}

// The common first version: the same taps through the texture unit, which clamps at no cost
// but answers fewer requests a cycle than the L1 cache does.
//! variant texture 32x8
KERNEL(threshold_texture)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    int sum = 0;
    for (int dy = -p.radius; dy <= p.radius; dy++)
        for (int dx = -p.radius; dx <= p.radius; dx++) sum += fetch(in, x + dx, y + dy);
    out.pixels[y * out.pitch + x] = threshold_of(sum, p.radius, p.c, fetch(in, x, y));
}

// The block first copies its pixels and a halo of r around them into shared memory, then
// reads only that: global loads a pixel fall from (2r+1)^2 to (bw+2r)(bh+2r) / (bw*bh).
//! variant shared 32x4 shared=(bw + 2*radius) * (bh + 2*radius)
KERNEL(threshold_shared)
{
    const int tile_width = blockDim.x + 2 * p.radius, tile_height = blockDim.y + 2 * p.radius;
    const int left = blockIdx.x * blockDim.x - p.radius, top = blockIdx.y * blockDim.y - p.radius;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
            tile[ty * tile_width + tx] = (unsigned char)load(in, left + tx, top + ty);
    __syncthreads();

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const unsigned char *const window = tile + threadIdx.y * tile_width + threadIdx.x;
    int sum = 0;
    for (int dy = 0; dy <= 2 * p.radius; dy++)
        for (int dx = 0; dx <= 2 * p.radius; dx++) sum += window[dy * tile_width + dx];
    const int pixel = window[p.radius * tile_width + p.radius];
    out.pixels[y * out.pitch + x] = threshold_of(sum, p.radius, p.c, pixel);
}

// Running sums (march.h), as in mean, without separable in between. A sum begins at -c * area and
// loses pixel * area, so that its sign is the answer. At r = 16 on an H200, 1.5 copies.
//! variant running 64x1 block=fixed columns=march_columns rows=march_rows level=expert
//! compiled merges accesses of the tile, and runs ragged turns of loops first
KERNEL(threshold_running)
{
    march(out, in, p.radius, MARCH_THRESHOLD, p.c);
}

// What NVIDIA's library of image processing makes of it, a call for each plane.
//! library npp nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx(radius, c)

//! filter "Invert" key e
//! goal sectors <= 1.05 copy
//! goal time <= 1.1 copy
#include "kernel.h"

// The pixel's complement.
//! reference out
__host__ __device__ int invert_reference(plane in, int x, int y)
{
    return 255 - load(in, x, y);
}

// One thread per pixel, one byte read, one written: a warp asks for 32 bytes at a time
// where it could ask for 512.
//! variant naive 32x8
__global__ void invert_naive(plane out, plane in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    out.pixels[y * out.pitch + x] = (unsigned char)(255 - in.pixels[y * in.pitch + x]);
}

// Sixteen pixels a thread, as one 16-byte word: a sixteenth of the instructions for the
// same bytes. Rows start 16-aligned and are padded, so the last word may run past the width.
//! variant vector 32x8 each=16x1
__global__ void invert_vector(plane out, plane in)
{
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    uint4 pixels = *(const uint4 *)(in.pixels + y * in.pitch + x);
    pixels.x = ~pixels.x;  // 255 - p is p with every bit flipped
    pixels.y = ~pixels.y;
    pixels.z = ~pixels.z;
    pixels.w = ~pixels.w;
    *(uint4 *)(out.pixels + y * out.pitch + x) = pixels;
}

// rgb24.h -- colour pictures of packed pixels. A variant with `prepare=pack finish=unpack` sees the
// whole picture in `in` and `out`, not a plane of it:
//
//     row 0:  r g b r g b ... r g b | 0 to 3 bytes of padding, which may be written
//     row 1:  ...                     width  pixels
//                                     pitch  bytes, 3 width rounded up to a multiple of 4
//
// Rows are 4-aligned, so a word holds parts of two pixels, and four pixels are three words. load()
// and fetch() are not for them. Everywhere else pictures are planar: the two kernels here convert,
// before and after what is timed. To them the packed picture is three planes, a byte apart.
#ifndef RGB24_H
#define RGB24_H

#include "kernel.h"

// A picture of 32768 x 32768 pixels has more bytes than an int can count.
static __device__ __forceinline__ unsigned char *rgb24_row(plane picture, int y)
{
    return picture.pixels + (long)y * picture.pitch;
}

//! untimed 32x8 planes=3 pitch=(3*width + 3) / 4 * 4
__global__ void pack(plane out, plane in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < in.width && y < in.height) rgb24_row(out, y)[3 * x] = rgb24_row(in, y)[x];
}

//! untimed 32x8
__global__ void unpack(plane out, plane in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < in.width && y < in.height) rgb24_row(out, y)[x] = rgb24_row(in, y)[3 * x];
}

#endif

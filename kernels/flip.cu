//! filter "Flip" key w
#include "kernel.h"

struct params {
    int axis;  //! x [x, y, both] what is mirrored: left and right, top and bottom, or both
};

enum { AXIS_X, AXIS_Y, AXIS_BOTH };

__device__ int mirrored_row(struct plane in, int axis, int y)
{
    return axis == AXIS_X ? y : in.height - 1 - y;
}

// One thread per pixel. A warp that is mirrored reads its 32 bytes from the last to the first,
// which costs nothing: they lie in the same sectors.
//! variant naive 32x8
KERNEL(flip_naive)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const int from = p.axis == AXIS_Y ? x : in.width - 1 - x;
    out.pixels[y * out.pitch + x] = in.pixels[mirrored_row(in, p.axis, y) * in.pitch + from];
}

// The block reads its pixels in their order into shared memory and mirrors there. It buys
// nothing for bytes, which the naive reads in whole sectors as well, and costs a barrier.
//! variant shared 32x8 shared=bw * bh
KERNEL(flip_shared)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int left = blockIdx.x * blockDim.x, width = blockDim.x;
    const int first = p.axis == AXIS_Y ? left : in.width - left - width;  // of what the block reads
    const int from = first + threadIdx.x;
    unsigned char *const row = tile + threadIdx.y * width;
    if (from >= 0 && from < in.width && y < in.height)
        row[threadIdx.x] = in.pixels[mirrored_row(in, p.axis, y) * in.pitch + from];
    __syncthreads();

    if (x >= out.width || y >= out.height) return;
    out.pixels[y * out.pitch + x] =
        row[p.axis == AXIS_Y ? (int)threadIdx.x : width - 1 - (int)threadIdx.x];
}

// The words from `words` on, and in each of them the bytes from `bytes` on, mirrored: the other
// words and bytes of low and high fall out.
__device__ uint4 mirrored_part(uint4 low, uint4 high, int words, int bytes)
{
    const int two = words & 2, one = words & 1;
    const unsigned int a = two ? low.z : low.x, b = two ? low.w : low.y, c = two ? high.x : low.z,
                       d = two ? high.y : low.w, e = two ? high.z : high.x,
                       f = two ? high.w : high.y;
    const unsigned int selector = 0x0123 + 0x1111 * bytes;
    return make_uint4(__byte_perm(one ? e : d, one ? f : e, selector),
                      __byte_perm(one ? d : c, one ? e : d, selector),
                      __byte_perm(one ? c : b, one ? d : c, selector),
                      __byte_perm(one ? b : a, one ? c : b, selector));
}

// Sixteen pixels a thread. The mirrored ones straddle two 16-byte words unless the width is a
// multiple of 16: both are read, aligned, and 4 byte permutations cut and mirror what is wanted.
//! variant vector 32x8 each=16x1
KERNEL(flip_vector)
{
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const unsigned char *row = in.pixels + mirrored_row(in, p.axis, y) * in.pitch;
    uint4 *const to = (uint4 *)(out.pixels + y * out.pitch + x);
    if (p.axis == AXIS_Y) {
        *to = *(const uint4 *)(row + x);
        return;
    }
    const int first = in.width - 16 - x;  // negative at the right edge: padding is written there
    const int shift = first & 15, low_at = first - shift;
    uint4 low = make_uint4(0, 0, 0, 0), high = low;
    if (low_at >= 0) low = *(const uint4 *)(row + low_at);
    if (shift > 0) high = *(const uint4 *)(row + low_at + 16);
    *to = mirrored_part(low, high, shift / 4, shift % 4);
}

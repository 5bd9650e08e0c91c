//! filter "Flip" key w
//! param axis  x [x, y, both]  what is mirrored: left and right, top and bottom, or both
//! goal sectors <= 1.05 copy
//! goal time <= 1.1 copy
#include "kernel.h"
#include "rgb24.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

enum { AXIS_X, AXIS_Y, AXIS_BOTH };

// The pixel that is seen at (x, y).
//! reference out
__host__ __device__ int flip_reference(plane in, int axis, int x, int y)
{
    if (axis != AXIS_Y) x = in.width - 1 - x;
    if (axis != AXIS_X) y = in.height - 1 - y;
    return load(in, x, y);
}

__device__ int mirrored_row(plane in, int axis, int y)
{
    return axis == AXIS_X ? y : in.height - 1 - y;
}

// One thread per pixel. A warp that is mirrored reads its 32 bytes from the last to the first,
// which costs nothing: they lie in the same sectors.
//! variant naive 32x8
__global__ void flip_naive(plane out, plane in, int axis)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const int from = axis == AXIS_Y ? x : in.width - 1 - x;
    out.pixels[y * out.pitch + x] = in.pixels[mirrored_row(in, axis, y) * in.pitch + from];
}

// The block reads its pixels in their order into shared memory and mirrors there. It buys
// nothing for bytes, which naive reads in whole sectors as well, and costs a barrier.
//! variant shared 32x8 shared=bw * bh
__global__ void flip_shared(plane out, plane in, int axis)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int left = blockIdx.x * blockDim.x, width = blockDim.x;
    const int first = axis == AXIS_Y ? left : in.width - left - width;  // of what the block reads
    const int from = first + threadIdx.x;
    unsigned char *const row = tile + threadIdx.y * width;
    if (from >= 0 && from < in.width && y < in.height)
        row[threadIdx.x] = in.pixels[mirrored_row(in, axis, y) * in.pitch + from];
    __syncthreads();

    if (x >= out.width || y >= out.height) return;
    out.pixels[y * out.pitch + x] =
        row[axis == AXIS_Y ? (int)threadIdx.x : width - 1 - (int)threadIdx.x];
}

// The sixteen bytes of low and high that begin at word `words` and, in it, at byte `bytes`,
// mirrored.
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
// multiple of 16: both are read, and 4 byte permutations cut and mirror. As fast as a device copy.
//! variant vector 32x8 each=16x1
__global__ void flip_vector(plane out, plane in, int axis)
{
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const unsigned char *row = in.pixels + mirrored_row(in, axis, y) * in.pitch;
    uint4 *const to = (uint4 *)(out.pixels + y * out.pitch + x);
    if (axis == AXIS_Y) {
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

// ---- packed pixels ----

// One thread per pixel, now of three bytes: a warp takes three loads and three stores for the 96
// bytes that one of each could move. 1.3 copies on an H200: less than a plane at a time (2.5).
//! variant naive_rgb24 32x8 prepare=pack finish=unpack
__global__ void flip_naive_rgb24(plane out, plane in, int axis)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    const unsigned char *const row = rgb24_row(in, mirrored_row(in, axis, y));
    const unsigned char *const from = row + 3 * (axis == AXIS_Y ? x : in.width - 1 - x);
    unsigned char *const to = rgb24_row(out, y) + 3 * x;
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
}

// Byte `at` of a row of `pixels` pixels, mirrored: where it is in the row.
__device__ int mirrored_byte(int at, int pixels)
{
    return 3 * (pixels - 1 - at / 3) + at % 3;
}

// Whole words go through shared memory: a warp's bytes need one load and one store instead of six.
// The mirroring is left to single bytes there, and a quarter of the threads idle: 1.6 copies on an
// H200, so it costs more than it buys.
//! variant shared_rgb24 32x8 order=own shared=(3*bw+4)*bh multiple_of=4 prepare=pack finish=unpack
__global__ void flip_shared_rgb24(plane out, plane in, int axis)
{
    const int thread = threadIdx.x, width = blockDim.x, words = 3 * width / 4;
    const int left = blockIdx.x * width, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = 3 * (axis == AXIS_Y ? left : in.width - left - width);  // byte of the row
    const int shift = first & 3, at = first - shift + 4 * thread;  // aligned, so one word more
    unsigned char *const staged = tile + threadIdx.y * (3 * width + 4);
    if (y < in.height && thread <= words && at >= 0 && at < in.pitch)
        *(unsigned int *)(staged + 4 * thread) =
            *(const unsigned int *)(rgb24_row(in, mirrored_row(in, axis, y)) + at);
    __syncthreads();

    const int to = 3 * left + 4 * thread;
    if (y >= out.height || thread >= words || to >= out.pitch) return;
    unsigned int word = 0;
    for (int i = 3; i >= 0; i--) {
        const int byte = 4 * thread + i;
        word = word << 8 | staged[shift + (axis == AXIS_Y ? byte : mirrored_byte(byte, width))];
    }
    *(unsigned int *)(rgb24_row(out, y) + to) = word;
}

// Word k of a mirrored row. It begins with byte k % 3 of pixel k + k / 3. The pixel that this one
// mirrors, and that one's left neighbour, are six bytes in two or three words of the row:
//
//     byte   0 1 2   3 4 5        k % 3 == 0 wants   3 4 5  0
//            r g b   r g b                 1           4 5  0 1
//             left   pixel                 2             5  0 1 2
__device__ unsigned int mirrored_word(const unsigned int *row, int width, int k)
{
    const int first = 3 * (width - 2 - k - k / 3);  // byte of the row; -3 where there is no left
    const int word = first >> 2, shift = 8 * (first & 3);
    const unsigned int middle = row[word + 1];
    const unsigned int low = __funnelshift_r(row[max(word, 0)], middle, shift);
    const unsigned int high = __funnelshift_r(middle, row[(first + 5) >> 2], shift);
    return __byte_perm(low, high, k % 3 == 0 ? 0x0543 : k % 3 == 1 ? 0x1054 : 0x2105);
}

// Three words a thread, four pixels' worth, and no barrier: two shifts and a permutation make a
// word from the two or three where its bytes lie. They are read again, but from L1, and a warp
// writes 128 bytes at once: as fast as a device copy on an H200.
//! variant words_rgb24 32x8 each=4x1 prepare=pack finish=unpack
__global__ void flip_words_rgb24(plane out, plane in, int axis)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = blockIdx.x * 3 * blockDim.x + threadIdx.x;
    if (y >= out.height) return;

    const unsigned int *const row = (const unsigned int *)rgb24_row(in, mirrored_row(in, axis, y));
    unsigned int *const to = (unsigned int *)rgb24_row(out, y);
    for (int i = 0; i < 3; i++) {
        const int k = first + i * (int)blockDim.x;
        if (4 * k < out.pitch) to[k] = axis == AXIS_Y ? row[k] : mirrored_word(row, in.width, k);
    }
}

// kernel.h -- the contract of the files in filters/: kernels over pictures.
//
// A kernel sees one plane of a picture, a grey image of 8-bit pixels, whatever the picture is: it
// is launched once for all planes, and KERNEL() steps to the plane of its block. Its body may use
//
//     out, in   struct plane, of one size; write out, read in. in is the same in every pass
//     scratch   one unsigned int a pixel of the plane, row after row, kept from pass to pass
//     weights   2 radius + 1 ints in global memory, the centre's at [radius], where the file says
//               `//! weights gaussian`; __constant__ int constant_weights[129] holds the same
//     tile      the block's dynamic shared memory, as many bytes as its `shared=` says, 16-aligned
//     p         the file's struct params; its ints are literals while the user has `unroll` on
//
// Reads outside the picture return the nearest pixel of its edge: load() and fetch() do that.
//
// REFERENCE(out) is the pixel (x, y) of the plane, slowly and obviously, and returns 0 ... 255. Its
// body may use in, weights, p, x and y. Every variant must equal it to the bit.
//
// The same text is compiled for the GPU (by NVRTC) and as C11 for the CPU (cuda_words.h lists what
// there is). So: C that is also CUDA C, no templates, no references, no include but this
// folder's headers, and `unsigned char`, `unsigned int` rather than the names of stdint.h.
#ifndef KERNEL_H
#define KERNEL_H

#include "common.h"

struct plane {
    unsigned char *pixels;       // row after row, top first
    int width, height;           // pixels
    int pitch;                   // bytes from a row to the next, a multiple of 16
    unsigned long long texture;  // the same pixels for the texture unit; of `in` only
};

// Where a pixel is.
static __device__ __forceinline__ const unsigned char *pixel_at(struct plane in, int x, int y)
{
    const unsigned char *row = in.pixels + clamp(y, 0, in.height - 1) * in.pitch;
    const unsigned int column = clamp(x, 0, in.width - 1);  // unsigned: no sign to extend
    return row + column;
}

// A pixel through global memory.
static __device__ __forceinline__ int load(struct plane in, int x, int y)
{
    return *pixel_at(in, x, y);
}

// The same pixel through the texture unit, which clamps in hardware.
static __device__ __forceinline__ int fetch(struct plane in, int x, int y)
{
#ifdef __CUDACC__
    return tex2D<unsigned char>(in.texture, x + 0.5f, y + 0.5f);
#else
    return EMULATOR_FETCH(pixel_at(in, x, y));
#endif
}

// sum += a b, by the 32 lanes of a warp together, on the tensor cores: a is 16 rows of 32 bytes, b
// 32 rows of 8, sum 16 rows of 8 words. Of them a lane holds, with group = lane / 4 and member =
// lane % 4,
//
//     a.x, a.y   rows group and group + 8, columns 4 member + 0 1 2 3; a.z, a.w   16 columns on
//     b0         column group, rows 4 member + 0 1 2 3;                b1         16 rows on
//     x, y       row group, columns 2 member + 0 1 of sum;             z, w       8 rows on
#ifdef __CUDACC__
static __device__ __forceinline__ void mma_8x8(unsigned int a, unsigned int b, unsigned int *x,
                                               unsigned int *y)
{
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(*x), "+r"(*y)
                 : "r"(a), "r"(b));
}

static __device__ __forceinline__ uint4 mma_bytes(uint4 a, unsigned int b0, unsigned int b1,
                                                  uint4 sum)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sum.x), "+r"(sum.y), "+r"(sum.z), "+r"(sum.w)
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
#else
    mma_8x8(a.x, b0, &sum.x, &sum.y);
    mma_8x8(a.z, b1, &sum.x, &sum.y);
    mma_8x8(a.y, b0, &sum.z, &sum.w);
    mma_8x8(a.w, b1, &sum.z, &sum.w);
#endif
    return sum;
}
#else
EMULATOR_UNSEEN static inline unsigned int emulator_dot(const unsigned char *a,
                                                        const unsigned char *b)
{
    unsigned int sum = 0;
    for (int i = 0; i < 32; i++) sum += (unsigned int)a[i] * b[i];
    return sum;
}

EMULATOR_UNSEEN static inline void emulator_mma(const uint4 *a, unsigned int b0, unsigned int b1,
                                                uint4 *sum)
{
    struct matrices {
        unsigned int a[16][8], b[8][8];  // rows of a, columns of b
    };
    static _Thread_local struct matrices warps[1024 / 32];
    const unsigned int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const unsigned int group = thread % 32 / 4, member = thread % 4;
    struct matrices *const warp = &warps[thread / 32];
    warp->a[group][member] = a->x;
    warp->a[group + 8][member] = a->y;
    warp->a[group][member + 4] = a->z;
    warp->a[group + 8][member + 4] = a->w;
    warp->b[group][member] = b0;
    warp->b[group][member + 4] = b1;
    __syncwarp();
    const unsigned char *const row = (const unsigned char *)warp->a[group];
    const unsigned char *const column = (const unsigned char *)warp->b[2 * member];
    sum->x += emulator_dot(row, column);
    sum->y += emulator_dot(row, column + 32);
    sum->z += emulator_dot(row + 8 * 32, column);
    sum->w += emulator_dot(row + 8 * 32, column + 32);
    __syncwarp();
}

// What is passed by its value is read here, where it is logged.
static __device__ __forceinline__ uint4 mma_bytes(uint4 a, unsigned int b0, unsigned int b1,
                                                  uint4 sum)
{
    emulator_mma(&a, b0, b1, &sum);
    return sum;
}
#endif

// ---- below: how a kernel is reached from the host ----

// All planes of a picture, as the program passes them.
struct planes {
    unsigned char *pixels;
    int width, height, pitch, count;
    unsigned long plane_bytes;
};

struct textures {
    unsigned long long plane[3];
};

static __device__ __forceinline__ struct plane plane_of(struct planes all, int z,
                                                        unsigned long long texture)
{
    // Chosen, not computed: a product here would be done again for every pixel that a kernel reads.
    unsigned char *pixels = z == 0   ? all.pixels
                            : z == 1 ? all.pixels + all.plane_bytes
                                     : all.pixels + 2 * all.plane_bytes;
    struct plane one = {pixels, all.width, all.height, all.pitch, texture};
    return one;
}

static __device__ __forceinline__ unsigned int *scratch_of(unsigned int *all, struct planes in,
                                                           int z)
{
    return all ? all + (unsigned long)z * in.width * in.height : all;
}

#define KERNEL_BODY(name)                                                                          \
    static __device__ __forceinline__ void name##_plane(struct plane out, struct plane in,         \
                                                        unsigned int *scratch, const int *weights, \
                                                        struct params p)

#define REFERENCE_BODY(name)                                                         \
    static __device__ int reference_##name##_at(struct plane in, const int *weights, \
                                                struct params p, int x, int y)

#ifdef __CUDACC__

#define KERNEL(name)                                                                        \
    KERNEL_BODY(name);                                                                      \
    extern "C" __global__ void name(struct planes out, struct planes in, struct textures t, \
                                    unsigned int *scratch, const int *weights,              \
                                    struct params given)                                    \
    {                                                                                       \
        const struct params p = PARAMS;                                                     \
        const int z = blockIdx.z;                                                           \
        name##_plane(plane_of(out, z, 0),                                                   \
                     plane_of(in, z,                                                        \
                              z == 0   ? t.plane[0]                                         \
                              : z == 1 ? t.plane[1]                                         \
                                       : t.plane[2]),                                       \
                     scratch_of(scratch, in, z), weights, p);                               \
    }                                                                                       \
    KERNEL_BODY(name)

#define REFERENCE(name) REFERENCE_BODY(name)

#else

// The emulator calls name() once for a block; it runs the block's threads one after the other.
#define KERNEL(name)                                                                      \
    KERNEL_BODY(name);                                                                    \
    EMULATOR_EXPORT void name(const struct emulator_args *args);                          \
    void name(const struct emulator_args *args)                                           \
    {                                                                                     \
        const int z = (int)blockIdx.z;                                                    \
        const struct planes from = *(const struct planes *)args->in;                      \
        const struct plane out = plane_of(*(const struct planes *)args->out, z, 0);       \
        const struct plane in = plane_of(from, z, 0);                                     \
        unsigned int *const scratch = scratch_of((unsigned int *)args->scratch, from, z); \
        const int *const weights = (const int *)args->weights;                            \
        const struct params given = *(const struct params *)args->params;                 \
        const struct params p = PARAMS;                                                   \
        while (emulator_next_thread()) name##_plane(out, in, scratch, weights, p);        \
    }                                                                                     \
    KERNEL_BODY(name)

// A filter's arrays in host memory, as a REFERENCE is given them.
struct reference_arrays {
    const struct planes *in;
    void *out, *scratch;
    const int *weights;
};

// Pixels are numbered by planes, rows and columns.
#define REFERENCE(name)                                                                           \
    REFERENCE_BODY(name);                                                                         \
    EMULATOR_EXPORT double reference_##name(const void *arrays, const void *params, long long i); \
    double reference_##name(const void *arrays, const void *params, long long i)                  \
    {                                                                                             \
        const struct reference_arrays d = *(const struct reference_arrays *)arrays;               \
        const long long row = i / d.in->width;                                                    \
        return reference_##name##_at(plane_of(*d.in, (int)(row / d.in->height), 0), d.weights,    \
                                     *(const struct params *)params, (int)(i % d.in->width),      \
                                     (int)(row % d.in->height));                                  \
    }                                                                                             \
    REFERENCE_BODY(name)

#endif
#endif

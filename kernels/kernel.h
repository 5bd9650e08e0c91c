// kernel.h -- what the kernels of filters/ share: they work on pictures.
//
// A kernel sees one plane of a picture, a grey image of 8-bit pixels, whatever the picture is: it
// is launched once for all planes. It takes, by these names and in any order,
//
//     plane out, plane in      of one size; write out, read in. in is the same in every pass
//     unsigned int *scratch    a word a pixel of the plane, row after row, kept from pass to pass
//     const int *weights       2 radius + 1, the centre's at [radius], where the file says
//                              `//! weights gaussian`; `__constant__ int constant_weights[129]`
//                              holds the same
//     the file's params        int or float; ints are literals while the user has `unroll` on
//
// Reads outside the picture return the nearest pixel of its edge: load() and fetch() do that. The
// reference is given int x, int y, too, and returns that pixel, slowly and obviously.
//
// The same text is compiled for the GPU (by NVRTC) and as C++17 for the CPU (cuda_words.h lists
// what there is): no exceptions, no RTTI, no standard library.
#ifndef KERNEL_H
#define KERNEL_H

struct plane {
    unsigned char *pixels;       // row after row, top first
    int width, height;           // pixels
    int pitch;                   // bytes from a row to the next, a multiple of 16
    unsigned long long texture;  // the same pixels for the texture unit; of `in` only
};

static __host__ __device__ __forceinline__ int clamp(int value, int low, int high)
{
    return min(max(value, low), high);
}

// Where a pixel is.
static __host__ __device__ __forceinline__ const unsigned char *pixel_at(struct plane in, int x,
                                                                         int y)
{
    const unsigned char *row = in.pixels + clamp(y, 0, in.height - 1) * in.pitch;
    const unsigned int column = clamp(x, 0, in.width - 1);  // unsigned: no sign to extend
    return row + column;
}

// A pixel through global memory.
static __host__ __device__ __forceinline__ int load(struct plane in, int x, int y)
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
    static __thread struct matrices warps[1024 / 32];
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

#endif

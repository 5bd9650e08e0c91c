// mma.h -- nvcuda::wmma: products of 16x16 matrices of half, summed in float, by the lanes of a warp
// together. On a GPU the tensor cores compute them; on a CPU each lane computes half a row, and the
// last bits differ. nvcc takes NVIDIA's header, which has other shapes and types, too.
#ifndef MMA_H
#define MMA_H

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include_next <mma.h>
#else
#include "cuda_fp16.h"

#define WMMA_INLINE static __device__ __forceinline__

namespace nvcuda::wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

// What a lane has of a matrix. A GPU's lanes hold each half of a and b twice.
template <class use, int m, int n, int k, class type, class layout = void> struct fragment {
    static_assert(m == 16 && n == 16 && k == 16, "mma.h has the shape 16, 16, 16");
#ifdef __CUDACC__
    enum { num_elements = 32 / sizeof(type) };
#else
    enum { num_elements = 8 };
#endif
    alignas(16) type x[num_elements];
};
#define WMMA_PART(use, layout) fragment<use, 16, 16, 16, half, layout>
#define WMMA_SUM               fragment<accumulator, 16, 16, 16, float>

template <class use, class type, class layout>
WMMA_INLINE void fill_fragment(fragment<use, 16, 16, 16, type, layout> &to, float value)
{
    for (int i = 0; i < to.num_elements; i++) to.x[i] = value;
}

#ifdef __CUDACC__

#define WMMA_WORDS(of) of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7]
#define WMMA_EIGHT(kind, of)                                                                     \
    kind(of[0]), kind(of[1]), kind(of[2]), kind(of[3]), kind(of[4]), kind(of[5]), kind(of[6]), \
        kind(of[7])
#define WMMA_LOAD(use, letter, layout, word)                                                     \
    WMMA_INLINE void load_matrix_sync(WMMA_PART(use, layout) & to, const half *from, unsigned apart) \
    {                                                                                            \
        unsigned int *const r = (unsigned int *)to.x;                                            \
        asm volatile("wmma.load." letter ".sync.aligned." word                                   \
                     ".m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                \
                     : WMMA_EIGHT("=r", r)                                                       \
                     : "l"(from), "r"(apart)                                                     \
                     : "memory");                                                                \
    }
WMMA_LOAD(matrix_a, "a", row_major, "row")
WMMA_LOAD(matrix_a, "a", col_major, "col")
WMMA_LOAD(matrix_b, "b", row_major, "row")
WMMA_LOAD(matrix_b, "b", col_major, "col")

#define WMMA_MMA(of_a, of_b, words)                                                              \
    WMMA_INLINE void mma_sync(WMMA_SUM &to, const WMMA_PART(matrix_a, of_a) & a,                 \
                              const WMMA_PART(matrix_b, of_b) & b, const WMMA_SUM &c)            \
    {                                                                                            \
        const unsigned int *const p = (const unsigned int *)a.x;                                 \
        const unsigned int *const q = (const unsigned int *)b.x;                                 \
        asm volatile("wmma.mma.sync.aligned." words                                              \
                     ".m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "                     \
                     "{%8, %9, %10, %11, %12, %13, %14, %15}, "                                  \
                     "{%16, %17, %18, %19, %20, %21, %22, %23}, "                                \
                     "{%24, %25, %26, %27, %28, %29, %30, %31};"                                 \
                     : WMMA_EIGHT("=f", to.x)                                                    \
                     : WMMA_EIGHT("r", p), WMMA_EIGHT("r", q), WMMA_EIGHT("f", c.x));            \
    }
WMMA_MMA(row_major, row_major, "row.row")
WMMA_MMA(row_major, col_major, "row.col")
WMMA_MMA(col_major, row_major, "col.row")
WMMA_MMA(col_major, col_major, "col.col")

#define WMMA_LOAD_SUM(word)                                                          \
    asm volatile("wmma.load.c.sync.aligned." word                                    \
                 ".m16n16k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"        \
                 : WMMA_EIGHT("=f", to.x)                                            \
                 : "l"(from), "r"(apart)                                             \
                 : "memory")
WMMA_INLINE void load_matrix_sync(WMMA_SUM &to, const float *from, unsigned apart, layout_t layout)
{
    if (layout == mem_row_major)
        WMMA_LOAD_SUM("row");
    else
        WMMA_LOAD_SUM("col");
}

#define WMMA_STORE_SUM(word)                                                         \
    asm volatile("wmma.store.d.sync.aligned." word                                   \
                 ".m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"        \
                 :                                                                   \
                 : "l"(to), WMMA_EIGHT("f", from.x), "r"(apart)                      \
                 : "memory")
WMMA_INLINE void store_matrix_sync(float *to, const WMMA_SUM &from, unsigned apart, layout_t layout)
{
    if (layout == mem_row_major)
        WMMA_STORE_SUM("row");
    else
        WMMA_STORE_SUM("col");
}

#else

WMMA_INLINE int thread_of()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// Lane 2 * row + side has the elements of that row from column 8 * side on.
WMMA_INLINE int lane_of()
{
    return thread_of() % 32;
}

template <class layout> struct is_row_major {
    enum { value = 1 };
};
template <> struct is_row_major<col_major> {
    enum { value = 0 };
};

template <class use, class type, class layout>
WMMA_INLINE void load_lane(fragment<use, 16, 16, 16, type, layout> &to, const type *from,
                           unsigned apart, bool is_by_rows)
{
    const int row = lane_of() / 2, column = lane_of() % 2 * 8;
    for (int i = 0; i < 8; i++)
        to.x[i] = is_by_rows ? from[row * apart + column + i] : from[(column + i) * apart + row];
    __syncwarp();
}

template <class use, class layout>
WMMA_INLINE void load_matrix_sync(WMMA_PART(use, layout) & to, const half *from, unsigned apart)
{
    load_lane(to, from, apart, is_row_major<layout>::value);
}

WMMA_INLINE void load_matrix_sync(WMMA_SUM &to, const float *from, unsigned apart, layout_t layout)
{
    load_lane(to, from, apart, layout == mem_row_major);
}

WMMA_INLINE void store_matrix_sync(float *to, const WMMA_SUM &from, unsigned apart, layout_t layout)
{
    const int row = lane_of() / 2, column = lane_of() % 2 * 8;
    for (int i = 0; i < 8; i++)
        to[layout == mem_row_major ? row * apart + column + i : (column + i) * apart + row] =
            from.x[i];
    __syncwarp();
}

// The lanes' parts of a warp. sum: of the calling lane, whose products are added.
EMULATOR_UNSEEN static inline void add_products(const half *a, const half *b, float *sum)
{
    struct parts {
        half a[16][16], b[16][16];
    };
    static __thread struct parts warps[1024 / 32];
    struct parts *const warp = &warps[thread_of() / 32];
    const int row = lane_of() / 2, column = lane_of() % 2 * 8;
    for (int i = 0; i < 8; i++) {
        warp->a[row][column + i] = a[i];
        warp->b[row][column + i] = b[i];
    }
    __syncwarp();
    for (int i = 0; i < 8; i++) {
        double all = sum[i];
        for (int k = 0; k < 16; k++)
            all += (double)(float)warp->a[row][k] * (double)(float)warp->b[k][column + i];
        sum[i] = (float)all;
    }
    __syncwarp();
}

template <class of_a, class of_b>
WMMA_INLINE void mma_sync(WMMA_SUM &to, const WMMA_PART(matrix_a, of_a) & a,
                          const WMMA_PART(matrix_b, of_b) & b, const WMMA_SUM &c)
{
    WMMA_SUM sum = c;
    add_products(a.x, b.x, sum.x);
    to = sum;
}

#endif
} // namespace nvcuda::wmma

#endif
#endif

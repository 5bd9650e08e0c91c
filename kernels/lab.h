// lab.h -- the contract of the files in labs/: kernels over arrays.
//
// A kernel's body may use
//
//     d      the file's struct arrays: pointers to the arrays, which do not overlap
//     p      the file's struct params; its ints are literals while the user has `unroll` on
//     tile   the block's dynamic shared memory, as many bytes as its `shared=` says, 16-aligned
//     thread_rank(), num_threads()   for kernels that take blocks of any shape
//
// Arrays begin 512-aligned. `in` arrays are filled before the first launch and are only read; `out`
// and `scratch` arrays hold rubbish before each launch. Nothing is padded: reads and writes stay
// inside the array.
//
// REFERENCE(b) is element i of the out array b, slowly and obviously. It returns a double, which
// holds every value of the types that arrays have. Every variant must equal it to the bit.
//
// What kernel.h says of the language holds here, too: C that is also CUDA C.
#ifndef LAB_H
#define LAB_H

#include "common.h"

// The thread's number in its block, row after row, and how many threads that has.
static __device__ __forceinline__ int thread_rank(void)
{
    return threadIdx.y * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ int num_threads(void)
{
    return blockDim.x * blockDim.y;
}

#define KERNEL_BODY(name) \
    static __device__ __forceinline__ void name##_body(struct arrays d, struct params p)

#define REFERENCE_BODY(array) \
    static __device__ double reference_##array##_at(struct arrays d, struct params p, long long i)

// ---- below: how a kernel is reached from the host ----

#ifdef __CUDACC__

#define KERNEL(name)                                                      \
    KERNEL_BODY(name);                                                    \
    extern "C" __global__ void name(struct arrays d, struct params given) \
    {                                                                     \
        const struct params p = PARAMS;                                   \
        name##_body(d, p);                                                \
    }                                                                     \
    KERNEL_BODY(name)

#define REFERENCE(array) REFERENCE_BODY(array)

// A kernel of the program's own, over any array.
#define LAB_KERNEL(name)                                                       \
    static __device__ __forceinline__ void name##_body(struct lab_task t);     \
    extern "C" __global__ void name(struct lab_none unused, struct lab_task t) \
    {                                                                          \
        name##_body(t);                                                        \
    }                                                                          \
    static __device__ __forceinline__ void name##_body(struct lab_task t)

#else

#define KERNEL(name)                                                      \
    KERNEL_BODY(name);                                                    \
    EMULATOR_EXPORT void name(const struct emulator_args *args);          \
    void name(const struct emulator_args *args)                           \
    {                                                                     \
        const struct arrays d = *(const struct arrays *)args->arrays;     \
        const struct params given = *(const struct params *)args->params; \
        const struct params p = PARAMS;                                   \
        while (emulator_next_thread()) name##_body(d, p);                 \
    }                                                                     \
    KERNEL_BODY(name)

#define REFERENCE(array)                                                                           \
    REFERENCE_BODY(array);                                                                         \
    EMULATOR_EXPORT double reference_##array(const void *arrays, const void *params, long long i); \
    double reference_##array(const void *arrays, const void *params, long long i)                  \
    {                                                                                              \
        return reference_##array##_at(*(const struct arrays *)arrays,                              \
                                      *(const struct params *)params, i);                          \
    }                                                                                              \
    REFERENCE_BODY(array)

#define LAB_KERNEL(name)                                                   \
    static __device__ __forceinline__ void name##_body(struct lab_task t); \
    EMULATOR_EXPORT void name(const struct emulator_args *args);           \
    void name(const struct emulator_args *args)                            \
    {                                                                      \
        const struct lab_task t = *(const struct lab_task *)args->params;  \
        while (emulator_next_thread()) name##_body(t);                     \
    }                                                                      \
    static __device__ __forceinline__ void name##_body(struct lab_task t)

#endif

// ---- filling and showing: arrays.h in src/filter has the same numbers ----

enum { LAB_BYTE, LAB_INT, LAB_UINT, LAB_FLOAT };
enum { LAB_NOISE, LAB_COUNTED, LAB_PERMUTATION };

struct lab_none {
    void *nothing;
};

struct lab_task {
    void *array;
    long long count;  // elements
    int type, fill;
    int low, high;          // of noise; of what is shown
    unsigned int seed;      // another one for each array
    int columns, step;      // elements a row of the picture, and a pixel across
    unsigned char *pixels;  // the picture's first plane
    int width, height, pitch;
};

// Sixty-four bits that depend on every bit of x.
static __device__ __forceinline__ unsigned long long lab_hash(unsigned long long x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// Where i goes when 0 ... count - 1 are shuffled: four rounds, each of which mixes one half of the
// bits into the other, are undone by four others, so no two numbers meet. A result that is too
// large goes once more.
static __device__ __forceinline__ long long lab_shuffled(long long i, long long count)
{
    int half = 1;
    while (1ll << 2 * half < count) half++;
    const unsigned int mask = (1u << half) - 1;
    do {
        unsigned int left = (unsigned int)(i >> half), right = (unsigned int)i & mask;
        for (int round = 0; round < 4; round++) {
            const unsigned int mixed =
                left ^ ((unsigned int)lab_hash(right + 64ull * round) & mask);
            left = right;
            right = mixed;
        }
        i = (long long)left << half | right;
    } while (i >= count);
    return i;
}

static __device__ __forceinline__ long long lab_filling(struct lab_task t, long long i)
{
    if (t.fill == LAB_COUNTED) return i;
    if (t.fill == LAB_PERMUTATION) return lab_shuffled(i, t.count);
    const unsigned long long span = (unsigned long long)((long long)t.high - t.low) + 1;
    const unsigned long long key = (unsigned long long)i + ((unsigned long long)t.seed << 40);
    return t.low + (long long)(lab_hash(key + 1) % span);
}

// Fills an array, one thread an element.
LAB_KERNEL(lab_fill)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t.count) return;
    const long long value = lab_filling(t, i);
    if (t.type == LAB_BYTE) ((unsigned char *)t.array)[i] = (unsigned char)value;
    if (t.type == LAB_INT) ((int *)t.array)[i] = (int)value;
    if (t.type == LAB_UINT) ((unsigned int *)t.array)[i] = (unsigned int)value;
    if (t.type == LAB_FLOAT) ((float *)t.array)[i] = (float)value;
}

static __device__ __forceinline__ float lab_value(struct lab_task t, long long i)
{
    if (t.type == LAB_BYTE) return ((const unsigned char *)t.array)[i];
    if (t.type == LAB_INT) return (float)((const int *)t.array)[i];
    if (t.type == LAB_UINT) return (float)((const unsigned int *)t.array)[i];
    return ((const float *)t.array)[i];
}

// Paints an array as a grey picture, one thread a pixel: low is black, high white. Where there are
// more elements than pixels, a pixel shows the first of its `step` elements across, of the first of
// as many rows.
LAB_KERNEL(lab_paint)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= t.width || y >= t.height) return;
    const long long column = (long long)x * t.step, row = (long long)y * t.step;
    const long long i = row * t.columns + column;
    float grey = 0;
    if (column < t.columns && i < t.count)
        grey =
            (lab_value(t, i) - (float)t.low) * 255.0f / fmaxf((float)t.high - (float)t.low, 1.0f);
    t.pixels[(long long)y * t.pitch + x] = (unsigned char)fminf(fmaxf(rintf(grey), 0.0f), 255.0f);
}

#endif

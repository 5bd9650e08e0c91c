// launch.h -- how the program calls the kernels and references of a file. The program includes it
// behind the file's text and writes, for each of them, a line such as
//
//     LAUNCH_ARRAYS(scale, , scale(launch_pointer{d.b}, launch_pointer{d.a}, p.n))
//     REFERENCE_PICTURE(out, mean_reference(in, p.radius, x, y))
//
// of the symbol that the program looks for, what __launch_bounds__ said, and the call. Before these
// lines stand struct launch_params, the file's params, and for a lab struct launch_arrays, a pointer
// for each of its arrays. LAUNCH_LAB is defined for a lab. Kernel files do not include this header.
#ifndef LAUNCH_H
#define LAUNCH_H

// The params that a kernel is called with: those it is `given`. With `unroll` on the program defines
// this as an initializer with literals, so that the compiler knows them, and unrolls loops.
#ifndef PARAMS
#define PARAMS given
#endif

#ifndef LAUNCH_LAB

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

#else
#include "fill.h"
#endif

// Becomes a pointer of the type that a kernel wants.
struct launch_pointer {
    const void *at;
    template <class type> __device__ __forceinline__ operator type *() const
    {
        return (type *)at;
    }
};

// The same of structs, of so many bytes.
template <int bytes> struct launch_records {
    const void *at;
    template <class type> __device__ __forceinline__ operator type *() const
    {
        static_assert(sizeof(type) == bytes, "the program knows another layout of this struct");
        return (type *)at;
    }
};

#ifdef __CUDACC__

#define LAUNCH_BOUNDS(...) __attribute__((launch_bounds(__VA_ARGS__)))

#define LAUNCH_ARRAYS(symbol, bounds, ...)                                                      \
    extern "C" __attribute__((global)) void bounds launch_##symbol(struct launch_arrays d,      \
                                                                   struct launch_params given) \
    {                                                                                           \
        const struct launch_params p = PARAMS;                                                  \
        __VA_ARGS__;                                                                            \
    }

#define LAUNCH_PICTURE(symbol, bounds, ...)                                                       \
    extern "C" __attribute__((global)) void bounds launch_##symbol(                               \
        struct planes to, struct planes from, struct textures t, unsigned int *all,               \
        const int *weights, struct launch_params given)                                           \
    {                                                                                             \
        const struct launch_params p = PARAMS;                                                    \
        const int z = blockIdx.z;                                                                 \
        const struct plane out = plane_of(to, z, 0);                                              \
        const struct plane in = plane_of(                                                         \
            from, z, z == 0 ? t.plane[0] : z == 1 ? t.plane[1] : t.plane[2]);                     \
        unsigned int *const scratch = scratch_of(all, from, z);                                   \
        __VA_ARGS__;                                                                              \
    }

// A kernel of fill.h, which the program wants as well: it has no params but its task.
#define LAUNCH_OWN(name)                                                                            \
    extern "C" __attribute__((global)) void launch_##name(const void *unused, struct lab_task task) \
    {                                                                                               \
        name(task);                                                                                 \
    }

#define REFERENCE_ARRAYS(array, ...)
#define REFERENCE_PICTURE(array, ...)

#else

#define LAUNCH_BOUNDS(...)

// The emulator calls the symbol once for a block; it runs the block's threads one after the other.
#define LAUNCH_ARRAYS(symbol, bounds, ...)                                              \
    extern "C" EMULATOR_EXPORT void launch_##symbol(const struct emulator_args *args)   \
    {                                                                                   \
        const struct launch_arrays d = *(const struct launch_arrays *)args->arrays;     \
        const struct launch_params given = *(const struct launch_params *)args->params; \
        const struct launch_params p = PARAMS;                                          \
        while (emulator_next_thread()) __VA_ARGS__;                                     \
    }

#define LAUNCH_OWN(name)                                                         \
    extern "C" EMULATOR_EXPORT void launch_##name(const struct emulator_args *args) \
    {                                                                            \
        const struct lab_task task = *(const struct lab_task *)args->params;     \
        while (emulator_next_thread()) name(task);                               \
    }

#define LAUNCH_PICTURE(symbol, bounds, ...)                                               \
    extern "C" EMULATOR_EXPORT void launch_##symbol(const struct emulator_args *args)     \
    {                                                                                     \
        const int z = (int)blockIdx.z;                                                    \
        const struct planes from = *(const struct planes *)args->in;                      \
        const struct plane out = plane_of(*(const struct planes *)args->out, z, 0);       \
        const struct plane in = plane_of(from, z, 0);                                     \
        unsigned int *const scratch = scratch_of((unsigned int *)args->scratch, from, z); \
        const int *const weights = (const int *)args->weights;                            \
        const struct launch_params given = *(const struct launch_params *)args->params;   \
        const struct launch_params p = PARAMS;                                            \
        while (emulator_next_thread()) __VA_ARGS__;                                       \
    }

#define REFERENCE_ARRAYS(array, ...)                                                           \
    extern "C" EMULATOR_EXPORT double reference_##array(const void *arrays, const void *params, \
                                                        long long i)                           \
    {                                                                                          \
        const struct launch_arrays d = *(const struct launch_arrays *)arrays;                  \
        const struct launch_params p = *(const struct launch_params *)params;                  \
        return __VA_ARGS__;                                                                    \
    }

// A filter's arrays in host memory, as its reference is given them.
struct reference_arrays {
    const struct planes *in;
    void *out, *scratch;
    const int *weights;
};

// Pixels are numbered by planes, rows and columns.
#define REFERENCE_PICTURE(array, ...)                                                          \
    extern "C" EMULATOR_EXPORT double reference_##array(const void *arrays, const void *params, \
                                                        long long i)                           \
    {                                                                                          \
        const struct reference_arrays given = *(const struct reference_arrays *)arrays;        \
        const struct launch_params p = *(const struct launch_params *)params;                  \
        const long long row = i / given.in->width;                                             \
        const struct plane in = plane_of(*given.in, (int)(row / given.in->height), 0);         \
        const int *const weights = given.weights;                                              \
        const int x = (int)(i % given.in->width), y = (int)(row % given.in->height);           \
        return __VA_ARGS__;                                                                    \
    }

#endif

#endif

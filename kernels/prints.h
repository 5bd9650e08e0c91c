// prints.h -- printf in kernels. The program includes it in front of a file that calls printf, and
// kernel files do not. Each call leaves a record in a variable of the device, as far as there is
// room, and the program reads it after a launch (src/device/prints.h has the same structs).
#ifndef PRINTS_H
#define PRINTS_H

enum { TILESCOPE_PRINTS = 200, TILESCOPE_VALUES = 16, TILESCOPE_TEXT = 384, TILESCOPE_FORMAT = 256 };

struct tilescope_printed {
    unsigned int block[3], thread[3];
    unsigned int count, length;  // of the values, and of the texts in bytes
    unsigned long long values[TILESCOPE_VALUES];
    char types[TILESCOPE_VALUES];
    char texts[TILESCOPE_TEXT];  // the format and the values of %s, each with its end
};

struct tilescope_prints {
    unsigned long long calls;  // goes on where there is no room left
    struct tilescope_printed list[TILESCOPE_PRINTS];
};

#ifdef __CUDACC__
__device__ struct tilescope_prints tilescope_prints;
#define TILESCOPE_FUNCTION static __device__ __noinline__
#else
__attribute__((visibility("default"), used)) struct tilescope_prints tilescope_prints;
#define TILESCOPE_FUNCTION EMULATOR_UNSEEN static
#endif

// Returns where the copy begins. It is cut where it does not fit.
TILESCOPE_FUNCTION unsigned int tilescope_copy(struct tilescope_printed *to, const char *text,
                                               unsigned int most)
{
    const unsigned int start = to->length;
    unsigned int at = start;
    if (start >= TILESCOPE_TEXT) return TILESCOPE_TEXT - 1;
    while (at + 1 < TILESCOPE_TEXT && at + 1 < start + most && *text) to->texts[at++] = *text++;
    to->texts[at++] = '\0';
    to->length = at;
    return start;
}

TILESCOPE_FUNCTION void tilescope_add_word(struct tilescope_printed *to, char type,
                                           unsigned long long value)
{
    if (to->count == TILESCOPE_VALUES) return;
    to->types[to->count] = type;
    to->values[to->count++] = value;
}

// What is not one of these types becomes one as it would for C's printf.
#define TILESCOPE_ADD(from, type, word)                                             \
    TILESCOPE_FUNCTION int tilescope_add(struct tilescope_printed *to, from value) \
    {                                                                               \
        tilescope_add_word(to, type, (unsigned long long)(word));                   \
        return 1;                                                                   \
    }
TILESCOPE_ADD(int, 'i', value)
TILESCOPE_ADD(unsigned int, 'u', value)
TILESCOPE_ADD(long, 'I', value)
TILESCOPE_ADD(unsigned long, 'U', value)
TILESCOPE_ADD(long long, 'I', value)
TILESCOPE_ADD(unsigned long long, 'U', value)
TILESCOPE_ADD(double, 'd', *(const unsigned long long *)&value)
TILESCOPE_ADD(const volatile void *, 'p', value)
TILESCOPE_ADD(const char *, 's', tilescope_copy(to, value ? value : "(null)", TILESCOPE_TEXT))

// Returns the number of values, as CUDA's does. Its type is written so that a value of no such type
// is an error where printf is called. A reference, which has no grid, prints nothing.
template <class... types>
TILESCOPE_FUNCTION auto tilescope_printf(const char *format, types... values)
    -> decltype((tilescope_add(nullptr, values) + ... + 0))
{
#ifdef __CUDACC__
    const unsigned long long call = atomicAdd(&tilescope_prints.calls, 1ull);
#else
    if (gridDim.x == 0) return 0;
    const unsigned long long call =
        __atomic_fetch_add(&tilescope_prints.calls, 1ull, __ATOMIC_RELAXED);
#endif
    if (call < TILESCOPE_PRINTS) {
        struct tilescope_printed *const to = &tilescope_prints.list[call];
        to->block[0] = blockIdx.x, to->block[1] = blockIdx.y, to->block[2] = blockIdx.z;
        to->thread[0] = threadIdx.x, to->thread[1] = threadIdx.y, to->thread[2] = threadIdx.z;
        to->count = to->length = 0;
        tilescope_copy(to, format, TILESCOPE_FORMAT);
        (tilescope_add(to, values), ...);
    }
    return (int)sizeof...(values);
}

#define printf(...) tilescope_printf(__VA_ARGS__)

#endif

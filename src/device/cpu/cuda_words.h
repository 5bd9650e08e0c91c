// cuda_words.h -- CUDA's words as C11: all that a kernel may use besides C itself.
// This file is long because it is a list.
//
// kernels/common.h includes it when a kernel is compiled for the CPU. A word here has CUDA's
// meaning to the last bit. Two kinds of words are missing on purpose and do not compile:
// __activemask, clock and others that have no answer where the threads of a block run one after the
// other, and inexact floating-point functions, whose last bits differ from device to device.
//
// Shared memory and the built-in variables are thread-local, because a block stays on one CPU
// thread. The other half, emulated_block.c, is in the program; kernels are shared objects.
#ifndef CUDA_WORDS_H
#define CUDA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "device/cpu/trace_words.h"

EMULATOR_INLINED_BEGIN

// ---- where things live ----

#define EMULATOR_EXPORT __attribute__((visibility("default"))) EMULATOR_WHOLE

#define __global__
#define __host__
#define __device__      __attribute__((unused)) EMULATOR_INLINED
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__       static _Thread_local EMULATOR_SHARED_ALIGNMENT
#define __constant__     __attribute__((visibility("default"), used))

// ---- vector types: CUDA's sizes and alignments ----

#define EMULATOR_VECTOR(base, name, align2, align4)                      \
    typedef struct {                                                     \
        base x;                                                          \
    } name##1;                                                           \
    typedef struct {                                                     \
        base x, y;                                                       \
    } __align__(align2) name##2;                                         \
    typedef struct {                                                     \
        base x, y, z;                                                    \
    } name##3;                                                           \
    typedef struct {                                                     \
        base x, y, z, w;                                                 \
    } __align__(align4) name##4;                                         \
    static inline name##1 make_##name##1(base x)                         \
    {                                                                    \
        return (name##1){x};                                             \
    }                                                                    \
    static inline name##2 make_##name##2(base x, base y)                 \
    {                                                                    \
        return (name##2){x, y};                                          \
    }                                                                    \
    static inline name##3 make_##name##3(base x, base y, base z)         \
    {                                                                    \
        return (name##3){x, y, z};                                       \
    }                                                                    \
    static inline name##4 make_##name##4(base x, base y, base z, base w) \
    {                                                                    \
        return (name##4){x, y, z, w};                                    \
    }

EMULATOR_VECTOR(signed char, char, 2, 4)
EMULATOR_VECTOR(unsigned char, uchar, 2, 4)
EMULATOR_VECTOR(short, short, 4, 8)
EMULATOR_VECTOR(unsigned short, ushort, 4, 8)
EMULATOR_VECTOR(int, int, 8, 16)
EMULATOR_VECTOR(unsigned int, uint, 8, 16)
EMULATOR_VECTOR(float, float, 8, 16)

typedef struct {
    unsigned long long x, y;
} __align__(16) ulonglong2;

typedef uint3 dim3;

// ---- which thread ----

EMULATOR_LOCAL uint3 threadIdx, blockIdx;
EMULATOR_LOCAL dim3 blockDim, gridDim;
#define warpSize 32

// The block's dynamic shared memory. It is behind a pointer, because so much thread-local storage
// in the program would leave no room for the threads that drivers start with small stacks.
#ifdef EMULATOR_SETS_THREADS
EMULATOR_LOCAL unsigned char *tile;
#else
EMULATOR_LOCAL unsigned char *const tile;
#endif

// ---- barriers ----

int emulator_syncthreads(int predicate, int line);  // how many threads came with a true one
unsigned long long emulator_warp(unsigned mask, unsigned long long value, int source, int line);
enum { EMULATOR_BALLOT = -1, EMULATOR_SYNC = -2 };  // instead of a source lane

#define __syncthreads()                ((void)emulator_syncthreads(0, __LINE__))
#define __syncthreads_count(predicate) emulator_syncthreads(!!(predicate), __LINE__)
#define __syncthreads_or(predicate)    (emulator_syncthreads(!!(predicate), __LINE__) != 0)
#define __syncthreads_and(predicate)   (emulator_syncthreads(!(predicate), __LINE__) == 0)
#define __syncwarp(...)                /* (unsigned mask = all) */ \
    ((void)emulator_warp((const unsigned[1]){__VA_ARGS__}[0], 0, EMULATOR_SYNC, __LINE__))
#define __threadfence()       __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __threadfence_block() __threadfence()

// ---- between the lanes of a warp ----

#define __ballot_sync(mask, predicate) \
    ((unsigned)emulator_warp(mask, !!(predicate), EMULATOR_BALLOT, __LINE__))
#define __any_sync(mask, predicate) (__ballot_sync(mask, predicate) != 0)
#define __all_sync(mask, predicate) (__ballot_sync(mask, !(predicate)) == 0)

// (mask, value, lane, width = 32); value of any arithmetic type of 4 or 8 bytes
#define __shfl_sync(mask, value, ...)      EMULATOR_SHUFFLE(at, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, value, ...)   EMULATOR_SHUFFLE(up, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, value, ...) EMULATOR_SHUFFLE(down, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, value, ...)  EMULATOR_SHUFFLE(xor, mask, value, __VA_ARGS__, 32, 0)

#define EMULATOR_SHUFFLE(how, mask, value, lane, width, ...) \
    EMULATOR_BY_TYPE(shuffle, value)(mask, value, emulator_lane_##how(lane, width), __LINE__)

// Picks emulator_<verb>_<type> by the type that C gives to the value in arithmetic.
// clang-format off
#define EMULATOR_BY_TYPE(verb, value)                    \
    _Generic(+(value),                                   \
        int:                emulator_##verb##_int,       \
        unsigned int:       emulator_##verb##_uint,      \
        long:               emulator_##verb##_long,      \
        unsigned long:      emulator_##verb##_ulong,     \
        long long:          emulator_##verb##_longlong,  \
        unsigned long long: emulator_##verb##_ulonglong, \
        float:              emulator_##verb##_float,     \
        double:             emulator_##verb##_double)
#define EMULATOR_FOR_TYPES(make)        \
    make(int, int)                      \
    make(unsigned int, uint)            \
    make(long, long)                    \
    make(unsigned long, ulong)          \
    make(long long, longlong)           \
    make(unsigned long long, ulonglong) \
    make(float, float)                  \
    make(double, double)
// clang-format on

static inline int emulator_lane(void)
{
    return (int)((threadIdx.y * blockDim.x + threadIdx.x) % 32);
}

static inline int emulator_lane_at(int lane, int width)
{
    return (emulator_lane() & ~(width - 1)) | (lane & (width - 1));
}

static inline int emulator_lane_up(unsigned delta, int width)
{
    const int own = emulator_lane(), other = own - (int)(delta & 31);
    return other < (own & ~(width - 1)) ? own : other;
}

static inline int emulator_lane_down(unsigned delta, int width)
{
    const int own = emulator_lane(), other = own + (int)(delta & 31);
    return other > (own | (width - 1)) ? own : other;
}

static inline int emulator_lane_xor(int bits, int width)
{
    const int own = emulator_lane(), other = (own ^ bits) & 31;
    return other > (own | (width - 1)) ? own : other;
}

#define EMULATOR_MAKE_SHUFFLE(type, name)                                                     \
    static inline type emulator_shuffle_##name(unsigned mask, type value, int lane, int line) \
    {                                                                                         \
        unsigned long long bits = 0;                                                          \
        __builtin_memcpy(&bits, &value, sizeof value);                                        \
        bits = emulator_warp(mask, bits, lane, line);                                         \
        __builtin_memcpy(&value, &bits, sizeof value);                                        \
        return value;                                                                         \
    }
EMULATOR_FOR_TYPES(EMULATOR_MAKE_SHUFFLE)

// ---- memory: plain, and with a hint to the caches ----

#define __ldg(pointer)         (*(pointer))
#define __ldca(pointer)        (*(pointer))
#define __ldcg(pointer)        (*(pointer))
#define __ldcs(pointer)        (*(pointer))
#define __stcg(pointer, value) ((void)(*(pointer) = (value)))
#define __stcs(pointer, value) ((void)(*(pointer) = (value)))

// ---- atomics on int, unsigned and unsigned long long; add and exchange also on float ----

// clang-format off
#define EMULATOR_ATOMIC(verb, pointer)                 \
    _Generic((pointer),                                \
        int *:                emulator_##verb##_int,   \
        unsigned int *:       emulator_##verb##_uint,  \
        unsigned long long *: emulator_##verb##_ulonglong)
#define EMULATOR_ATOMIC_OR_FLOAT(verb, pointer)             \
    _Generic((pointer),                                     \
        int *:                emulator_##verb##_int,        \
        unsigned int *:       emulator_##verb##_uint,       \
        unsigned long long *: emulator_##verb##_ulonglong,  \
        float *:              emulator_##verb##_float)
#define EMULATOR_ATOMIC_INT(verb, pointer) \
    _Generic((pointer),                    \
        int *:          emulator_##verb##_int, \
        unsigned int *: emulator_##verb##_uint)
// clang-format on

#define atomicAdd(pointer, value)           EMULATOR_ATOMIC_OR_FLOAT(add, pointer)(pointer, value)
#define atomicExch(pointer, value)          EMULATOR_ATOMIC_OR_FLOAT(swap, pointer)(pointer, value)
#define atomicSub(pointer, value)           EMULATOR_ATOMIC_INT(sub, pointer)(pointer, value)
#define atomicMin(pointer, value)           EMULATOR_ATOMIC(min_at, pointer)(pointer, value)
#define atomicMax(pointer, value)           EMULATOR_ATOMIC(max_at, pointer)(pointer, value)
#define atomicAnd(pointer, value)           EMULATOR_ATOMIC(and, pointer)(pointer, value)
#define atomicOr(pointer, value)            EMULATOR_ATOMIC(or, pointer)(pointer, value)
#define atomicXor(pointer, value)           EMULATOR_ATOMIC(xor, pointer)(pointer, value)
#define atomicCAS(pointer, expected, value) EMULATOR_ATOMIC(cas, pointer)(pointer, expected, value)
#define atomicInc(pointer, limit)           emulator_inc_uint(pointer, limit)
#define atomicDec(pointer, limit)           emulator_dec_uint(pointer, limit)

// All return the old value. next: the new one, in terms of old and value.
#define EMULATOR_MAKE_ATOMIC(verb, type, name, next)                                       \
    EMULATOR_UNSEEN static inline type emulator_##verb##_##name(type *pointer, type value) \
    {                                                                                      \
        type old, wanted;                                                                  \
        EMULATOR_LOG_ATOMIC(pointer);                                                      \
        __atomic_load(pointer, &old, __ATOMIC_RELAXED);                                    \
        do {                                                                               \
            wanted = (next);                                                               \
        } while (!__atomic_compare_exchange(pointer, &old, &wanted, 0, __ATOMIC_RELAXED,   \
                                            __ATOMIC_RELAXED));                            \
        return old;                                                                        \
    }
#define EMULATOR_MAKE_ATOMICS(type, name)                                                \
    EMULATOR_UNSEEN static inline type emulator_add_##name(type *pointer, type value)    \
    {                                                                                    \
        EMULATOR_LOG_ATOMIC(pointer);                                                    \
        return __atomic_fetch_add(pointer, value, __ATOMIC_RELAXED);                     \
    }                                                                                    \
    EMULATOR_UNSEEN static inline type emulator_cas_##name(type *pointer, type expected, \
                                                           type value)                   \
    {                                                                                    \
        EMULATOR_LOG_ATOMIC(pointer);                                                    \
        __atomic_compare_exchange_n(pointer, &expected, value, 0, __ATOMIC_RELAXED,      \
                                    __ATOMIC_RELAXED);                                   \
        return expected;                                                                 \
    }                                                                                    \
    EMULATOR_MAKE_ATOMIC(swap, type, name, value)                                        \
    EMULATOR_MAKE_ATOMIC(min_at, type, name, old < value ? old : value)                  \
    EMULATOR_MAKE_ATOMIC(max_at, type, name, old > value ? old : value)                  \
    EMULATOR_MAKE_ATOMIC(and, type, name, value &(old))                                  \
    EMULATOR_MAKE_ATOMIC(or, type, name, old | value)                                    \
    EMULATOR_MAKE_ATOMIC(xor, type, name, old ^ value)
EMULATOR_MAKE_ATOMICS(int, int)
EMULATOR_MAKE_ATOMICS(unsigned int, uint)
EMULATOR_MAKE_ATOMICS(unsigned long long, ulonglong)
EMULATOR_MAKE_ATOMIC(add, float, float, old + value)
EMULATOR_MAKE_ATOMIC(sub, int, int, (int)((unsigned)old - (unsigned)value))
EMULATOR_MAKE_ATOMIC(sub, unsigned int, uint, old - value)
EMULATOR_MAKE_ATOMIC(swap, float, float, value)
EMULATOR_MAKE_ATOMIC(inc, unsigned int, uint, old >= value ? 0 : old + 1)
EMULATOR_MAKE_ATOMIC(dec, unsigned int, uint, old == 0 || old > value ? value : old - 1)

// ---- arithmetic ----

#define min(a, b) EMULATOR_BY_TYPE(min, (a) + (b))(a, b)
#define max(a, b) EMULATOR_BY_TYPE(max, (a) + (b))(a, b)

// If one is a NaN, the other one.
#define EMULATOR_MAKE_MIN_MAX(type, name)                  \
    static inline type emulator_min_##name(type a, type b) \
    {                                                      \
        return a < b || b != b ? a : b;                    \
    }                                                      \
    static inline type emulator_max_##name(type a, type b) \
    {                                                      \
        return a > b || b != b ? a : b;                    \
    }
EMULATOR_FOR_TYPES(EMULATOR_MAKE_MIN_MAX)

#define abs(x) emulator_abs(x)
static inline int emulator_abs(int x)
{
    return x < 0 ? (int)(0u - (unsigned)x) : x;
}

// IEEE's exact operations
#define fabsf(x)      __builtin_fabsf(x)
#define fminf(a, b)   emulator_min_float(a, b)
#define fmaxf(a, b)   emulator_max_float(a, b)
#define floorf(x)     __builtin_floorf(x)
#define ceilf(x)      __builtin_ceilf(x)
#define truncf(x)     __builtin_truncf(x)
#define rintf(x)      __builtin_rintf(x)
#define sqrtf(x)      __builtin_sqrtf(x)
#define fmaf(a, b, c) __builtin_fmaf(a, b, c)

// Rounded to nearest even, towards zero, down, up; saturated, and NaN becomes 0.
#define __float2int_rn(x) emulator_to_int(rintf(x))
#define __float2int_rz(x) emulator_to_int(x)
#define __float2int_rd(x) emulator_to_int(floorf(x))
#define __float2int_ru(x) emulator_to_int(ceilf(x))
static inline int emulator_to_int(float x)
{
    if (x != x) return 0;
    return x >= 0x1p31f ? 0x7fffffff : x < -0x1p31f ? -0x7fffffff - 1 : (int)x;
}

static inline int __float_as_int(float x)
{
    int bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float __int_as_float(int bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- bits ----

#define __popc(x) __builtin_popcount(x)
#define __ffs(x)  __builtin_ffs(x)

static inline int __clz(unsigned x)
{
    return x ? __builtin_clz(x) : 32;
}

EMULATOR_UNSEEN static inline unsigned __brev(unsigned x)
{
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++) reversed |= (x >> i & 1) << (31 - i);
    return reversed;
}

// Bytes 0 ... 3 of x and 4 ... 7 of y, chosen by the nibbles of selector; a nibble of 8 and more
// gives the sign of the byte instead, eight times.
EMULATOR_UNSEEN static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned choice =
            selector >> 4 * i & 7;  // the fourth bit is PTX's, not the intrinsic's
        result |= ((unsigned)(both >> 8 * choice) & 255) << 8 * i;
    }
    return result;
}

// high:low shifted by shift modulo 32 (_lc, _rc: by at most 32); left gives the high word
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}

static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}

static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// ---- products and sums ----

static inline int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}

// |a - b| + sum
static inline unsigned __sad(int a, int b, unsigned sum)
{
    return sum + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}

static inline unsigned __usad(unsigned a, unsigned b, unsigned sum)
{
    return sum + (a > b ? a - b : b - a);
}

// Four products of bytes, or two of a's shorts with b's lower or upper two bytes, and c. Operands
// are both signed or both unsigned, as ints or as vectors.
#define __dp4a(a, b, c)    EMULATOR_DOT(dp4a, a, b, char4, uchar4, char4, uchar4)(a, b, c)
#define __dp2a_lo(a, b, c) EMULATOR_DOT(dp2a_lo, a, b, short2, ushort2, char4, uchar4)(a, b, c)
#define __dp2a_hi(a, b, c) EMULATOR_DOT(dp2a_hi, a, b, short2, ushort2, char4, uchar4)(a, b, c)

extern const struct emulator_no_such_overload {
    int none;
} emulator_no_such_overload;
// clang-format off
#define EMULATOR_WITH(b, type, function) \
    _Generic((b), type: function, default: emulator_no_such_overload)
#define EMULATOR_DOT(verb, a, b, a_signed, a_unsigned, b_signed, b_unsigned)       \
    _Generic((a),                                                                  \
        int:          EMULATOR_WITH(b, int, emulator_##verb##_int),                \
        unsigned int: EMULATOR_WITH(b, unsigned int, emulator_##verb##_uint),      \
        a_signed:     EMULATOR_WITH(b, b_signed, emulator_##verb##_signed),        \
        a_unsigned:   EMULATOR_WITH(b, b_unsigned, emulator_##verb##_unsigned))
// clang-format on

// skip: the first byte of b
#define EMULATOR_MAKE_DOT(verb, type, name, vector, a_lane, b_lane, a_vector, b_vector, skip) \
    EMULATOR_UNSEEN static inline type emulator_##verb##_##name(type a, type b, type c)       \
    {                                                                                         \
        unsigned sum = (unsigned)c;                                                           \
        for (unsigned i = 0; i < 4 / sizeof(a_lane); i++) {                                   \
            const a_lane x = (a_lane)((unsigned)a >> 8 * sizeof(a_lane) * i);                 \
            const b_lane y = (b_lane)((unsigned)b >> 8 * ((skip) + i));                       \
            sum += (unsigned)(x * y);                                                         \
        }                                                                                     \
        return (type)sum;                                                                     \
    }                                                                                         \
    static inline type emulator_##verb##_##vector(a_vector a, b_vector b, type c)             \
    {                                                                                         \
        type a_bits, b_bits;                                                                  \
        __builtin_memcpy(&a_bits, &a, sizeof a_bits);                                         \
        __builtin_memcpy(&b_bits, &b, sizeof b_bits);                                         \
        return emulator_##verb##_##name(a_bits, b_bits, c);                                   \
    }
EMULATOR_MAKE_DOT(dp4a, int, int, signed, signed char, signed char, char4, char4, 0)
EMULATOR_MAKE_DOT(dp4a, unsigned, uint, unsigned, unsigned char, unsigned char, uchar4, uchar4, 0)
EMULATOR_MAKE_DOT(dp2a_lo, int, int, signed, short, signed char, short2, char4, 0)
EMULATOR_MAKE_DOT(dp2a_lo, unsigned, uint, unsigned, unsigned short, unsigned char, ushort2, uchar4,
                  0)
EMULATOR_MAKE_DOT(dp2a_hi, int, int, signed, short, signed char, short2, char4, 2)
EMULATOR_MAKE_DOT(dp2a_hi, unsigned, uint, unsigned, unsigned short, unsigned char, ushort2, uchar4,
                  2)

// ---- two shorts or four bytes in a word, lane by lane ----

// each: in terms of x and y; least and most are what fits into a lane.
#define EMULATOR_PACKED_LANES(name, lane, each)                                    \
    EMULATOR_UNSEEN static inline unsigned name(unsigned a, unsigned b)            \
    {                                                                              \
        enum { BITS = 8 * sizeof(lane), MASK = (1 << BITS) - 1 };                  \
        const int least = (lane)-1 < 0 ? -(MASK / 2) - 1 : 0, most = least + MASK; \
        unsigned result = 0;                                                       \
        (void)most;                                                                \
        for (unsigned shift = 0; shift < 32; shift += BITS) {                      \
            const int x = (lane)(a >> shift), y = (lane)(b >> shift);              \
            result |= ((unsigned)(each)&MASK) << shift;                            \
        }                                                                          \
        return result;                                                             \
    }
#define EMULATOR_PACKED(name, each)                      \
    EMULATOR_PACKED_LANES(name##2, unsigned short, each) \
    EMULATOR_PACKED_LANES(name##4, unsigned char, each)
#define EMULATOR_PACKED_SIGNED(name, each)      \
    EMULATOR_PACKED_LANES(name##2, short, each) \
    EMULATOR_PACKED_LANES(name##4, signed char, each)

EMULATOR_PACKED(__vadd, x + y)
EMULATOR_PACKED(__vsub, x - y)
EMULATOR_PACKED(__vaddus, min(x + y, most))  // saturated
EMULATOR_PACKED(__vsubus, max(x - y, least))
EMULATOR_PACKED_SIGNED(__vaddss, max(min(x + y, most), least))
EMULATOR_PACKED_SIGNED(__vsubss, max(min(x - y, most), least))
EMULATOR_PACKED(__vavgu, (x + y + 1) / 2)  // rounded up
EMULATOR_PACKED(__vhaddu, (x + y) / 2)     // rounded down
EMULATOR_PACKED(__vabsdiffu, abs(x - y))
EMULATOR_PACKED(__vminu, min(x, y))
EMULATOR_PACKED_SIGNED(__vmins, min(x, y))
EMULATOR_PACKED(__vmaxu, max(x, y))
EMULATOR_PACKED_SIGNED(__vmaxs, max(x, y))
EMULATOR_PACKED(__vcmpeq, -(x == y))  // all bits of the lane, or none
EMULATOR_PACKED(__vcmpne, -(x != y))
EMULATOR_PACKED(__vcmpgtu, -(x > y))
EMULATOR_PACKED(__vcmpgeu, -(x >= y))
EMULATOR_PACKED(__vcmpltu, -(x < y))
EMULATOR_PACKED(__vcmpleu, -(x <= y))
EMULATOR_PACKED_SIGNED(__vcmpgts, -(x > y))
EMULATOR_PACKED_SIGNED(__vcmplts, -(x < y))

// sums over the lanes
static inline unsigned __vsadu2(unsigned a, unsigned b)
{
    const unsigned each = __vabsdiffu2(a, b);
    return (each & 0xffff) + (each >> 16);
}

static inline unsigned __vsadu4(unsigned a, unsigned b)
{
    const unsigned each = __vabsdiffu4(a, b);
    return (each & 255) + (each >> 8 & 255) + (each >> 16 & 255) + (each >> 24);
}

// ---- how emulator.c calls a kernel ----

struct emulator_args {
    const void *out, *in;  // struct planes
    void *scratch;
    const void *weights;
    const void *params;
    const void *arrays;  // struct arrays of a lab
};

// The threads of the block that have not begun yet.
struct emulator_turn {
    unsigned left;  // how many
    unsigned x, y;  // of the next one
};
EMULATOR_LOCAL struct emulator_turn emulator_turn;

// Makes the next thread of the block the running one. False: there is none left.
static inline int emulator_next_thread(void)
{
    struct emulator_turn *const turn = &emulator_turn;
    EMULATOR_LOG(end);
    if (turn->left == 0) return 0;
    turn->left--;
    threadIdx.x = turn->x;
    threadIdx.y = turn->y;
    if (++turn->x == blockDim.x) {
        turn->x = 0;
        turn->y++;
    }
    EMULATOR_LOG(begin);
    return 1;
}

EMULATOR_INLINED_END

// Kernels only read them.
#ifndef EMULATOR_SETS_THREADS
#define threadIdx (*(const uint3 *)&threadIdx)
#define blockIdx  (*(const uint3 *)&blockIdx)
#define blockDim  (*(const dim3 *)&blockDim)
#define gridDim   (*(const dim3 *)&gridDim)
#endif

#endif

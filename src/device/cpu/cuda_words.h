// cuda_words.h -- CUDA's words in C++17: all that a kernel may use besides the language itself.
// This file is long because it is a list.
//
// compiler.c includes it before each kernel file. A word here has CUDA's meaning to the last bit,
// and CUDA's overloads. The exception are inexact floating-point functions, whose last bits differ
// from device to device: headers_check() lets them into files with a tolerance alone. Words are
// missing on purpose and do not compile that have no answer where the threads of a block run one
// after the other.
//
// Words that report their line take it as a last argument, which the compiler fills in. The other
// half, emulated_block.c, is in the program; kernels are shared objects without a C++ library.
#ifndef CUDA_WORDS_H
#define CUDA_WORDS_H

#include <stddef.h>

#include "device/cpu/trace_words.h"

EMULATOR_INLINED_BEGIN

// Kernels take the way that they have for an old GPU: what they have for newer ones is often
// machine code, as in asm.
#define __CUDA_ARCH__ 750

// ---- where things live ----

#define EMULATOR_EXPORT \
    extern "C" __attribute__((visibility("default"))) EMULATOR_KEPT EMULATOR_WHOLE

#define __global__
#define __host__
#define __device__      __attribute__((unused)) EMULATOR_KEPT EMULATOR_INLINED
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    EMULATOR_NOT_INLINED
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__       static __thread EMULATOR_SHARED_ALIGNMENT
#define __managed__
#define __constant__ __attribute__((visibility("default"), used)) EMULATOR_KEPT

// Stands for dynamic shared memory of any name and type (cuda_text.h).
#define EMULATOR_TILE_START ((void *)emulator_tile)
#define EMULATOR_TILE       EMULATOR_THREAD_LOCAL
#define EMULATOR_IS_TILE    __asm__("emulator_tile")
#define EMULATOR_UNUSED     __attribute__((unused))

// A word that is an expression: its declaration, and the value.
#define EMULATOR_WORD(declaration, ...)        \
    EMULATOR_INLINED static inline declaration \
    {                                          \
        return __VA_ARGS__;                    \
    }

// ---- types and limits that C has in headers ----

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;

#define CHAR_BIT    8
#define SCHAR_MAX   __SCHAR_MAX__
#define SCHAR_MIN   (-SCHAR_MAX - 1)
#define UCHAR_MAX   (SCHAR_MAX * 2 + 1)
#define SHRT_MAX    __SHRT_MAX__
#define SHRT_MIN    (-SHRT_MAX - 1)
#define USHRT_MAX   (SHRT_MAX * 2 + 1)
#define INT_MAX     __INT_MAX__
#define INT_MIN     (-INT_MAX - 1)
#define UINT_MAX    (INT_MAX * 2u + 1)
#define LLONG_MAX   __LONG_LONG_MAX__
#define LLONG_MIN   (-LLONG_MAX - 1)
#define ULLONG_MAX  (LLONG_MAX * 2ull + 1)
#define FLT_MAX     __FLT_MAX__
#define FLT_MIN     __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX     __DBL_MAX__
#define DBL_MIN     __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define M_PI        3.14159265358979323846

// ---- vector types: CUDA's sizes and alignments ----

#define EMULATOR_VECTOR(base, name, align2, align4)                          \
    struct name##1                                                           \
    {                                                                        \
        base x;                                                              \
    };                                                                       \
    struct __align__(align2) name##2                                         \
    {                                                                        \
        base x, y;                                                           \
    };                                                                       \
    struct name##3                                                           \
    {                                                                        \
        base x, y, z;                                                        \
    };                                                                       \
    struct __align__(align4) name##4                                         \
    {                                                                        \
        base x, y, z, w;                                                     \
    };                                                                       \
    EMULATOR_WORD(name##1 make_##name##1(base x), {x})                       \
    EMULATOR_WORD(name##2 make_##name##2(base x, base y), {x, y})            \
    EMULATOR_WORD(name##3 make_##name##3(base x, base y, base z), {x, y, z}) \
    EMULATOR_WORD(name##4 make_##name##4(base x, base y, base z, base w), {x, y, z, w})

EMULATOR_VECTOR(signed char, char, 2, 4)
EMULATOR_VECTOR(unsigned char, uchar, 2, 4)
EMULATOR_VECTOR(short, short, 4, 8)
EMULATOR_VECTOR(unsigned short, ushort, 4, 8)
EMULATOR_VECTOR(int, int, 8, 16)
EMULATOR_VECTOR(unsigned int, uint, 8, 16)
EMULATOR_VECTOR(long long, longlong, 16, 16)
EMULATOR_VECTOR(unsigned long long, ulonglong, 16, 16)
EMULATOR_VECTOR(float, float, 8, 16)
EMULATOR_VECTOR(double, double, 16, 16)

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

static const int warpSize = 32;

// ---- which types a word takes ----

// A parameter of this type converts its argument instead of deciding what T is.
template <class T> struct emulator_given {
    typedef T type;
};
template <class T> using emulator_as = typename emulator_given<T>::type;

// The type that T has in arithmetic, if that is one of these.
template <class T> struct emulator_scalars;
#define EMULATOR_SCALAR(T)                   \
    template <> struct emulator_scalars<T> { \
        typedef T type;                      \
    };
EMULATOR_SCALAR(int)
EMULATOR_SCALAR(unsigned int)
EMULATOR_SCALAR(long)
EMULATOR_SCALAR(unsigned long)
EMULATOR_SCALAR(long long)
EMULATOR_SCALAR(unsigned long long)
EMULATOR_SCALAR(float)
EMULATOR_SCALAR(double)
template <class T> using emulator_scalar = typename emulator_scalars<decltype(+T())>::type;

// ---- barriers ----

EMULATOR_WORD(void __syncthreads(int line = __builtin_LINE()), (void)emulator_syncthreads(0, line))
EMULATOR_WORD(int __syncthreads_count(int predicate, int line = __builtin_LINE()),
              emulator_syncthreads(predicate != 0, line))
EMULATOR_WORD(int __syncthreads_or(int predicate, int line = __builtin_LINE()),
              emulator_syncthreads(predicate != 0, line) != 0)
EMULATOR_WORD(int __syncthreads_and(int predicate, int line = __builtin_LINE()),
              emulator_syncthreads(predicate == 0, line) == 0)

EMULATOR_WORD(void __syncwarp(unsigned mask = ~0u, int line = __builtin_LINE()),
              (void)emulator_warp(mask, 0, EMULATOR_SYNC, line))
EMULATOR_WORD(void __threadfence(), __atomic_thread_fence(__ATOMIC_SEQ_CST))
EMULATOR_WORD(void __threadfence_system(), __atomic_thread_fence(__ATOMIC_SEQ_CST))
EMULATOR_WORD(void __threadfence_block(), __atomic_thread_fence(__ATOMIC_SEQ_CST))

// ---- between the lanes of a warp ----

EMULATOR_WORD(unsigned __activemask(int line = __builtin_LINE()), emulator_active(line))
EMULATOR_WORD(unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()),
              (unsigned)emulator_warp(mask, predicate != 0, EMULATOR_BALLOT, line))
EMULATOR_WORD(int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()),
              __ballot_sync(mask, predicate != 0, line) != 0)
EMULATOR_WORD(int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()),
              __ballot_sync(mask, predicate == 0, line) == 0)

EMULATOR_WORD(int emulator_lane(),
              (int)(((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32))

// The lane that gives its value to the own one; fast_words.h takes it from there, too.
EMULATOR_WORD(int emulator_lane_at(int own, int lane, int width),
              (own & ~(width - 1)) | (lane & (width - 1)))

static inline int emulator_lane_up(int own, unsigned delta, int width)
{
    const int other = own - (int)(delta & 31);
    return other < (own & ~(width - 1)) ? own : other;
}

static inline int emulator_lane_down(int own, unsigned delta, int width)
{
    const int other = own + (int)(delta & 31);
    return other > (own | (width - 1)) ? own : other;
}

static inline int emulator_lane_xor(int own, int bits, int width)
{
    const int other = (own ^ bits) & 31;
    return other > (own | (width - 1)) ? own : other;
}

template <class T> static inline T emulator_shuffle(unsigned mask, T value, int lane, int line)
{
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = emulator_warp(mask, bits, lane, line);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

#define EMULATOR_SHUFFLE(name, which, by)                                                     \
    template <class T>                                                                        \
    EMULATOR_WORD(emulator_scalar<T> name(unsigned mask, T value, which lane, int width = 32, \
                                          int line = __builtin_LINE()),                       \
                  emulator_shuffle<emulator_scalar<T>>(                                       \
                      mask, value, emulator_lane_##by(emulator_lane(), lane, width), line))
EMULATOR_SHUFFLE(__shfl_sync, int, at)
EMULATOR_SHUFFLE(__shfl_up_sync, unsigned, up)
EMULATOR_SHUFFLE(__shfl_down_sync, unsigned, down)
EMULATOR_SHUFFLE(__shfl_xor_sync, int, xor)

// The lanes of a mask that have the same value.
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    unsigned same = 0;
    for (int lane = 0; lane < 32; lane++)
        if (mask >> lane & 1 && emulator_shuffle(mask, value, lane, line) == value)
            same |= 1u << lane;
    return same;
}

// next: in terms of all, of the lanes so far, and one.
#define EMULATOR_REDUCE(name, T, next)                                              \
    static inline T name(unsigned mask, T value, int line = __builtin_LINE())       \
    {                                                                               \
        T all = emulator_shuffle(mask, value, __builtin_ctz(mask), line);           \
        for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1) {           \
            const T one = emulator_shuffle(mask, value, __builtin_ctz(rest), line); \
            all = (next);                                                           \
        }                                                                           \
        return all;                                                                 \
    }
EMULATOR_REDUCE(__reduce_add_sync, unsigned, all + one)
EMULATOR_REDUCE(__reduce_add_sync, int, (int)((unsigned)all + (unsigned)one))
EMULATOR_REDUCE(__reduce_min_sync, unsigned, one < all ? one : all)
EMULATOR_REDUCE(__reduce_min_sync, int, one < all ? one : all)
EMULATOR_REDUCE(__reduce_max_sync, unsigned, one > all ? one : all)
EMULATOR_REDUCE(__reduce_max_sync, int, one > all ? one : all)
EMULATOR_REDUCE(__reduce_and_sync, unsigned, all &one)
EMULATOR_REDUCE(__reduce_or_sync, unsigned, all | one)
EMULATOR_REDUCE(__reduce_xor_sync, unsigned, all ^ one)

// ---- time, in ns: of a clock that all threads read ----

typedef long clock_t;
EMULATOR_WORD(long long clock64(), emulator_clock())
EMULATOR_WORD(void __nanosleep(unsigned), (void)0)
EMULATOR_WORD(clock_t clock(), (clock_t)emulator_clock())

// ---- memory: plain, and with a hint to the caches ----

#define EMULATOR_LOAD(name) template <class T> EMULATOR_WORD(T name(const T *pointer), *pointer)
#define EMULATOR_STORE(name)                                                            \
    template <class T> static inline void name(T *pointer, const emulator_as<T> &value) \
    {                                                                                   \
        *pointer = value;                                                               \
    }
EMULATOR_LOAD(__ldg)
EMULATOR_LOAD(__ldca)
EMULATOR_LOAD(__ldcg)
EMULATOR_LOAD(__ldcs)
EMULATOR_LOAD(__ldlu)
EMULATOR_LOAD(__ldcv)
EMULATOR_STORE(__stcg)
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stwb)
EMULATOR_STORE(__stwt)

// ---- atomics ----

// All return the old value. next: the new one, in terms of old and value.
#define EMULATOR_ATOMIC(name, T, next)                                                   \
    EMULATOR_UNSEEN static inline T name(T *pointer, T value)                            \
    {                                                                                    \
        T old, wanted;                                                                   \
        EMULATOR_LOG_ATOMIC(pointer);                                                    \
        __atomic_load(pointer, &old, __ATOMIC_RELAXED);                                  \
        do {                                                                             \
            wanted = (next);                                                             \
        } while (!__atomic_compare_exchange(pointer, &old, &wanted, 0, __ATOMIC_RELAXED, \
                                            __ATOMIC_RELAXED));                          \
        return old;                                                                      \
    }
#define EMULATOR_ATOMIC_ADD(T)                                       \
    EMULATOR_UNSEEN static inline T atomicAdd(T *pointer, T value)   \
    {                                                                \
        EMULATOR_LOG_ATOMIC(pointer);                                \
        return __atomic_fetch_add(pointer, value, __ATOMIC_RELAXED); \
    }
#define EMULATOR_ATOMIC_CAS(T)                                                      \
    EMULATOR_UNSEEN static inline T atomicCAS(T *pointer, T expected, T value)      \
    {                                                                               \
        EMULATOR_LOG_ATOMIC(pointer);                                               \
        __atomic_compare_exchange_n(pointer, &expected, value, 0, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED);                              \
        return expected;                                                            \
    }
#define EMULATOR_ATOMICS(T)                                  \
    EMULATOR_ATOMIC_ADD(T)                                   \
    EMULATOR_ATOMIC_CAS(T)                                   \
    EMULATOR_ATOMIC(atomicExch, T, value)                    \
    EMULATOR_ATOMIC(atomicMin, T, old < value ? old : value) \
    EMULATOR_ATOMIC(atomicMax, T, old > value ? old : value) \
    EMULATOR_ATOMIC(atomicAnd, T, old &value)                \
    EMULATOR_ATOMIC(atomicOr, T, old | value)                \
    EMULATOR_ATOMIC(atomicXor, T, old ^ value)
EMULATOR_ATOMICS(int)
EMULATOR_ATOMICS(unsigned int)
EMULATOR_ATOMICS(unsigned long long)
EMULATOR_ATOMIC_CAS(unsigned short)
EMULATOR_ATOMIC(atomicAdd, float, old + value)
EMULATOR_ATOMIC(atomicAdd, double, old + value)
EMULATOR_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)value))
EMULATOR_ATOMIC(atomicSub, unsigned int, old - value)
EMULATOR_ATOMIC(atomicExch, float, value)
EMULATOR_ATOMIC(atomicMin, long long, old < value ? old : value)
EMULATOR_ATOMIC(atomicMax, long long, old > value ? old : value)
EMULATOR_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
EMULATOR_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)

// ---- arithmetic ----

// If one is a NaN, the other one.
#define EMULATOR_MIN_MAX(min, max, result, A, B) \
    static inline result min(A first, B second)  \
    {                                            \
        const result a = first, b = second;      \
        return a < b || b != b ? a : b;          \
    }                                            \
    static inline result max(A first, B second)  \
    {                                            \
        const result a = first, b = second;      \
        return a > b || b != b ? a : b;          \
    }
#define EMULATOR_MIN_MAX_MIXED(result, other)          \
    EMULATOR_MIN_MAX(min, max, result, result, result) \
    EMULATOR_MIN_MAX(min, max, result, result, other)  \
    EMULATOR_MIN_MAX(min, max, result, other, result)
EMULATOR_MIN_MAX(min, max, int, int, int)
EMULATOR_MIN_MAX(min, max, long, long, long)
EMULATOR_MIN_MAX(min, max, long long, long long, long long)
EMULATOR_MIN_MAX(min, max, float, float, float)
EMULATOR_MIN_MAX_MIXED(unsigned int, int)
EMULATOR_MIN_MAX_MIXED(unsigned long, long)
EMULATOR_MIN_MAX_MIXED(unsigned long long, long long)
EMULATOR_MIN_MAX_MIXED(double, float)
EMULATOR_MIN_MAX(umin, umax, unsigned int, unsigned int, unsigned int)
EMULATOR_MIN_MAX(llmin, llmax, long long, long long, long long)
EMULATOR_MIN_MAX(ullmin, ullmax, unsigned long long, unsigned long long, unsigned long long)
EMULATOR_MIN_MAX(fminf, fmaxf, float, float, float)
EMULATOR_MIN_MAX(fmin, fmax, float, float, float)
EMULATOR_MIN_MAX(fmin, fmax, double, double, double)

EMULATOR_WORD(int abs(int x), x < 0 ? (int)(0u - (unsigned)x) : x)
EMULATOR_WORD(long long abs(long long x), x < 0 ? (long long)(0ull - (unsigned long long)x) : x)
EMULATOR_WORD(long abs(long x), (long)abs((long long)x))

// IEEE's exact operations
#define EMULATOR_EXACT(name)                                      \
    EMULATOR_WORD(float name##f(float x), __builtin_##name##f(x)) \
    EMULATOR_WORD(float name(float x), __builtin_##name##f(x))    \
    EMULATOR_WORD(double name(double x), __builtin_##name(x))
EMULATOR_EXACT(fabs)
EMULATOR_EXACT(floor)
EMULATOR_EXACT(ceil)
EMULATOR_EXACT(trunc)
EMULATOR_EXACT(rint)
EMULATOR_EXACT(nearbyint)
EMULATOR_EXACT(round)
EMULATOR_EXACT(sqrt)

EMULATOR_WORD(float abs(float x), fabsf(x))
EMULATOR_WORD(double abs(double x), fabs(x))

#define EMULATOR_EXACT_PAIR(name)                                             \
    EMULATOR_WORD(float name##f(float x, float y), __builtin_##name##f(x, y)) \
    EMULATOR_WORD(float name(float x, float y), __builtin_##name##f(x, y))    \
    EMULATOR_WORD(double name(double x, double y), __builtin_##name(x, y))
EMULATOR_EXACT_PAIR(copysign)
EMULATOR_EXACT_PAIR(fmod)
EMULATOR_EXACT_PAIR(remainder)
EMULATOR_EXACT_PAIR(fdim)

// Saturated; NaN becomes the least.
EMULATOR_WORD(long long emulator_rounded(double x), x >= 0x1p63    ? LLONG_MAX
                                                    : x >= -0x1p63 ? (long long)x
                                                                   : LLONG_MIN)
#define EMULATOR_ROUNDED(type, name, rounded)                             \
    EMULATOR_WORD(type name##f(float x), emulator_rounded(rounded##f(x))) \
    EMULATOR_WORD(type name(float x), emulator_rounded(rounded##f(x)))    \
    EMULATOR_WORD(type name(double x), emulator_rounded(rounded(x)))
EMULATOR_ROUNDED(long, lround, round)
EMULATOR_ROUNDED(long long, llround, round)
EMULATOR_ROUNDED(long, lrint, rint)
EMULATOR_ROUNDED(long long, llrint, rint)

#define EMULATOR_IS(name, builtin)                \
    EMULATOR_WORD(bool name(float x), builtin(x)) \
    EMULATOR_WORD(bool name(double x), builtin(x))
EMULATOR_IS(isnan, __builtin_isnan)
EMULATOR_IS(isinf, __builtin_isinf)
EMULATOR_IS(isfinite, __builtin_isfinite)
EMULATOR_IS(signbit, __builtin_signbit)

// Between 0 and 1; NaN becomes 0.
EMULATOR_WORD(float __saturatef(float x), x > 0 ? x < 1 ? x : 1 : 0)

EMULATOR_WORD(float fmaf(float a, float b, float c), __builtin_fmaf(a, b, c))
EMULATOR_WORD(float fma(float a, float b, float c), __builtin_fmaf(a, b, c))
EMULATOR_WORD(double fma(double a, double b, double c), __builtin_fma(a, b, c))

// Rounded to nearest even, towards zero, down, up; saturated, and NaN becomes 0.
static inline int __float2int_rz(float x)
{
    if (x != x) return 0;
    return x >= 0x1p31f ? 0x7fffffff : x < -0x1p31f ? -0x7fffffff - 1 : (int)x;
}

EMULATOR_WORD(int __float2int_rn(float x), __float2int_rz(rintf(x)))
EMULATOR_WORD(int __float2int_rd(float x), __float2int_rz(floorf(x)))
EMULATOR_WORD(int __float2int_ru(float x), __float2int_rz(ceilf(x)))
EMULATOR_WORD(unsigned __float2uint_rz(float x), x >= 0x1p32f ? ~0u : x > 0 ? (unsigned)x : 0)
EMULATOR_WORD(unsigned __float2uint_rn(float x), __float2uint_rz(rintf(x)))
EMULATOR_WORD(float __int2float_rn(int x), (float)x)
EMULATOR_WORD(float __uint2float_rn(unsigned x), (float)x)
EMULATOR_WORD(float __fmaf_rn(float a, float b, float c), fmaf(a, b, c))

// Rounded to nearest even, as the operators are.
EMULATOR_WORD(float __fadd_rn(float x, float y), x + y)
EMULATOR_WORD(float __fsub_rn(float x, float y), x - y)
EMULATOR_WORD(float __fmul_rn(float x, float y), (x * y))
EMULATOR_WORD(float __fdiv_rn(float x, float y), x / y)
EMULATOR_WORD(float __frcp_rn(float x), 1 / x)
EMULATOR_WORD(float __fsqrt_rn(float x), sqrtf(x))

template <class To, class From> static inline To emulator_bits(From from)
{
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

EMULATOR_WORD(int __float_as_int(float x), emulator_bits<int>(x))
EMULATOR_WORD(unsigned __float_as_uint(float x), emulator_bits<unsigned>(x))
EMULATOR_WORD(float __int_as_float(int bits), emulator_bits<float>(bits))
EMULATOR_WORD(float __uint_as_float(unsigned bits), emulator_bits<float>(bits))
EMULATOR_WORD(long long __double_as_longlong(double x), emulator_bits<long long>(x))
EMULATOR_WORD(double __longlong_as_double(long long bits), emulator_bits<double>(bits))

// ---- bytes ----

// Byte by byte where a log is kept: a call of the library would hide what it touches.
static inline void *emulator_memcpy(void *to, const void *from, size_t bytes)
{
#ifdef EMULATOR_IS_TRACED
    for (size_t i = 0; i < bytes; i++) ((volatile char *)to)[i] = ((const volatile char *)from)[i];
    return to;
#else
    return __builtin_memcpy(to, from, bytes);
#endif
}

static inline void *emulator_memset(void *to, int byte, size_t bytes)
{
#ifdef EMULATOR_IS_TRACED
    for (size_t i = 0; i < bytes; i++) ((volatile char *)to)[i] = (char)byte;
    return to;
#else
    return __builtin_memset(to, byte, bytes);
#endif
}
#define memcpy(to, from, bytes) emulator_memcpy(to, from, bytes)
#define memset(to, byte, bytes) emulator_memset(to, byte, bytes)

// ---- bits ----

EMULATOR_WORD(int __popc(unsigned x), __builtin_popcount(x))
EMULATOR_WORD(int __popcll(unsigned long long x), __builtin_popcountll(x))
EMULATOR_WORD(int __ffs(int x), __builtin_ffs(x))
EMULATOR_WORD(int __ffsll(long long x), __builtin_ffsll(x))
EMULATOR_WORD(int __clz(int x), x ? __builtin_clz((unsigned)x) : 32)
EMULATOR_WORD(int __clzll(long long x), x ? __builtin_clzll((unsigned long long)x) : 64)

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
EMULATOR_WORD(unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift),
              (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32))
EMULATOR_WORD(unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift),
              (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31)))
EMULATOR_WORD(unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift),
              shift >= 32 ? low : __funnelshift_l(low, high, shift))
EMULATOR_WORD(unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift),
              shift >= 32 ? high : __funnelshift_r(low, high, shift))

// ---- quotients ----
//
// In a fast object x / emulator_sign / y stands for x / y (cuda_text.h), whatever x and y are. Of
// whole numbers that is a quotient of doubles, several of which a processor finds at once. It is
// exact: below the next whole number lies a gap of 2^-32 at least. A y of 0 faults as ever.
struct emulator_signs {
};
static constexpr emulator_signs emulator_sign{};

template <class T> constexpr bool emulator_is_whole = false;
template <> constexpr bool emulator_is_whole<int> = true;
template <> constexpr bool emulator_is_whole<unsigned> = true;

template <class A> struct emulator_dividend {
    A value;
};

template <class A> EMULATOR_INLINED constexpr decltype(auto) operator/(const A &a, emulator_signs)
{
    if constexpr (emulator_is_whole<A>)
        return emulator_dividend<A>{a};
    else
        return (a);
}

template <class A, class B>
EMULATOR_INLINED constexpr auto operator/(emulator_dividend<A> a, const B &b)
{
    typedef decltype(A() / b) whole;
    if constexpr (emulator_is_whole<B>)
        if (!__builtin_constant_p(b) && (whole)b > 0)
            return (whole)((double)(whole)a.value / (double)(whole)b);
    return a.value / b;
}

// ---- products and sums ----

// The product of the lower 24 bits of both.
EMULATOR_WORD(int __mul24(int a, int b), (int)((unsigned)((int)((unsigned)a << 8) >> 8) *
                                               (unsigned)((int)((unsigned)b << 8) >> 8)))
EMULATOR_WORD(unsigned __umul24(unsigned a, unsigned b), (a & 0xffffff) * (b & 0xffffff))

EMULATOR_WORD(int __mulhi(int a, int b), (int)(1ll * a * b >> 32))
EMULATOR_WORD(unsigned __umulhi(unsigned a, unsigned b), (unsigned)(1ull * a * b >> 32))

// |a - b| + sum
EMULATOR_WORD(unsigned __sad(int a, int b, unsigned sum),
              sum + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a))
EMULATOR_WORD(unsigned __usad(unsigned a, unsigned b, unsigned sum), sum + (a > b ? a - b : b - a))

// skip: the first byte of b
template <class A, class B, int skip, class T>
EMULATOR_UNSEEN static inline T emulator_products(T a, T b, T c)
{
    unsigned sum = (unsigned)c;
    for (unsigned i = 0; i < 4 / sizeof(A); i++) {
        const A x = (A)((unsigned)a >> 8 * sizeof(A) * i);
        const B y = (B)((unsigned)b >> 8 * (skip + i));
        sum += (unsigned)(x * y);
    }
    return (T)sum;
}

// Four products of bytes, or two of a's shorts with b's lower or upper two bytes, and c. Operands
// are both signed or both unsigned, as ints or as vectors.
#define EMULATOR_DOT(name, T, A, B, a_vector, b_vector, skip)                    \
    EMULATOR_WORD(T name(T a, T b, T c), emulator_products<A, B, skip>(a, b, c)) \
    EMULATOR_WORD(T name(a_vector a, b_vector b, T c),                           \
                  emulator_products<A, B, skip>(emulator_bits<T>(a), emulator_bits<T>(b), c))
EMULATOR_DOT(__dp4a, int, signed char, signed char, char4, char4, 0)
EMULATOR_DOT(__dp4a, unsigned, unsigned char, unsigned char, uchar4, uchar4, 0)
EMULATOR_DOT(__dp2a_lo, int, short, signed char, short2, char4, 0)
EMULATOR_DOT(__dp2a_lo, unsigned, unsigned short, unsigned char, ushort2, uchar4, 0)
EMULATOR_DOT(__dp2a_hi, int, short, signed char, short2, char4, 2)
EMULATOR_DOT(__dp2a_hi, unsigned, unsigned short, unsigned char, ushort2, uchar4, 2)

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

// ---- the block's threads ----

// Makes the next thread of the block the running one. False: there is none left.
EMULATOR_UNSEEN static inline bool emulator_next_thread()
{
    struct emulator_turn *const turn = &emulator_turn;
    EMULATOR_LOG(end);
    if (turn->left == 0) return false;
    turn->left--;
    threadIdx.x = turn->x;
    threadIdx.y = turn->y;
    threadIdx.z = turn->z;
    if (++turn->x == blockDim.x) {
        turn->x = 0;
        if (++turn->y == blockDim.y) {
            turn->y = 0;
            turn->z++;
        }
    }
    EMULATOR_LOG(begin);
    return true;
}

EMULATOR_INLINED_END

// ---- inexact functions (device/headers.c): the C library's ----

// The type that T is computed in.
template <class T> struct emulator_reals {
    typedef double type;
};
template <> struct emulator_reals<float> {
    typedef float type;
};
template <class T> using emulator_real = typename emulator_reals<emulator_scalar<T>>::type;

// The C library's two functions, and one that takes all types.
#define EMULATOR_INEXACT(name)                                                   \
    extern "C" float name##f(float);                                             \
    extern "C" double name(double);                                              \
    template <class T> EMULATOR_INLINED static inline emulator_real<T> name(T x) \
    {                                                                            \
        if constexpr (sizeof(emulator_real<T>) == sizeof(float))                 \
            return name##f(x);                                                   \
        else                                                                     \
            return name((double)x);                                              \
    }
#define EMULATOR_INEXACT_PAIR(name)                                                            \
    extern "C" float name##f(float, float);                                                    \
    extern "C" double name(double, double);                                                    \
    template <class A, class B>                                                                \
    EMULATOR_INLINED static inline decltype(emulator_real<A>() * emulator_real<B>()) name(A a, \
                                                                                          B b) \
    {                                                                                          \
        if constexpr (sizeof(emulator_real<A>() * emulator_real<B>()) == sizeof(float))        \
            return name##f(a, b);                                                              \
        else                                                                                   \
            return name((double)a, (double)b);                                                 \
    }
// In terms of others and x, for floats and doubles.
#define EMULATOR_INEXACT_AS(name, of_float, of_double) \
    EMULATOR_WORD(float name##f(float x), of_float)    \
    EMULATOR_WORD(float name(float x), of_float)       \
    EMULATOR_WORD(double name(double x), of_double)
EMULATOR_INEXACT(exp)
EMULATOR_INEXACT(exp2)
EMULATOR_INEXACT(exp10)
EMULATOR_INEXACT(expm1)
EMULATOR_INEXACT(log)
EMULATOR_INEXACT(log2)
EMULATOR_INEXACT(log10)
EMULATOR_INEXACT(log1p)
EMULATOR_INEXACT(sin)
EMULATOR_INEXACT(cos)
EMULATOR_INEXACT(tan)
EMULATOR_INEXACT(asin)
EMULATOR_INEXACT(acos)
EMULATOR_INEXACT(atan)
EMULATOR_INEXACT(sinh)
EMULATOR_INEXACT(cosh)
EMULATOR_INEXACT(tanh)
EMULATOR_INEXACT(asinh)
EMULATOR_INEXACT(acosh)
EMULATOR_INEXACT(atanh)
EMULATOR_INEXACT(cbrt)
EMULATOR_INEXACT(erf)
EMULATOR_INEXACT(erfc)
EMULATOR_INEXACT(lgamma)
EMULATOR_INEXACT(tgamma)
EMULATOR_INEXACT_PAIR(pow)
EMULATOR_INEXACT_PAIR(atan2)
EMULATOR_INEXACT_PAIR(hypot)
EMULATOR_INEXACT_AS(rsqrt, 1 / sqrtf(x), 1 / sqrt(x))
EMULATOR_INEXACT_AS(rcbrt, 1 / cbrtf(x), 1 / cbrt(x))
EMULATOR_INEXACT_AS(normcdf, 0.5f * erfcf(-0.70710678f * x), 0.5 * erfc(-0.70710678118654752 * x))
EMULATOR_INEXACT_AS(sinpi, (float)sin(3.14159265358979324 * __builtin_fmod(x, 2)),
                    sin(3.14159265358979324 * __builtin_fmod(x, 2)))
EMULATOR_INEXACT_AS(cospi, (float)cos(3.14159265358979324 * __builtin_fmod(x, 2)),
                    cos(3.14159265358979324 * __builtin_fmod(x, 2)))
EMULATOR_WORD(float __expf(float x), expf(x))
EMULATOR_WORD(float __exp10f(float x), exp10f(x))
EMULATOR_WORD(float __logf(float x), logf(x))
EMULATOR_WORD(float __log2f(float x), log2f(x))
EMULATOR_WORD(float __log10f(float x), log10f(x))
EMULATOR_WORD(float __sinf(float x), sinf(x))
EMULATOR_WORD(float __cosf(float x), cosf(x))
EMULATOR_WORD(float __tanf(float x), tanf(x))
EMULATOR_WORD(float __tanhf(float x), tanhf(x))
EMULATOR_WORD(float __frsqrt_rn(float x), rsqrtf(x))
EMULATOR_WORD(float __powf(float x, float y), powf(x, y))
EMULATOR_WORD(float fdividef(float x, float y), x / y)
EMULATOR_WORD(float __fdividef(float x, float y), x / y)

// The kernel's own stores, which are traced.
#define EMULATOR_SINCOS(name, T, sin, cos)                            \
    EMULATOR_INLINED static inline void name(T x, T *sine, T *cosine) \
    {                                                                 \
        *sine = sin(x);                                               \
        *cosine = cos(x);                                             \
    }
EMULATOR_SINCOS(sincosf, float, sinf, cosf)
EMULATOR_SINCOS(__sincosf, float, sinf, cosf)
EMULATOR_SINCOS(sincos, float, sinf, cosf)
EMULATOR_SINCOS(sincos, double, sin, cos)

// Kernels only read them, as blockDim and gridDim.
#define threadIdx (*(const uint3 *)&threadIdx)
#define blockIdx  (*(const uint3 *)&blockIdx)

#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : emulator_assert(#__VA_ARGS__, __FILE__, __LINE__))
#endif

#endif

// cuda_bf16.h -- __nv_bfloat16 and __nv_bfloat162, the upper half of a float, with the arithmetic
// that kernels of courses use. Each operation rounds once, so results are the same on every device.
// nvcc takes NVIDIA's header instead.
#ifndef CUDA_BF16_H
#define CUDA_BF16_H

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include_next <cuda_bf16.h>
#else

#define BF16_INLINE static __device__ __forceinline__
#define BF16_METHOD __device__ __forceinline__

// The upper 16 bits of a float, rounded to the nearest, or to the even one.
BF16_INLINE unsigned short bf16_bits_of(unsigned int bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;  // no number
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

BF16_INLINE unsigned short bf16_bits(float x)
{
    return bf16_bits_of(__float_as_uint(x));
}

// A double that the float rounded to the middle of two does not lie there.
BF16_INLINE unsigned short bf16_bits(double x)
{
    const float near = (float)x;
    const double apart = x < 0 ? near - x : x - near;  // how much larger x is
    const unsigned int bits = __float_as_uint(near);
    return bf16_bits_of((bits & 0xffff) != 0x8000 ? bits : bits + (apart > 0) - (apart < 0));
}

struct __nv_bfloat16_raw {
    unsigned short x;
};

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    BF16_METHOD __nv_bfloat16(float x) : bits(bf16_bits(x)) {}
    BF16_METHOD __nv_bfloat16(double x) : bits(bf16_bits(x)) {}
    BF16_METHOD __nv_bfloat16(int x) : bits(bf16_bits((double)x)) {}
    BF16_METHOD __nv_bfloat16(unsigned int x) : bits(bf16_bits((double)x)) {}
    BF16_METHOD __nv_bfloat16(__nv_bfloat16_raw raw) : bits(raw.x) {}
    BF16_METHOD operator __nv_bfloat16_raw() const { return {bits}; }
    BF16_METHOD operator float() const { return __uint_as_float((unsigned int)bits << 16); }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __align__(4) __nv_bfloat162
{
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    BF16_METHOD __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

// The value of an expression in terms of a, b and c.
#define BF16_WORD(type, name, parameters, ...) \
    BF16_INLINE type name parameters           \
    {                                          \
        return __VA_ARGS__;                    \
    }
BF16_WORD(__nv_bfloat16, __float2bfloat16, (float a), a)
BF16_WORD(__nv_bfloat16, __float2bfloat16_rn, (float a), a)
BF16_WORD(__nv_bfloat16, __double2bfloat16, (double a), a)
BF16_WORD(__nv_bfloat16, __int2bfloat16_rn, (int a), a)
BF16_WORD(float, __bfloat162float, (__nv_bfloat16 a), (float)a)
BF16_WORD(unsigned short, __bfloat16_as_ushort, (__nv_bfloat16 a), a.bits)
BF16_WORD(__nv_bfloat16, __ushort_as_bfloat16, (unsigned short bits), __nv_bfloat16_raw{bits})
BF16_WORD(__nv_bfloat162, make_bfloat162, (__nv_bfloat16 a, __nv_bfloat16 b), {a, b})
BF16_WORD(__nv_bfloat162, __halves2bfloat162, (__nv_bfloat16 a, __nv_bfloat16 b), {a, b})
BF16_WORD(__nv_bfloat162, __bfloat162bfloat162, (__nv_bfloat16 a), {a, a})
BF16_WORD(__nv_bfloat162, __float2bfloat162_rn, (float a), {a, a})
BF16_WORD(__nv_bfloat162, __floats2bfloat162_rn, (float a, float b), {a, b})
BF16_WORD(__nv_bfloat162, __float22bfloat162_rn, (float2 a), {a.x, a.y})
BF16_WORD(float2, __bfloat1622float2, (__nv_bfloat162 a), {(float)a.x, (float)a.y})
BF16_WORD(__nv_bfloat16, __low2bfloat16, (__nv_bfloat162 a), a.x)
BF16_WORD(__nv_bfloat16, __high2bfloat16, (__nv_bfloat162 a), a.y)
BF16_WORD(float, __low2float, (__nv_bfloat162 a), (float)a.x)
BF16_WORD(float, __high2float, (__nv_bfloat162 a), (float)a.y)
BF16_WORD(__nv_bfloat16, operator-, (__nv_bfloat16 a), -(float)a)
BF16_WORD(__nv_bfloat16, __hneg, (__nv_bfloat16 a), -(float)a)
BF16_WORD(__nv_bfloat16, __habs, (__nv_bfloat16 a), fabsf((float)a))
BF16_WORD(__nv_bfloat16, __hmax, (__nv_bfloat16 a, __nv_bfloat16 b), fmaxf((float)a, (float)b))
BF16_WORD(__nv_bfloat16, __hmin, (__nv_bfloat16 a, __nv_bfloat16 b), fminf((float)a, (float)b))
BF16_WORD(__nv_bfloat16, __hfma, (__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c),
          (double)(float)a *(double)(float)b + (double)(float)c)

#define BF16_COMPARISON(name, sign)                                                   \
    BF16_WORD(bool, name, (__nv_bfloat16 a, __nv_bfloat16 b), (float)a sign(float) b) \
    BF16_WORD(bool, operator sign, (__nv_bfloat16 a, __nv_bfloat16 b), (float)a sign(float) b)
BF16_COMPARISON(__heq, ==)
BF16_COMPARISON(__hne, !=)
BF16_COMPARISON(__hlt, <)
BF16_COMPARISON(__hle, <=)
BF16_COMPARISON(__hgt, >)
BF16_COMPARISON(__hge, >=)

// A float holds each result so exactly that rounding it again changes nothing.
#define BF16_OPERATOR(name, sign)                                                              \
    BF16_WORD(__nv_bfloat16, name, (__nv_bfloat16 a, __nv_bfloat16 b), (float)a sign(float) b) \
    BF16_WORD(__nv_bfloat16, operator sign, (__nv_bfloat16 a, __nv_bfloat16 b), name(a, b))    \
    BF16_WORD(__nv_bfloat16 &, operator sign##=, (__nv_bfloat16 & a, __nv_bfloat16 b),         \
              a = name(a, b))                                                                  \
    BF16_WORD(__nv_bfloat162, name##2, (__nv_bfloat162 a, __nv_bfloat162 b),                   \
              {name(a.x, b.x), name(a.y, b.y)})                                                \
    BF16_WORD(__nv_bfloat162, operator sign, (__nv_bfloat162 a, __nv_bfloat162 b), name##2(a, b))
BF16_OPERATOR(__hadd, +)
BF16_OPERATOR(__hsub, -)
BF16_OPERATOR(__hmul, *)
BF16_OPERATOR(__hdiv, /)

#ifndef __CUDACC__
EMULATOR_ATOMIC(atomicAdd, __nv_bfloat16, __hadd(old, value))
#elif __CUDA_ARCH__ >= 700
BF16_INLINE __nv_bfloat16 atomicAdd(__nv_bfloat16 *pointer, __nv_bfloat16 value)
{
    unsigned short *const at = (unsigned short *)pointer;
    __nv_bfloat16 old;
    for (unsigned short seen = *at;; seen = old.bits) {
        const __nv_bfloat16 before = __nv_bfloat16_raw{seen};
        old.bits = atomicCAS(at, seen, __hadd(before, value).bits);
        if (old.bits == seen) return old;
    }
}
#endif

#endif
#endif

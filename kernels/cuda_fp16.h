// cuda_fp16.h -- half and half2, with the arithmetic that kernels of courses use. Each operation
// rounds once, as the GPU does, so results are the same on every device. nvcc takes NVIDIA's header
// instead.
#ifndef CUDA_FP16_H
#define CUDA_FP16_H

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include_next <cuda_fp16.h>
#else

#define HALF_INLINE static __device__ __forceinline__
#define HALF_METHOD __device__ __forceinline__

// ---- bits: a sign, five of exponent, ten of mantissa ----

#ifdef __CUDACC__
HALF_INLINE unsigned short half_bits(double x)
{
    unsigned short bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
    return bits;
}

HALF_INLINE unsigned short half_bits(float x)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

HALF_INLINE float half_value(unsigned short bits)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}
#else
// A double's mantissa has 42 bits more. A sum that carries goes into the exponent, as it must.
HALF_INLINE unsigned short half_bits(double x)
{
    const double magnitude = x < 0 ? -x : x;
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const int sign = (int)(bits >> 48) & 0x8000;
    bits &= ~0ull >> 1;
    if (x != x) return 0x7fff;
    if (magnitude >= 65520) return (unsigned short)(sign | 0x7c00);
    if (magnitude < 0x1p-14)
        return (unsigned short)(sign | (int)__builtin_rint(magnitude * 0x1p24));
    bits += (1ull << 41) - 1 + (bits >> 42 & 1);
    return (unsigned short)(sign | (int)((bits >> 42) - (1008 << 10)));
}

HALF_INLINE unsigned short half_bits(float x)
{
    return half_bits((double)x);
}

HALF_INLINE float half_value(unsigned short bits)
{
    const unsigned int mantissa = (bits & 0x7fffu) << 13;
    const unsigned int all = (bits & 0x7c00) == 0x7c00 ? mantissa | 0x7f800000 : mantissa;
    float magnitude;
    __builtin_memcpy(&magnitude, &all, sizeof magnitude);
    if (all < 0x7f800000) magnitude *= 0x1p112f;
    return bits & 0x8000 ? -magnitude : magnitude;
}
#endif

// ---- half ----

struct __half {
    unsigned short bits;
    __half() = default;
    HALF_METHOD __half(float x) : bits(half_bits(x)) {}
    HALF_METHOD __half(double x) : bits(half_bits(x)) {}
    HALF_METHOD __half(int x) : bits(half_bits((double)x)) {}
    HALF_METHOD __half(unsigned int x) : bits(half_bits((double)x)) {}
    HALF_METHOD operator float() const { return half_value(bits); }
};
typedef __half half;

HALF_INLINE half __float2half(float x)
{
    return half(x);
}
HALF_INLINE half __float2half_rn(float x)
{
    return half(x);
}
HALF_INLINE half __double2half(double x)
{
    return half(x);
}
HALF_INLINE half __int2half_rn(int x)
{
    return half(x);
}
HALF_INLINE half __uint2half_rn(unsigned int x)
{
    return half(x);
}
HALF_INLINE float __half2float(half x)
{
    return half_value(x.bits);
}
HALF_INLINE unsigned short __half_as_ushort(half x)
{
    return x.bits;
}

HALF_INLINE half __ushort_as_half(unsigned short bits)
{
    half x;
    x.bits = bits;
    return x;
}

HALF_INLINE int __half2int_rz(half x)
{
    return (int)half_value(x.bits);
}
HALF_INLINE int __half2int_rn(half x)
{
    return (int)rintf(half_value(x.bits));
}

// A float holds a sum, a product, a quotient or a root so exactly that rounding it again changes
// nothing, and a double a product and a sum.
HALF_INLINE half __hadd(half a, half b)
{
    return half((float)a + (float)b);
}
HALF_INLINE half __hsub(half a, half b)
{
    return half((float)a - (float)b);
}
HALF_INLINE half __hmul(half a, half b)
{
    return half((float)a * (float)b);
}
HALF_INLINE half __hdiv(half a, half b)
{
    return half((float)a / (float)b);
}
HALF_INLINE half hsqrt(half a)
{
    return half(sqrtf((float)a));
}
HALF_INLINE half __hneg(half a)
{
    return half(-(float)a);
}
HALF_INLINE half __habs(half a)
{
    return half(fabsf((float)a));
}
HALF_INLINE half __hmax(half a, half b)
{
    return half(fmaxf((float)a, (float)b));
}
HALF_INLINE half __hmin(half a, half b)
{
    return half(fminf((float)a, (float)b));
}
HALF_INLINE half __hfma(half a, half b, half c)
{
#ifdef __CUDACC__
    half result;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return result;
#else
    return half((double)(float)a * (double)(float)b + (double)(float)c);
#endif
}

#define HALF_COMPARISON(name, sign)                \
    HALF_INLINE bool name(half a, half b)          \
    {                                              \
        return (float)a sign(float) b;             \
    }                                              \
    HALF_INLINE bool operator sign(half a, half b) \
    {                                              \
        return (float)a sign(float) b;             \
    }
HALF_COMPARISON(__heq, ==)
HALF_COMPARISON(__hne, !=)
HALF_COMPARISON(__hlt, <)
HALF_COMPARISON(__hle, <=)
HALF_COMPARISON(__hgt, >)
HALF_COMPARISON(__hge, >=)

// ---- half2 ----

struct __align__(4) __half2
{
    half x, y;
    __half2() = default;
    HALF_METHOD __half2(half a, half b) : x(a), y(b) {}
};
typedef __half2 half2;

HALF_INLINE half2 make_half2(half a, half b)
{
    return half2(a, b);
}
HALF_INLINE half2 __halves2half2(half a, half b)
{
    return half2(a, b);
}
HALF_INLINE half2 __half2half2(half a)
{
    return half2(a, a);
}
HALF_INLINE half2 __float2half2_rn(float a)
{
    return half2(half(a), half(a));
}
HALF_INLINE half2 __floats2half2_rn(float a, float b)
{
    return half2(half(a), half(b));
}
HALF_INLINE half2 __float22half2_rn(float2 a)
{
    return half2(half(a.x), half(a.y));
}
HALF_INLINE float2 __half22float2(half2 a)
{
    return make_float2((float)a.x, (float)a.y);
}
HALF_INLINE half __low2half(half2 a)
{
    return a.x;
}
HALF_INLINE half __high2half(half2 a)
{
    return a.y;
}
HALF_INLINE float __low2float(half2 a)
{
    return (float)a.x;
}
HALF_INLINE float __high2float(half2 a)
{
    return (float)a.y;
}
HALF_INLINE half2 __hfma2(half2 a, half2 b, half2 c)
{
    return half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

#define HALF_OPERATOR(name, sign)                          \
    HALF_INLINE half operator sign(half a, half b)         \
    {                                                      \
        return name(a, b);                                 \
    }                                                      \
    HALF_INLINE half &operator sign##=(half &a, half b)    \
    {                                                      \
        return a = name(a, b);                             \
    }                                                      \
    HALF_INLINE half2 name##2(half2 a, half2 b)            \
    {                                                      \
        return half2(name(a.x, b.x), name(a.y, b.y));      \
    }                                                      \
    HALF_INLINE half2 operator sign(half2 a, half2 b)      \
    {                                                      \
        return name##2(a, b);                              \
    }                                                      \
    HALF_INLINE half2 &operator sign##=(half2 &a, half2 b) \
    {                                                      \
        return a = name##2(a, b);                          \
    }
HALF_OPERATOR(__hadd, +)
HALF_OPERATOR(__hsub, -)
HALF_OPERATOR(__hmul, *)
HALF_OPERATOR(__hdiv, /)
HALF_INLINE half operator-(half a)
{
    return __hneg(a);
}

#ifndef __CUDACC__
EMULATOR_ATOMIC(atomicAdd, half, __hadd(old, value))
#elif __CUDA_ARCH__ >= 700
HALF_INLINE half atomicAdd(half *pointer, half value)
{
    half old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
                 : "=h"(old.bits)
                 : "l"(pointer), "h"(value.bits)
                 : "memory");
    return old;
}
#endif

#endif
#endif

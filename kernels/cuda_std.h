// cuda_std.h -- the part of CUDA's C++ library that kernels use most: min, max, clamp, swap, array,
// pair and numeric_limits of namespace cuda::std. The program includes it before a file that says
// cuda::std. nvcc has CUDA's own.
#ifndef CUDA_STD_H
#define CUDA_STD_H

namespace cuda::std
{

#define CUDA_STD_INLINE __device__ __forceinline__

template <class type> CUDA_STD_INLINE constexpr const type &min(const type &a, const type &b)
{
    return b < a ? b : a;
}

template <class type> CUDA_STD_INLINE constexpr const type &max(const type &a, const type &b)
{
    return a < b ? b : a;
}

template <class type>
CUDA_STD_INLINE constexpr const type &clamp(const type &a, const type &low, const type &high)
{
    return a < low ? low : high < a ? high : a;
}

template <class type> CUDA_STD_INLINE void swap(type &a, type &b)
{
    const type was = a;
    a = b;
    b = was;
}

template <class type> CUDA_STD_INLINE constexpr type abs(type a)
{
    return a < 0 ? -a : a;
}

template <class type, size_t count> struct array {
    type elements[count];

    CUDA_STD_INLINE constexpr type &operator[](size_t i)
    {
        return elements[i];
    }
    CUDA_STD_INLINE constexpr const type &operator[](size_t i) const
    {
        return elements[i];
    }
    CUDA_STD_INLINE constexpr size_t size() const
    {
        return count;
    }
    CUDA_STD_INLINE constexpr type *data()
    {
        return elements;
    }
    CUDA_STD_INLINE constexpr type *begin()
    {
        return elements;
    }
    CUDA_STD_INLINE constexpr type *end()
    {
        return elements + count;
    }
    CUDA_STD_INLINE constexpr const type *begin() const
    {
        return elements;
    }
    CUDA_STD_INLINE constexpr const type *end() const
    {
        return elements + count;
    }
    CUDA_STD_INLINE void fill(const type &value)
    {
        for (type &one : elements) one = value;
    }
};

template <class one, class other> struct pair {
    one first;
    other second;
};

template <class type> struct numeric_limits;
#define CUDA_STD_LIMITS(type, low, least, most, above)    \
    template <> struct numeric_limits<type> {             \
        static CUDA_STD_INLINE constexpr type lowest()    \
        {                                                 \
            return low;                                   \
        }                                                 \
        static CUDA_STD_INLINE constexpr type(min)()      \
        {                                                 \
            return least;                                 \
        }                                                 \
        static CUDA_STD_INLINE constexpr type(max)()      \
        {                                                 \
            return most;                                  \
        }                                                 \
        static CUDA_STD_INLINE type infinity()            \
        {                                                 \
            return above;                                 \
        }                                                 \
    };
#define CUDA_STD_WHOLE(type, least, most) CUDA_STD_LIMITS(type, least, least, most, 0)
CUDA_STD_LIMITS(float, -FLT_MAX, FLT_MIN, FLT_MAX, INFINITY)
CUDA_STD_LIMITS(double, -DBL_MAX, DBL_MIN, DBL_MAX, INFINITY)
CUDA_STD_WHOLE(signed char, -128, 127)
CUDA_STD_WHOLE(unsigned char, 0, 255)
CUDA_STD_WHOLE(short, -32768, 32767)
CUDA_STD_WHOLE(unsigned short, 0, 65535)
CUDA_STD_WHOLE(int, -0x7fffffff - 1, 0x7fffffff)
CUDA_STD_WHOLE(unsigned int, 0, 0xffffffff)
CUDA_STD_WHOLE(long long, -0x7fffffffffffffff - 1, 0x7fffffffffffffff)
CUDA_STD_WHOLE(unsigned long long, 0, 0xffffffffffffffff)

}  // namespace cuda::std

#endif

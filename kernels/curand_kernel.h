// curand_kernel.h -- random numbers in kernels, in place of cuRAND's device header: a generator of
// its own for each thread, of the same kind as cuRAND's default one (XORWOW). Seeds and sequences
// begin elsewhere than in cuRAND, so the numbers are others, but every device has the same. nvcc
// takes NVIDIA's header instead.
#ifndef CURAND_KERNEL_H
#define CURAND_KERNEL_H

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include_next <curand_kernel.h>
#else

#define CURAND_INLINE static __device__ __forceinline__

struct curandState {
    unsigned int v[5], d;
};
typedef curandState curandState_t, curandStateXORWOW, curandStateXORWOW_t;

// The next 32 bits (George Marsaglia, Xorshift RNGs, 2003).
CURAND_INLINE unsigned int curand(curandState *state)
{
    const unsigned int t = state->v[0] ^ state->v[0] >> 2;
    for (int i = 0; i < 4; i++) state->v[i] = state->v[i + 1];
    state->v[4] = state->v[4] ^ state->v[4] << 4 ^ t ^ t << 1;
    state->d += 362437;
    return state->v[4] + state->d;
}

CURAND_INLINE void curand_init(unsigned long long seed, unsigned long long sequence,
                               unsigned long long offset, curandState *state)
{
    unsigned long long x = seed ^ (sequence + 1) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < 5; i++) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ x >> 27) * 0x94d049bb133111ebull;
        x += 0x9e3779b97f4a7c15ull;
        state->v[i] = (unsigned int)(x >> 32) | (i == 4);  // not all of them may be 0
    }
    state->d = (unsigned int)x;
    for (unsigned long long i = 0; i < offset; i++) curand(state);
}

// Above 0, and up to 1.
CURAND_INLINE float curand_uniform(curandState *state)
{
    return (float)curand(state) * 0x1p-32f + 0x1p-33f;
}

CURAND_INLINE double curand_uniform_double(curandState *state)
{
    const unsigned long long high = curand(state);
    return (double)(high << 21 ^ curand(state) >> 11) * 0x1p-53 + 0x1p-54;
}

// The natural logarithm of what lies above 0, by operations whose last bits do not differ between
// devices: x is m times a power of two, and ln m = 2 (t + t^3 / 3 + t^5 / 5 ...).
CURAND_INLINE double curand_ln(double x)
{
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    const int power = (int)(bits >> 52) - 1023;
    bits -= (long long)power << 52;
    memcpy(&x, &bits, sizeof x);
    const double t = (x - 1) / (x + 1);
    double sum = 0;
    for (int i = 31; i > 0; i -= 2) sum = sum * t * t + 1.0 / i;
    return 2 * t * sum + power * 0.693147180559945309;
}

// Mean 0 and deviation 1 (Marsaglia's polar method): points in the unit circle, moved outwards.
CURAND_INLINE double2 curand_normal2_double(curandState *state)
{
    double x, y, square;
    do {
        x = 2 * curand_uniform_double(state) - 1;
        y = 2 * curand_uniform_double(state) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = sqrt(-2 * curand_ln(square) / square);
    return make_double2(x * factor, y * factor);
}

CURAND_INLINE float2 curand_normal2(curandState *state)
{
    const double2 both = curand_normal2_double(state);
    return make_float2((float)both.x, (float)both.y);
}

CURAND_INLINE double curand_normal_double(curandState *state)
{
    return curand_normal2_double(state).x;
}

CURAND_INLINE float curand_normal(curandState *state)
{
    return (float)curand_normal2_double(state).x;
}

#endif
#endif

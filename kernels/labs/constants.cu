//! lab "Constant memory" key C
//! param distinct  1 [1, 32]  how many different coefficients the lanes of a warp want at a time
//! param steps     256 cpu=32 [1, 1024]  coefficients of the polynomial
//! param n         1048576 cpu=65536 [1, 67108864]  numbers
// x is -1, 0 or 1, so that the sums are whole numbers, which floats hold exactly.
//! array x  in  [n] noise -1, 1
//! array c  in  [256] counted
//! array y  out [n] shown 0, 128 * steps ramp
//! goal sectors <= 1.05 copy
#include "lab.h"

// Where number i's coefficient for step k is.
static __host__ __device__ __forceinline__ int place(int i, int k, int distinct)
{
    return (k + i % distinct) & 255;
}

// A polynomial of x, by Horner's rule: ((c0 x + c1) x + c2) x …
//! reference y
__host__ __device__ double constants_reference(const float *x, const float *c, int distinct,
                                               int steps, long long i)
{
    double value = 0;
    for (int k = 0; k < steps; k++) value = value * x[i] + c[place((int)i, k, distinct)];
    return value;
}

// The coefficients are in global memory, and soon in the L1 cache. One access serves all lanes,
// since what they want is in one or two lines. On an H200, unrolled: 40 us, or 66 if distinct > 1.
//! variant global 256x1 columns=bw*bh
__global__ void constants_global(float *y, const float *x, const float *c, int distinct, int steps,
                                 int n)
{
    const int i = blockIdx.x * num_threads() + thread_rank();
    if (i >= n) return;
    float value = 0;
    for (int k = 0; k < steps; k++) value = fmaf(value, x[i], c[place(i, k, distinct)]);
    y[i] = value;
}

// The block stages the coefficients in shared memory: 22 us, or 44 us if distinct > 1, when four
// can no longer be loaded at once.
//! variant shared 256x1 columns=bw*bh
__global__ void constants_shared(float *y, const float *x, const float *c, int distinct, int steps,
                                 int n)
{
    __shared__ __align__(16) float staged[256];
    for (int k = thread_rank(); k < 256; k += num_threads()) staged[k] = c[k];
    __syncthreads();
    const int i = blockIdx.x * num_threads() + thread_rank();
    if (i >= n) return;
    float value = 0;
    for (int k = 0; k < steps; k++) value = fmaf(value, x[i], staged[place(i, k, distinct)]);
    y[i] = value;
}

#define FOUR(i)    (i), (i) + 1, (i) + 2, (i) + 3
#define SIXTEEN(i) FOUR(i), FOUR((i) + 4), FOUR((i) + 8), FOUR((i) + 12)
#define QUARTER(i) SIXTEEN(i), SIXTEEN((i) + 16), SIXTEEN((i) + 32), SIXTEEN((i) + 48)
__constant__ float same_c[256] = {QUARTER(0), QUARTER(64), QUARTER(128), QUARTER(192)};

// The coefficients are in constant memory, whose cache serves one word at a time. A word that all
// lanes want is an operand like a register: 16 us. Different ones come one after the other: 136 us
// for two, 2123 us for 32.
//! variant constant 256x1 columns=bw*bh
__global__ void constants_constant(float *y, const float *x, int distinct, int steps, int n)
{
    const int i = blockIdx.x * num_threads() + thread_rank();
    if (i >= n) return;
    float value = 0;
    for (int k = 0; k < steps; k++) value = fmaf(value, x[i], same_c[place(i, k, distinct)]);
    y[i] = value;
}

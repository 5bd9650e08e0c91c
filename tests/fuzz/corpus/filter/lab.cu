//! lab "Turned" key T
//! file .bin rows a -> rows columns b
#include "lab.h"

//! param rows     4096 cpu=512 [1, 32768] of a
//! param columns  7 [1, 99 step 3]
//! param alpha    0.5 [0, 1]
//! let both = rows*columns
//! array a in [rows][columns] noise -rows, max(1, rows)
//! array p unsigned int in [both] permutation
//! array k in [2][rows][columns] counted
//! array b out [columns][rows] shown 0, 255
//! array t int scratch [both]

//! reference b
double at(const unsigned char *a, long long i)
{
    return a[i];
}

// One thread an element.
//! variant naive 32x8 prepare=turn finish=turn_back
__global__ void naive(float4 *b, const float (*k)[4], int rows, float alpha) {}
//! variant square 32x8 of square<8, (4 > 3)> domain=both, min(rows, 9) each=4x4 shared=4*bw
//! variant square 16x16 of course::square<1>
namespace course {
template <int N, bool is = true>
__global__ void __launch_bounds__(N * 32, 1) square(float b[], const unsigned char *__restrict__ a)
{
    extern __shared__ float s[];
}
}
//! untimed 32x8 domain=rows, columns
extern "C" __global__ void turn(int columns = 1 << 2) {}
//! untimed 16x16
__global__ void turn_back() {}

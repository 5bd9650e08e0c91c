//! lab "Transpose"
#include "lab.h"

struct params {
    int rows;     //! 512 [1, 32768] rows of a
    int columns;  //! 512 [1, 32768] columns of a
};

struct arrays {
    const float *a;  //! in [rows][columns] noise 0, 255
    float *b;        //! out [columns][rows] shown 0, 255
    float *t;        //! scratch [columns][rows]
};

static __device__ int power(int of, int exponent)
{
    return exponent > 0 ? of * power(of, exponent - 1) * power(of, exponent / 2) : 1;
}

//! variant mine 32x8
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < p.rows && y < p.columns) d.b[y * p.rows + x] = d.a[x * p.columns + y] * power(1, x % 4);
}

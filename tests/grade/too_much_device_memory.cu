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

__constant__ float own[1 << 10][1 << 20];

// Four gigabytes of its own.
//! variant mine 32x8
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= p.rows || y >= p.columns) return;
    d.b[y * p.rows + x] = d.a[x * p.columns + y] + own[0][y * p.rows + x];
}

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

// The tile is one row too small.
//! variant mine 32x8 shared=4*bw*(bh - 1)
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (x >= p.rows || y >= p.columns) return;
    ((float *)tile)[thread] = d.a[x * p.columns + y];
    d.b[y * p.rows + x] = ((float *)tile)[thread];
}

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

// Nobody waits until the tile is full. Where threads run one after the other, it happens to be.
//! variant mine 32x8 shared=4*bw*bh
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    ((float *)tile)[thread] = x < p.rows && y < p.columns ? d.a[x * p.columns + y] : 0;
    if (x < p.rows && y < p.columns) d.b[y * p.rows + x] = ((float *)tile)[thread];
    if (thread == 255 && ((float *)tile)[0] < 0) d.b[0] = 0;
}

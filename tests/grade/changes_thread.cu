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

// What a thread does after that would stand in another one's log.
//! variant mine 32x8 domain=columns, rows
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    threadIdx.y += 8;
    __syncthreads();
    if (x < p.columns && y < p.rows) d.b[x * p.rows + y] = d.a[y * p.columns + x];
}

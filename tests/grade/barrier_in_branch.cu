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

// Half of the threads go past the barrier, and read what the other half has not written yet.
//! variant mine 32x8 shared=4*bw*bh
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, opposite = thread ^ 128;
    ((float *)tile)[thread] = x < p.rows && y < p.columns ? d.a[x * p.columns + y] : 0;
    if (threadIdx.y < 4) __syncthreads();
    if (x < p.rows && y < p.columns)
        d.b[y * p.rows + x] = ((float *)tile)[opposite] > -1 ? ((float *)tile)[thread] : 0;
}

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

struct element {
    float value;
};

static __device__ float same(struct element e)
{
    return e.value;
}

static __device__ float opposite(struct element e)
{
    return -e.value;
}

// As in hidden_load.cu, but of shared memory, whose columns have conflicts.
//! variant mine 32x32
KERNEL(transpose_mine)
{
    __shared__ struct element s[32][32];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    const int column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    float (*const ways[])(struct element) = {same, opposite};
    if (column < p.columns && row < p.rows)
        s[threadIdx.y][threadIdx.x].value = d.a[row * p.columns + column];
    __syncthreads();
    if (x < p.rows && y < p.columns)
        d.b[y * p.rows + x] = ways[p.rows < 0](s[threadIdx.x][threadIdx.y]);
}

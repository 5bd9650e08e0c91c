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

static __device__ struct element same(float value)
{
    return (struct element){value};
}

static __device__ struct element opposite(float value)
{
    return (struct element){-value};
}

// The C compiler does not report the store of what a function returns that is called by its address.
//! variant mine 32x8 domain=columns, rows
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    struct element (*const ways[])(float) = {same, opposite};
    if (x < p.columns && y < p.rows)
        *(struct element *)&d.b[x * p.rows + y] = ways[p.rows < 0](d.a[y * p.columns + x]);
}

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

// The C compiler does not report the load of an argument of a function that is called by its address.
//! variant mine 32x8
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float (*const ways[])(struct element) = {same, opposite};
    if (x < p.rows && y < p.columns)
        d.b[y * p.rows + x] = ways[p.rows < 0](*(const struct element *)&d.a[x * p.columns + y]);
}

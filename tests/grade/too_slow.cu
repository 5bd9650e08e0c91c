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

// Each thread reads a sector of its row to find one number.
//! variant mine 32x8
KERNEL(transpose_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= p.rows || y >= p.columns) return;
    float found = 0;
    for (int k = y & ~7; k < p.columns && k <= (y | 7); k++) {
        const float value = d.a[x * p.columns + k];
        if (k == y) found = value;
    }
    d.b[y * p.rows + x] = found;
}

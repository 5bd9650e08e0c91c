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

// Element (row, column) of the tile that a block transposes.
#define S(row, column) ((float *)tile)[(row) * 33 + (column)]

// Rows are read and rows are written; a tile of 33 columns has no conflicts.
//! variant mine 32x8 each=1x4 block=fixed shared=4*32*33
KERNEL(transpose_mine)
{
    const int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    const bool is_inside = column < p.rows;
    for (int k = 0; k < 32; k += 8)
        if (x < p.columns && y + k < p.rows) S(threadIdx.y + k, threadIdx.x) = d.a[(y + k) * p.columns + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        if (is_inside && row + k < p.columns) d.b[(row + k) * p.rows + column] = S(threadIdx.x, threadIdx.y + k);
}

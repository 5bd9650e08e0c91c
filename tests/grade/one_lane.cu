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

// A block is one thread, so that each request is as small as it can be, and there are many of them.
//! variant mine 1x1 domain=columns, rows
KERNEL(transpose_mine)
{
    const int x = blockIdx.x, y = blockIdx.y;
    if (x < p.columns && y < p.rows) d.b[x * p.rows + y] = d.a[y * p.columns + x];
}

//! lab "Transpose"
//! param rows     512 [1, 32768]  rows of a
//! param columns  512 [1, 32768]  columns of a
//! array a  in      [rows][columns] noise 0, 255
//! array b  out     [columns][rows] shown 0, 255
#include "lab.h"

// Rows are read and rows are written; a square of 33 columns has no conflicts.
//! variant mine 32x8 each=1x4 block=fixed shared=4*32*33
__global__ void transpose_mine(float *b, const float *a, int rows, int columns)
{
    extern __shared__ float square[][33];
    const int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    const bool is_inside = column < rows;
    for (int k = 0; k < 32; k += 8)
        if (x < columns && y + k < rows) square[threadIdx.y + k][threadIdx.x] = a[(y + k) * columns + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        if (is_inside && row + k < columns) b[(row + k) * rows + column] = square[threadIdx.x][threadIdx.y + k];
}

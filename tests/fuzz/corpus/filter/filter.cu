//! filter "Soft" key s
//! weights gaussian
//! param radius 3 [0, 64] pixels
//! param sigma 0 [0, 9]
//! param axis x [x, y]
#include "kernel.h"

//! reference out
int at(plane in, const int *weights, int radius, int x, int y) { return 0; }
//! before each=4x1
__global__ void clear(plane out) {}
//! variant naive 32x8
//! compiled merges loads
__global__ void naive(plane out, plane in, unsigned int *scratch, const int *weights, float sigma) {}
//! variant four 32x8 of naive prepare=there finish=back columns=bw-radius
//! untimed 8x8 planes=3 pitch=4*width
__global__ void there(plane out, plane in) {}
//! untimed 8x8
__global__ void back(plane out, plane in) {}
//! library npp nppiFilterBoxBorder_8u_C1R_Ctx(radius) tolerance=1
//! goal sectors <= 2 copy points 3

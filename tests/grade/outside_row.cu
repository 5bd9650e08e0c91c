//! filter "Invert"
#include "kernel.h"

NO_PARAMS;

// The last threads of a row write behind it, into the room before the next one.
//! variant mine 32x8
KERNEL(invert_mine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < out.height) out.pixels[y * out.pitch + x] = 255 - in.pixels[y * in.pitch + min(x, in.width - 1)];
}

//! filter "Cut short" key c
#include "kernel.h"

//! variant naive 8x8
__global__ void cut
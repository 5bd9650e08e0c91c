//! filter "Cut short" key c
#include "kernel.h"

NO_PARAMS;

//! variant naive 8x8
KERNEL(cut
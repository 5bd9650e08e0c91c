// compiled.h -- looks through a compiled submission before it is loaded: what it calls, what of it
// would run when it is loaded, and what it keeps from one launch to the next.
//
// It asks nm and readelf of binutils, and loads nothing.
#ifndef COMPILED_H
#define COMPILED_H

#include <stdbool.h>

#include "base/error.h"

// False: err says what is not CUDA, or that a tool is missing.
bool compiled_check(const char *path, struct error *err);

#endif

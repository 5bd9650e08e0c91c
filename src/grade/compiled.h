// compiled.h -- looks through a compiled submission while it is a file: what it calls, what of it
// would run when it is loaded, and what it keeps from one launch to the next.
//
// It asks nm and readelf of binutils, and loads nothing.
#ifndef COMPILED_H
#define COMPILED_H

#include <stdbool.h>

#include "base/error.h"

// Of all objects in a folder. False: err says what is not CUDA, that a tool is missing, or that
// there is no object.
bool compiled_check(const char *folder, struct error *err);

#endif

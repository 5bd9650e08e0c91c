// compiled.h -- looks through a compiled submission before it is loaded: what it calls, what of it
// would run when it is loaded, and what it keeps from one launch to the next.
//
// It asks nm and readelf of binutils, and loads nothing.
#ifndef COMPILED_H
#define COMPILED_H

#include "base/error.h"

enum compiled_verdict {
    COMPILED_GOOD,
    COMPILED_REFUSED,    // err says what is not CUDA
    COMPILED_NOT_KNOWN,  // err says which tool is missing
};

enum compiled_verdict compiled_check(const char *path, struct error *err);

#endif

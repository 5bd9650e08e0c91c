// device_text.h -- the part of a kernel file that a device's compiler reads. A whole program may be
// given: its host code is left out, as are each #include of what does not lie beside kernel.h and
// each #line.
//
// Left out are kernels that `calls`, the code behind the file, does not call, and at the file's own
// level and in namespaces: functions and variables that are neither
// __device__, __global__, __constant__, __shared__ nor constexpr or const, and types that hold the
// host's. Blanks stand in their place, so no line moves. It reads words, and expands no macros.
#pragma once

#include "device/headers.h"

// The caller frees it.
char *device_text(const char *source, const char *calls, const struct headers *headers);
// The same, or for calls NULL the whole text, behind a line from which compilers take its path.
char *device_text_named(const char *path, const char *source, const char *calls,
                        const struct headers *headers);

// Why no device knows the name that stands at a place of the text, with its remedy: it is the
// host's, or of a library. line and column, in bytes, count from 1. The caller frees it; NULL:
// nothing is known of that name.
char *device_text_hint(const char *source, const char *calls, const struct headers *headers,
                       int line, int column);

// device_text.h -- the part of a kernel file that a device's compiler reads. The file may be a
// whole program: this module leaves out its host code, each #line, and each #include of a file that
// does not lie beside kernel.h.
//
// It also leaves out kernels that `calls`, the code behind the file, does not call. At the file's
// own level and in namespaces it leaves out functions and variables that are not __device__,
// __global__, __constant__, __shared__, constexpr or const, and types that use the host's. Blanks
// replace all of these, so no line moves. It does not expand macros.
#pragma once

#include "device/headers.h"

// The caller frees it.
char *device_text(const char *source, const char *calls, const struct headers *headers);
// The same, or the whole text if calls is NULL, behind a line that tells compilers its path.
char *device_text_named(const char *path, const char *source, const char *calls,
                        const struct headers *headers);

// Says why no device knows the name at a place of the text (it belongs to the host or to a
// library), and what to do. line and column (in bytes) count from 1. The caller frees it; NULL:
// nothing is known about the name.
char *device_text_hint(const char *source, const char *calls, const struct headers *headers,
                       int line, int column);

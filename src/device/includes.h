// includes.h -- refuses a kernel file that includes anything but the headers beside kernel.h.
//
// A C compiler would find other files, too: NVRTC would not, and the cache's key does not cover
// them, so that a change in one would go unnoticed. The check reads texts as they stand: it does
// not know which lines an #if leaves out.
#ifndef INCLUDES_H
#define INCLUDES_H

#include "device/backend.h"
#include "device/headers.h"

// Looks at the file and at each header that it reaches.
bool includes_check(const struct build *build, const struct headers *headers, struct error *err);

#endif

// headers.h -- reads the headers that kernel files may include: each *.h beside kernel.h.
//
// NVRTC is given their text, and the cache keys of both backends cover it.
#ifndef HEADERS_H
#define HEADERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct header {
    char *path;  // kernels include its base name
    char *text;
};

// Owns what it points to.
struct headers {
    struct header *list;  // kernel.h first, then the others by name
    int count;
};

// Fails when a file cannot be read or kernel.h is missing.
bool headers_load(struct headers *h, const char *folder, struct error *err);
void headers_finish(struct headers *h);  // accepts a zeroed list

// The one that kernels include by these bytes; NULL: there is none.
const struct header *headers_find(const struct headers *h, const char *name, size_t length);

// A hash over all names and texts. The caller frees it.
char *headers_key(const struct headers *h);

#endif

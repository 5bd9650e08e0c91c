// headers.h -- the headers that kernel files may include: every *.h of the folder with kernel.h.
//
// Both compilers want them: NVRTC is handed their text, and the cache keys of both cover it.
#ifndef HEADERS_H
#define HEADERS_H

#include <stdbool.h>

#include "base/error.h"

struct header {
    char *path;  // its base name is what kernels include
    char *text;
};

// Owns what it points to.
struct headers {
    struct header *list;  // kernel.h, then the others by name
    int count;
};

// Fails when a file cannot be read, and when kernel.h is not there.
bool headers_load(struct headers *h, const char *folder, struct error *err);
void headers_finish(struct headers *h);  // accepts a zeroed list

// Hash over all names and texts. The caller frees it.
char *headers_key(const struct header *list, int count);

#endif

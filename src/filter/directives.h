// directives.h -- reads the //! lines of a kernel file. kernels/README.md has their
// grammar.
#ifndef DIRECTIVES_H
#define DIRECTIVES_H

#include <stdbool.h>

#include "base/error.h"
#include "filter/filter.h"

// Fills name (from the path), title, key, params and variants of a zeroed filter; nothing of it is
// allocated. Headers lie beside the file, or else in the folder `headers` unless that is NULL. On
// failure err is "path:line: message" and f holds what was read before.
bool directives_read(struct filter *f, const char *path, const char *source, const char *headers,
                     struct error *err);

#endif

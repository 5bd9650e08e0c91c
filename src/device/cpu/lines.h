// lines.h -- where the instructions of a traced object are in the source: it asks addr2line of the
// binutils, which a C compiler needs anyway. Any thread may call.
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>

#include "base/error.h"
#include "device/trace.h"

// As backend_find_lines has it; path is the object's file.
bool lines_find(const char *path, const unsigned int *sites, int count, struct trace_chain *chains,
                struct error *err);

#endif

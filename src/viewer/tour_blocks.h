// tour_blocks.h -- the blocks that a tour's counters are counted in, traced beside the picture.
//
// What was traced once is kept until the picture or the kernels change. One block is traced at a
// time. One thread makes all calls.
#ifndef TOUR_BLOCKS_H
#define TOUR_BLOCKS_H

#include <stdbool.h>

#include "base/error.h"
#include "lens/tracing.h"

struct tour_blocks;

struct tour_blocks *tour_blocks_create(const char *include);  // the folder with kernel.h
void tour_blocks_destroy(struct tour_blocks *b);              // accepts NULL

// Forgets all: the picture or the filters of its choices go. The picture is copied. The version is
// that of tracing.h.
void tour_blocks_begin(struct tour_blocks *b, struct planes picture, unsigned filters_version);

// Takes what was traced. True: there is something new.
bool tour_blocks_poll(struct tour_blocks *b);

// What was found of a choice. NULL: it failed, and why says so; or it is not known yet, and is
// traced when its turn comes. The request's picture does not matter.
const struct lens_result *tour_blocks_get(struct tour_blocks *b,
                                          const struct tracing_request *request, struct error *why);

#endif

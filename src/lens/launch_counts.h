// launch_counts.h -- what a whole launch costs, as far as one of its blocks tells.
//
// A block's counts are taken times the blocks of its grid and its planes. Blocks at an edge, and
// those that get other data, may differ.
#ifndef LAUNCH_COUNTS_H
#define LAUNCH_COUNTS_H

#include "lens/lens_result.h"
#include "measure/bound.h"

// Not known: the result is of all blocks, whose sectors cannot be told apart.
struct bound_counts launch_counts_find(const struct lens_result *block);

#endif

// launch_counts.h -- what a whole launch costs, as far as one of its blocks tells.
//
// A block's counts are multiplied by a ratio: the warps of the launch that have a thread in its
// domain, over those of the block. This is exact for the requests of a kernel whose warps all do
// the same inside of a picture, and nothing beyond its edge. Blocks at an edge may make more
// requests, if they load a tile together, and touch fewer sectors: what an inner block tells is
// then off by less than a row and a column of blocks. Blocks that get other data may differ, too.
#ifndef LAUNCH_COUNTS_H
#define LAUNCH_COUNTS_H

#include "filter/launch.h"
#include "lens/lens_result.h"
#include "measure/bound.h"

// How blocks share out a domain, and one of them.
struct launch_counts_block {
    struct launch_config config;
    struct launch_tile tile, domain;
    int x, y;
};

// How many times as many warps as this block the grid has, of those with a thread in the domain.
double launch_counts_warps(const struct launch_counts_block *b);

// Not known: the result is of all blocks, whose sectors cannot be told apart.
struct bound_counts launch_counts_find(const struct lens_result *block);

#endif

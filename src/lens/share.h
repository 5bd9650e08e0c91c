// share.h -- how much memory tracing may take: less than 1 GiB for all traces at the same time.
//
// A command traces alone. A window traces a block and a whole launch at the same time, each with a
// share of its own. It also keeps the requests of some blocks, and of the one that was traced last,
// and may show the counts of sectors of a block on each of two sides (sharing.h).
//
// The picture or arrays may use a fixed part of a share. Logs of events and the requests of one
// block use the rest. Compiled kernels, stacks of threads and source lines are not counted: they
// take some MiB, however large a launch is.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/planes.h"
#include "filter/choice.h"

// In MiB.
enum share { SHARE_ALONE = 1000, SHARE_BLOCKS = 376, SHARE_WHOLE = 374 };
enum { SHARE_SECTORS = 24 };  // for the counts of sectors of a launch or block: those of 64 MiB

enum {
    SHARE_MAX_STEPS = 1 << 18,  // requests of a block
    SHARE_MAX_BLOCKS = 2        // whose requests are kept
};

// False: such a picture, whose pixels do not matter, or the lab's arrays take too much, and err
// says what to make smaller.
bool share_fits(enum share share, const struct choice *choice, struct planes picture,
                struct error *err);
size_t share_memory_bytes(enum share share);  // of a picture or arrays, at most

// The log that a launch would need.
struct share_launch {
    size_t memory_bytes;  // taken by the picture or arrays
    size_t shared_bytes;  // of a block
    int workers;          // blocks that are traced at the same time
    bool is_whole;
    bool has_sectors;  // they are counted in a whole launch
};
size_t share_max_events(enum share share, const struct share_launch *launch);  // of each block

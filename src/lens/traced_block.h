// traced_block.h -- what follows from the requests of one traced block: the pixels that it touches,
// who writes what, what the whole launch costs, and which blocks must run before it.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "filter/block_info.h"
#include "filter/launch.h"
#include "lens/lens_result.h"

// ---- what it touches of the picture, for the block panel (block_info.h) ----

// Fills one for each pass. False: the result is not of one block of a filter.
//
// Words of scratch count as the pixels that they belong to. A pixel of packed bytes counts once all
// its bytes are read. Padding behind a row is no pixel. Weights and constants are left out.
bool traced_block_touched(struct block_info_touched *touched, const struct lens_result *r);

// Finds the thread that stores a pixel of a picture's first plane, or element x of another array,
// in the last pass.
struct block_info_writer traced_block_writer(const struct lens_result *r, const char *array,
                                             long long x, int y);

// ---- what a whole launch costs, as far as one of its blocks tells ----

// The counts of a block of the first layer are multiplied by a ratio: the warps of the launch that
// have a thread in its domain, over those of the block. This is exact for the requests of a kernel
// whose warps all do the same inside of a picture, and nothing beyond its edge. Blocks at an edge
// may make more requests, if they load a tile together, and touch fewer sectors: what an inner
// block tells is then off by less than a row and a column of blocks. Blocks that get other data may
// differ, too.
double traced_block_warps(const struct launch_pass *p, int x, int y);  // the ratio

// Its is_known is false if the result is of all blocks, whose sectors cannot be told apart.
struct bound_counts traced_block_launch(const struct lens_result *r);

// ---- what must run before it ----

// True if no pass reads what it or a later one writes, so that one of its blocks may run again.
bool traced_block_is_written_once(const struct lens_result *r);

// Finds the blocks of the first pass that a block of the second needs, so that only those run.
//
// A block of the second pass is traced over whatever scratch holds. traced_block_find() takes the
// pixels whose words it read, and names the blocks of the first pass that write these pixels. They
// run, and the block is traced again. It has then seen what it would see behind the whole first
// pass, if traced_block_is_complete(): every byte that it read was written by those blocks, or by
// no pass at all. Otherwise the whole first pass must run. So kernels that keep words in other
// places of scratch, or whose data decides what is read, only take longer.
//
// It does not launch. It is for filters of two passes, and for their first plane.
struct traced_block_reach {
    const struct lens_result *result;  // borrowed; its memory must be known
    GHashTable *written;               // addresses, by the blocks that ran; freed by the owner
    int left, top, columns, rows;      // blocks of the first pass; columns 0: none
};
// reader: the second pass, with its steps.
void traced_block_find(struct traced_block_reach *r, const struct lens_pass *reader,
                       const struct launch_pass *first);
// The trace with which to launch one of those blocks. Launches may be queued, but must not run side
// by side.
struct trace traced_block_trace(struct traced_block_reach *r, int x, int y, size_t max_events);
bool traced_block_is_complete(const struct traced_block_reach *r, const struct lens_pass *reader);

// reach.h -- which blocks of the first pass a block of the second needs, so that only those run.
//
// A block of the second pass is traced over whatever scratch holds. reach_find() takes the pixels
// whose words it read, and names the blocks of the first pass that write these pixels. They run,
// and the block is traced again. It has then seen what it would see behind the whole first pass, if
// reach_is_complete(): every byte that it read was written by those blocks, or by no pass at all.
// Otherwise the whole first pass must run. So kernels that keep words in other places of scratch,
// or whose data decides what is read, only take longer.
//
//     trace the block; blocks = reach_find(r, …)
//     run those with reach_trace()
//     trace the block again; reach_is_complete(r, …)
//
// It does not launch. It is for filters of two passes, and for their first plane.
#ifndef REACH_H
#define REACH_H

#include <stdbool.h>

#include "device/trace.h"
#include "filter/launch.h"
#include "lens/lens_result.h"

struct reach;

// Blocks of the first pass; columns 0: none.
struct reach_blocks {
    int left, top, columns, rows;
};

// The result's memory must be known; it is borrowed.
struct reach *reach_create(const struct lens_result *r);
void reach_destroy(struct reach *r);  // accepts NULL

// reader: the second pass, with its steps. config and tile are the first one's.
struct reach_blocks reach_find(const struct reach *r, const struct lens_pass *reader,
                               const struct launch_config *config, struct launch_tile tile);

// For the launch of one of those blocks. Launches may be queued, but must not run side by side.
struct trace reach_trace(struct reach *r, int x, int y, size_t max_events);

bool reach_is_complete(struct reach *r, const struct lens_pass *reader);

#endif

// blocks.h -- the block of threads that writes a pixel, and what it costs: its tile with the halo,
// loads, idle threads at the picture's edge, shared memory, occupancy.
//
//          ┌ ─ ─ ─ ─ ─ ─ ─ ─ ┐
//            reads: the halo
//          │   ┌─────────┐   │
//              │ writes  │         loads a pixel = pixels read / pixels written
//          │   └─────────┘   │
//          └ ─ ─ ─ ─ ─ ─ ─ ─ ┘
//
// A kernel file says how many pixels a block writes, not what it reads; that is inferred from the
// shared memory it asks for. A tile with a halo of the radius on all sides, or across or down only,
// of bytes or words, is recognized. Else a single pass without shared memory reads every tap by
// itself, and of others only the least is known: each pixel of the halo once.
//
// Pure: asks no device. caption.h words what is not about a block.
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdbool.h>

#include "backend.h"
#include "filter.h"
#include "launch.h"
#include "view.h"

struct blocks_facts {
    const struct filter *filter;
    const struct variant *variant;
    const struct settings *settings;
    const struct device *device;
    struct view picture;         // its shape
    struct kernel_facts kernel;  // of the first pass; {0}: not known
    struct occupancy occupancy;  // {0}: not known
    int x, y;                    // a pixel; beyond the picture: its nearest
};

// In pixels; may reach beyond the picture.
struct blocks_box {
    int left, top, width, height;
};

enum blocks_reading {
    BLOCKS_TAPS,   // every tap of every pixel by itself
    BLOCKS_TILE,   // the halo once, into shared memory
    BLOCKS_LEAST,  // at least the halo once
};

struct blocks_pass {
    struct launch_shape shape;
    enum blocks_reading reading;
    struct blocks_box writes, reads;  // of the block that writes the pixel
    double loads;                     // a pixel written; LEAST: or more
    double halo;                      // pixels read beyond those written, in parts of them
    double idle_right, idle_bottom;   // parts of the last column's, of the last row's pixels
    double idle;                      // part of all
};

struct blocks {
    int column, row;  // of the last pass, whose blocks write the picture
    struct blocks_pass passes[FILTER_MAX_PASSES];
    int pass_count;
};

// False: the launch is refused, err says why.
bool blocks_find(struct blocks *b, const struct blocks_facts *facts, struct error *err);

// Lines for overlay.h's OVERLAY_GRID.
void blocks_write(char *text, size_t size, const struct blocks *b,
                  const struct blocks_facts *facts);

#endif

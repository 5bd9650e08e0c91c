// block_info.h -- the block of threads that writes a pixel, and what it costs: its tile with the
// halo, loads, threads without a pixel, shared memory, occupancy.
//
//          ┌ ─ ─ ─ ─ ─ ─ ─ ─ ┐
//            reads: the halo
//          │   ┌─────────┐   │
//              │ writes  │         loads a pixel = pixels read / pixels written
//          │   └─────────┘   │
//          └ ─ ─ ─ ─ ─ ─ ─ ─ ┘
//
// A block at the picture's right or bottom edge writes fewer pixels than it covers. A tile is
// loaded whole even there: reads beyond the edge repeat its pixels, and count.
//
// A kernel file says how many pixels a block covers, not what it reads. That is inferred from the
// shared memory it asks for: a tile with a halo of the radius on all sides, or across or down only,
// of bytes or words, is recognized. Else a single pass without shared memory reads every tap by
// itself. Of other passes only the least is known: each pixel of the halo once. A pass with
// columns= or rows= shares its pixels out among its threads in its own way. So they are an upper
// bound, and nothing is said about its threads without a pixel.
//
// Pure: asks no device. caption.h words what is not about a block.
#ifndef BLOCK_INFO_H
#define BLOCK_INFO_H

#include <stdbool.h>

#include "base/planes.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "filter/launch.h"

struct block_info_facts {
    struct choice choice;
    const struct device *device;
    struct planes picture;       // its shape
    const size_t *shared_bytes;  // of a block in each pass; a CPU knows only the dynamic ones
    struct occupancy occupancy;  // {0}: not known
    int x, y;                    // a pixel; beyond the picture: its nearest
};

// In pixels; may reach beyond the picture.
struct block_info_box {
    int left, top, width, height;
};

// What a block did in one pass, when it was traced (lens/touched.h). Words of scratch count as
// pixels.
struct block_info_touched {
    struct block_info_box reads, writes;    // width 0: none
    long long pixels_read, pixels_written;  // different ones
    double loads;                           // pixels, as often as they are read
    int threads, idle;                      // idle: those that write nothing
};

enum block_info_reading {
    BLOCK_INFO_TAPS,   // every tap of every pixel by itself
    BLOCK_INFO_TILE,   // the halo once, into shared memory
    BLOCK_INFO_LEAST,  // at least the halo once
};

// Of the block that writes the pixel.
struct block_info_pass {
    struct launch_config config;
    enum block_info_reading reading;
    struct block_info_box covers, writes, reads;  // writes: what it covers within the picture
    double loads;                                 // a pixel written; LEAST: or more
    double halo;                     // pixels read beyond those written, in parts of them
    bool is_shared_out;              // by columns= or rows=
    double idle_right, idle_bottom;  // threads without a pixel: parts of the last column's blocks,
                                     // of the last row's
    double idle;                     // of all threads
};

struct block_info {
    int column, row;  // of the last pass, whose blocks write the picture
    int reach;        // source pixels to each side that a pixel depends on, through all passes
    struct block_info_pass passes[FILTER_MAX_PASSES];
    int pass_count;
};

// False: the launch is refused, err says why.
bool block_info_find(struct block_info *b, const struct block_info_facts *facts, struct error *err);

// Lines for overlay.h's OVERLAY_GRID.
void block_info_write(char *text, size_t size, const struct block_info *b,
                      const struct block_info_facts *facts);

// The lines on shared memory and occupancy, each behind a line break, of which a CPU may have none.
void block_info_write_resources(char *text, size_t size, const struct block_info_facts *facts);

// "532 B", or "304 B, 1792 B": of each pass. Empty on a CPU that knows of none: there may be some.
void block_info_write_shared(char *text, size_t size, const size_t *bytes, int passes, bool is_gpu);

#endif

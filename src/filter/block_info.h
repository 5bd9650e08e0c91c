// block_info.h -- a pixel or an element of an array, the thread and the block that write it, and
// what that block costs: the pixels that it reads and how often, threads without a pixel, shared
// memory, occupancy.
//
//          ┌ ─ ─ ─ ─ ─ ─ ─ ─ ┐
//            reads: the halo
//          │   ┌─────────┐   │
//              │ writes  │         loads a pixel = pixels loaded / pixels written
//          │   └─────────┘   │
//          └ ─ ─ ─ ─ ─ ─ ─ ─ ┘
//
// A file says how many pixels or elements a block covers by its block, `each`, `columns=` and
// `rows=`, so that the block is known at once. Where a variant has a `domain=` of its own, threads
// are taken to write elements in the order in which they lie: in the array's rows, in its columns,
// or one behind the other. If the domain fits no such order for some params, only the file's author
// knows who writes what, and the thread stays unknown; so does it where a lab's variant says
// order=own, or a trace shows another block's element. The rest is known once the block has been
// traced (lens/traced_block.h).
//
// This module asks no device. screen/block_text.h puts its facts into words.
#pragma once

#include <stdbool.h>

#include "base/planes.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "filter/launch.h"

// In pixels. What a block covers may reach beyond the picture.
struct block_info_box {
    int left, top, width, height;
};

// The accesses of a block in one pass. Words of scratch count as pixels.
struct block_info_touched {
    struct block_info_box reads, writes;    // width 0: none
    long long pixels_read, pixels_written;  // different ones
    double loads;                           // pixels, counted each time they are read
    int threads, idle;                      // idle: those that write nothing
};

// The threads of a traced block that store the pixel or element in the last pass.
struct block_info_writer {
    int threads;  // how many; 0: another block does
    int thread;   // the first that was found
};

struct block_info_facts {
    struct choice choice;
    const struct device *device;
    struct planes picture;       // its shape
    const size_t *shared_bytes;  // of a block in each pass; a CPU knows only the dynamic ones
    struct occupancy occupancy;  // {0}: not known
    int x, y;                    // a pixel; beyond the picture: its nearest
    const struct block_info_touched *touched;  // of that block, one a pass; NULL: not known
    const char *untouched;                     // then why, in a few words; NULL: nothing is said
};

struct block_info_thread {
    int x, y;  // -1: only the kernel knows
};

// The element that the screen shows at a pixel, and who writes it in the last pass.
struct block_info {
    int array;                     // the one that is shown
    long long index, row, column;  // of the element; a pixel's row and column are y and x
    bool has_block;                // true if it is known which block writes the element
    int domain_x, domain_y;  // where it lies in the launch's domain, which the blocks share out
    long long block_column, block_row;
    struct block_info_thread thread;    // in that block
    struct launch_config config;        // of the last pass
    int covered_width, covered_height;  // pixels that a block covers on the screen; 0: not known.
                                        // They may reach beyond a picture
};

// array: the one that is shown. facts->x and y are a pixel of its picture (array_picture); beyond a
// filter's picture the nearest pixel counts. False: there is no element, the launch is refused, or
// it is a library's; err says why.
bool block_info_find(struct block_info *b, const struct block_info_facts *facts, int array,
                     struct error *err);
// Takes over which threads of a lab's traced block store the element. If none does, another block
// does, and nobody knows which.
void block_info_see(struct block_info *b, const struct block_info_writer *writer);
struct block_info_thread block_info_thread_of(const struct block_info_writer *w,
                                              const struct launch_config *block);

// Pixels that a pass reads beyond those that it writes. Of two sides the farther counts, because a
// picture's edge may cut the other.
struct block_info_reach {
    int across, down;
};
struct block_info_reach block_info_reach(const struct block_info_touched *pass);
// How many source pixels to each side a pixel depends on, through all passes.
int block_info_halo(const struct choice *c, const struct block_info_touched *touched);

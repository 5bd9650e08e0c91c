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
// or one behind the other. If the domain has another size for some params, only the file's author
// knows, and nothing is said of that; nor is it where a lab's variant says order=own, or a trace
// shows another block's element. All else is known when the block has been traced
// (lens/traced_block.h).
//
// Pure: asks no device. screen/block_text.h puts it into words.
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
    double loads;                           // pixels, as often as they are read
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
    int array;                     // that is shown
    long long index, row, column;  // of the element; those of a pixel are y and x
    bool has_block;                // whether it is known who writes the element
    int domain_x, domain_y;  // where it lies in the launch's domain, which the blocks share out
    long long block_column, block_row;
    struct block_info_thread thread;    // in that block
    struct launch_config config;        // of the last pass
    int covered_width, covered_height;  // pixels that a block covers on the screen; 0: not known.
                                        // They may reach beyond a picture
};

// array: the one that is shown. facts: x and y are a pixel of its picture (array_picture), or of a
// larger one: of a filter's picture the nearest pixel counts. False: no element is there, the
// launch is refused, or it is a library's; err says why.
bool block_info_find(struct block_info *b, const struct block_info_facts *facts, int array,
                     struct error *err);
// A lab's block has been traced: those of its threads that store the element. None: it is another
// block's, and nobody knows whose.
void block_info_see(struct block_info *b, const struct block_info_writer *writer);
struct block_info_thread block_info_thread_of(const struct block_info_writer *w,
                                              const struct launch_config *block);

// Pixels that a pass reads beyond those that it writes, to the farther side: a picture's edge cuts
// the other.
struct block_info_reach {
    int across, down;
};
struct block_info_reach block_info_reach(const struct block_info_touched *pass);
// Source pixels to each side that a pixel depends on, through all passes.
int block_info_halo(const struct choice *c, const struct block_info_touched *touched);

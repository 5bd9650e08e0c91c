// block_info.h -- a pixel, its values, the thread and the block that write it, and what that block
// costs: the pixels that it reads and how often, threads without a pixel, shared memory, occupancy.
//
//          ┌ ─ ─ ─ ─ ─ ─ ─ ─ ┐
//            reads: the halo
//          │   ┌─────────┐   │
//              │ writes  │         loads a pixel = pixels loaded / pixels written
//          │   └─────────┘   │
//          └ ─ ─ ─ ─ ─ ─ ─ ─ ┘
//
// A kernel file says how many pixels a block covers, so that the block is known at once. All else
// is known when it has been traced (lens/traced_block.h).
//
// Pure: asks no device. screen/block_text.h puts it into words.
#ifndef BLOCK_INFO_H
#define BLOCK_INFO_H

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

// The values of a pixel, a byte a plane.
enum { BLOCK_INFO_PLANES = 3 };
struct block_info_pixel {
    unsigned char in[BLOCK_INFO_PLANES];
    unsigned char out[2][BLOCK_INFO_PLANES];  // of A and B
    bool has_out[2];                          // false: its picture is not there yet
    bool is_pair;                             // false: there is one picture, A
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
    const struct block_info_pixel *pixel;      // its values; NULL: not known
    const struct block_info_touched *touched;  // of that block, one a pass; NULL: not known
    const char *untouched;                     // then why, in a few words; NULL: nothing is said
};

struct block_info_thread {
    int x, y;  // -1: only the kernel knows
};

// The block of the last pass that writes the pixel.
struct block_info {
    struct launch_config config;
    struct block_info_box covers;
    int column, row;
    struct block_info_thread thread;  // that writes the pixel
};

// False: the launch is refused, err says why.
bool block_info_find(struct block_info *b, const struct block_info_facts *facts, struct error *err);

// The thread of the last pass that writes what lies at a place in its block. Without a trace it is
// certain only where each thread writes one pixel or element, its own.
struct block_info_thread block_info_thread_at(const struct variant *v, long long x, long long y);
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

#endif

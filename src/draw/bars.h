// bars.h -- the times of a filter's variants as bars: who is fast, by how much, and who cannot run.
//
//     variants at radius 5, ms a launch                × naive 32×8
//       1 naive   32×8  ██████████████████████████ 1.41        1.00
//     ▶ 3 shared  32×8  ████████ 0.412                         3.42
//       4 running 64×1  ▏ 0.071 ★                              19.9
//       5 fast    32×8  (/) needs a block width that is a multiple of 32
//
// Bars are linear from zero: half the length is half the time. When the slowest is a thousand times
// the fastest, the fast ones become slivers: their figures and the sweep still compare them.
//
// The arrow marks the variant that is shown, and the star the fastest one; variants that differ
// from it by no more than chance have a star, too. A clock means that a time is still being
// measured, or that it belongs to other settings, which are then written beside it. A cross on a
// hatched bar means that the result is wrong: such a variant is never the fastest. Nothing is told
// by colour alone, and a bar has the colour of its curve in the sweep.
//
// Left of "× naive" stand the lens's counts, if there are any, and left of these the change against
// a baseline.
//
// Without a GPU, bars are as long as their sectors, the counts stand beside them, and the CPU's
// times are small, in the counts' column. None has a star.
//
// It does not measure and does not choose. It borrows everything. One thread.
#pragma once

#include <stdbool.h>

#include "draw/paint.h"

enum { BARS_MAX = 16, BARS_UNIT = 40 };  // rows; bytes of a unit

enum bars_state { BARS_UNKNOWN, BARS_MEASURING, BARS_DONE, BARS_WRONG, BARS_REFUSED };

struct bar {
    char key[4], name[32], block[16];  // "3", "shared", "32×8"
    double ms;                         // 0: none
    double sectors;                    // per pixel; 0: not counted
    double over_naive;                 // times as fast as naive; 0: not known
    enum bars_state state;
    char settings[48];  // those that block and ms were measured with: "radius 4"
    bool is_stale;      // they were measured before
    bool is_pending;    // ms is not settled, though the result may be known to be WRONG
    bool is_present;    // the variant that is shown
    bool is_expert;     // the word "expert" follows the name
    bool is_floor;      // "floor" does; it never has the star
    bool is_alike;      // no clear difference to bars_best()
    char change[24];    // of the time against the baseline: "−12.3 %", "unclear"; empty: none
    char memory[24];    // "0.250 · 0.12": sectors and conflicts per pixel; empty: not known
    char reason[160];   // when REFUSED
};

struct bars {
    char title[96], settings[48];
    char naive_block[16];  // block of the naive variant; empty: there is none
    struct bar rows[BARS_MAX];
    int count;
    bool is_by_sectors;           // the times are of no GPU
    bool has_baseline;            // some rows have a change
    char memory_unit[BARS_UNIT];  // "sectors per pixel"; empty: no row has them
};

// The height that bars want, in sizes of normal text.
double bars_height(int count);

// Draws into the box, without a background.
void bars_draw(const struct paint *paint, struct paint_box box, const struct bars *bars);

// The row under a point, or -1. base as in the paint that they were drawn with.
int bars_find(struct paint_box box, double base, const struct bars *bars, double x, double y);

// The fastest of at least two that are settled and right, or -1. There is none as long as another
// one may turn out to be as fast.
int bars_best(const struct bars *bars);

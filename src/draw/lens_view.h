// lens_view.h -- draws one request of a warp as the memory sees it, and its block's cost.
//
//     Lens · block 5, 3                             warp 1 of 8 · 4th of 49 · kernel.h:53 ← 27
//     ───────────────────────────────────────────────────────────────────────────────────────
//     per pixel: 50 B wanted · 92 B fetched by requests · 2.88 sectors where 1.56 would do
//     global load · in · 32 lanes × 1 B · 2 sectors of 32 bytes where 1 would do
//      0   1   2   3   4 …                31
//     [1] [1] [1] [1] [1] …          [2] [2]     lanes, numbered by their sector
//     in + 5 248  |▒▒▒▒▒▒▒▒1▒▒|█████████2|          |          |    lines of 128 bytes
//
// For shared memory it shows the banks, a row for each wavefront; a wavefront that is there only
// because of a conflict is red and hatched. Sectors have numbers and hatches in addition to
// colours.
//
// It does not trace, count or choose the request: the owner of struct lens_view does.
#pragma once

#include <stdbool.h>

#include "draw/paint.h"
#include "lens/model.h"

struct lens_view {
    char title[128], where[160];
    char totals[160], conflicts[80];  // in one line, or in several
    char fault[320];                  // a race, or an access outside; empty: none was found
    char caveat[320];  // why the hardware may count otherwise; empty: nothing is known
    char request_words[200];
    char moved[80];     // what the request costs, in large letters; empty: the picture says it
    char message[512];  // in place of all below the title, in several lines; empty: there is none
    char hint[64];      // how a lecture goes on; empty: there is none
    bool is_wrong;      // its kernel's result is wrong, as the title says: the title is red
    bool is_stale;      // it is of another choice or block: all is grey
    bool is_active;     // keys step through it: its title is underlined
    bool has_request;
    struct lens_request request;
    int lane;                      // under the cursor; -1: none
    char memory[32];               // the name of what its addresses are in; empty: not known
    unsigned long long beginning;  // address of that memory
    int element_bytes;             // of an array of numbers; 0: it is none
};

// The place where a view is drawn, and how it was drawn last. {0} is a valid beginning; there is
// nothing to free.
struct lens_place {
    struct paint_box box;
    double em;
    // It has the window for itself: all wavefronts are shown, and words give way to them.
    bool is_full;
    double beside, below;    // pixels of the box, at its right and its foot, that stay free
    double hint;             // pixels: the height of the hint at the foot of these; 0: none
    struct paint_box lanes;  // all 32, in a row; empty: there are none
    int rows, shown_rows;    // wavefronts of the banks' picture
    double row_height;       // pixels
    int repeats;             // of these, the most in a row that need the same banks; 0: no two do
};

void lens_view_draw(const struct lens_view *view, const struct paint *paint,
                    struct lens_place *place);

// Writes where an address is: "a[32]", "byte 128 of in", or the number where nothing is known of
// it.
void lens_view_write_address(const struct lens_view *view, unsigned long long address, char *text,
                             size_t size);

// The lane at a point of the window, or -1.
int lens_view_lane_at(const struct lens_place *place, double x, double y);

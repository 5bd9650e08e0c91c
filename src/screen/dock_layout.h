// dock_layout.h -- computes where the docks lie, and what they leave for the picture.
//
//     one picture                      two that are compared
//     ┌──────────────┬───────────┐     ┌──────────────────────────┐
//     │              │ SOURCE A  │     │       the pictures       │
//     │ the picture  │           │     ├────────────┬─────────────┤
//     ├──────────────┤           │     │ SOURCE A   │ SOURCE B    │
//     │ LENS A       │           │     ├────────────┼─────────────┤
//     └──────────────┴───────────┘     │ LENS A     │ LENS B      │
//                                      └────────────┴─────────────┘
//
// Columns of text are as wide as lines of code at text scale 1, whatever the lines are, so that
// nothing moves from variant to variant. Larger text takes more of the window, unless a lens or a
// caption needs it, then fewer columns.
// In a window that is higher than wide, the source of one picture lies below it.
//
// A lens that has the whole window covers all of this, and stands beside the other one of a pair.
#pragma once

#include "draw/paint.h"
#include "screen/overlay.h"

struct dock_plan {
    struct paint_box boxes[OVERLAY_DOCKS];  // whole pixels; empty: closed, or there is no room
    struct paint_box room;                  // what is left
    double em, lens_em;                     // pixels: the size of their text
};

// between: the window without its bands. base and plain: as in struct paint. has_caption: words
// stand in the picture's room.
void dock_layout_compute(struct dock_plan *plan, const struct overlay_docks *docks,
                         struct paint_box between, double base, double plain, bool has_caption);

// Places lenses that share the whole window, less what a caption takes. Their text stays small
// enough that all wavefronts of a request fit below the words (lens_view.h).
void dock_layout_full(struct dock_plan *plan, const struct overlay_docks *docks,
                      struct paint_box window, double base);

// panel_layout.h -- where the panels lie between the bands. Pure arithmetic.
//
//     ┌────────────────────────────────────────┐
//     │ GRID                             SWEEP │
//     │            the picture                 │
//     │ BARS                              HEAT │
//     └────────────────────────────────────────┘
//
// Panels never overlap. Where they do not fit beside each other their text is set smaller, then the
// one that was opened first hides, and so on; in a window under 640 pixels there is only the last.
//
// Does not know what is in a panel.
#ifndef PANEL_LAYOUT_H
#define PANEL_LAYOUT_H

#include "draw/paint.h"
#include "screen/overlay.h"

// What a panel wants. It gets the larger of its ems and its share, if that is there.
struct layout_wish {
    unsigned opened;                   // 0: closed; the largest was opened last
    double em;                         // pixels: the size of its text
    double least_width, least_height;  // in ems; below that it hides
    double width, height;              // in ems
    double share_width, share_height;  // of the window
};

struct layout_place {
    struct paint_box box;  // whole pixels; without a width: the panel is hidden
    double em;
};

// area: between the bands of a window of that size.
void layout_panels(const struct layout_wish wishes[OVERLAY_PANELS], struct paint_box area,
                   int window_width, int window_height, double gap,
                   struct layout_place places[OVERLAY_PANELS]);

#endif

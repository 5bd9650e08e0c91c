// panel_layout.h -- computes where the panels lie between the bands.
//
//     ┌────────────────────────────────────────┐
//     │ GRID                             SWEEP │
//     │            the picture                 │
//     │ BARS                              HEAT │
//     └────────────────────────────────────────┘
//
// Panels never overlap. Where they do not fit, their text becomes smaller; then they hide, the one
// that was opened first before the others. A window narrower than 640 pixels shows only the last.
// The last one stays whatever the text scale is: alone, its text may become almost as small as at
// scale 1.
//
// It does not know what is in a panel, nor what lies below it: panel_view.c moves GRID to the right
// of what it would cover.
#ifndef PANEL_LAYOUT_H
#define PANEL_LAYOUT_H

#include "draw/paint.h"
#include "screen/overlay.h"

enum panel_layout_axis { PANEL_LAYOUT_ACROSS, PANEL_LAYOUT_DOWN, PANEL_LAYOUT_AXES };

// The size that a panel wants: if there is room, the larger of its ems and its share.
struct panel_layout_wish {
    unsigned opened;                   // 0: closed; the largest was opened last
    double em;                         // pixels: the size of its text
    double least_em;                   // where it is alone; with less the panel hides
    double least[PANEL_LAYOUT_AXES];   // in ems; with less the panel hides
    double wanted[PANEL_LAYOUT_AXES];  // in ems
    double share[PANEL_LAYOUT_AXES];   // of the window
};

struct panel_layout_place {
    struct paint_box box;  // whole pixels; without a width: the panel is hidden
    double em;
};

// area lies between the bands of a window of that size.
void panel_layout_compute(const struct panel_layout_wish wishes[OVERLAY_PANELS],
                          struct paint_box area, int window_width, int window_height, double gap,
                          struct panel_layout_place places[OVERLAY_PANELS]);

#endif

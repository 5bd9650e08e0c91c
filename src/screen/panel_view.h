// panel_view.h -- draws the panels over the picture: bars, sweep, heat map and the block grid's
// text.
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
// It draws each panel on its own and finds what is under a point. Where some do not fit, a line
// below the others, or alone, says how many, and how they would. In the grid's text
// "label<tab>value" makes two columns and a line without a tab is a heading.
//
// It does not decide when a panel is drawn: overlay.c does.
#pragma once

#include "draw/plot.h"
#include "draw/paint.h"
#include "screen/overlay.h"

struct panel_place {
    struct paint_box box;  // whole pixels; without a width: the panel is hidden
    double em;
};

// {0} is a valid beginning; there is nothing to free.
struct panel_view {
    struct overlay_panels content;
    struct panel_place places[OVERLAY_PANELS];  // a box without a width: it is hidden
    struct plot_places plots[OVERLAY_PANELS];   // as drawn last
    double labels, values, headings;            // widths of the grid's text, ems
    int lines;
    char more[64];              // about panels that do not fit; empty: all do
    struct paint_box more_box;  // whole pixels
};

// Lays the open panels out in area; what content points to must live until they are drawn last.
void panel_view_place(struct panel_view *view, const struct paint *paint,
                      const struct overlay_panels *content, struct paint_box area);

// A fingerprint of what a panel shows, wherever it lies.
uint64_t panel_view_hash(const struct overlay_panels *content, enum overlay_panel panel);
void panel_view_draw(struct panel_view *view, const struct paint *paint, enum overlay_panel panel);

void panel_view_draw_more(const struct panel_view *view, const struct paint *paint);

// Finds what was drawn at a point; false: no panel is there.
bool panel_view_find(const struct panel_view *view, double x, double y, struct overlay_hit *hit);

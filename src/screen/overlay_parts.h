// overlay_parts.h -- what overlay.c (what changed, drawing) and overlay_layout.c (where) share.
#ifndef OVERLAY_PARTS_H
#define OVERLAY_PARTS_H

#include "draw/paint.h"
#include "screen/band.h"
#include "screen/damage.h"
#include "screen/help.h"
#include "screen/message.h"
#include "screen/overlay.h"
#include "screen/panel_view.h"
#include "screen/tags.h"

// The window's regions, in the order in which they are drawn. Each is drawn again on its own.
//
//     0 ┌──────────────────────────┐
//       │ parts of the rows        │  upper band (band.h)
//       ├───────────┬──────────────┤
//       │       TAG │ TAG          │
//       │ [panel]          [panel] │  the picture shows here
//       │         MESSAGE          │
//       │ [panel]          [panel] │
//       │       [ CAPTION ]        │  what is above keeps clear of it
//       ├──────────────────────────┤
//       │ parts of the status row  │  lower band
//     h └──────────────────────────┘
//
// A refusal or a log may lie over panels. HELP covers everything: while it is open nothing else is
// drawn.
enum region {
    TAG = BAND_PARTS,         // the first of them
    PANEL = TAG + TAG_COUNT,  // the first of them
    CAPTION = PANEL + OVERLAY_PANELS,
    MESSAGE,
    HELP,
    REGION_COUNT
};

_Static_assert(2 * REGION_COUNT + 1 <= DAMAGE_MAX, "where each was and is, and the window");

struct overlay {
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct bands *bands;
    struct panel_view *panel_view;
    struct tags *tags;
    struct message *message, *caption;
    struct help *help;

    struct overlay_content content;
    int width, height;
    double base;
    cairo_rectangle_int_t boxes[REGION_COUNT];  // where each was drawn; empty: not at all
    struct damage damage;                       // of the last update
    cairo_rectangle_int_t between;              // the bands
    cairo_rectangle_int_t clear;                // that, without the caption
};

// Sets of regions, one bit each.
#define EVERY_PART  ((1u << BAND_PARTS) - 1)
#define EVERY_TAG   (((1u << TAG_COUNT) - 1) << TAG)
#define EVERY_PANEL (((1u << OVERLAY_PANELS) - 1) << PANEL)

struct paint overlay_paint(const struct overlay *o);
cairo_rectangle_int_t overlay_rows(const struct overlay *o, int top, int bottom);
struct paint_box overlay_as_paint_box(cairo_rectangle_int_t b);

// Lays out what changed or moved; where it was and where it is becomes dirty.
void overlay_lay_out(struct overlay *o, unsigned changed);

#endif

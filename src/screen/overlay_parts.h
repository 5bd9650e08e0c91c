// overlay_parts.h -- shared by overlay.c, which draws what changed, and overlay_layout.c, which
// says where.
#ifndef OVERLAY_PARTS_H
#define OVERLAY_PARTS_H

#include "draw/lens_view.h"
#include "draw/listing.h"
#include "draw/paint.h"
#include "screen/band.h"
#include "screen/help.h"
#include "screen/menu_view.h"
#include "screen/message.h"
#include "screen/overlay.h"
#include "screen/panel_view.h"
#include "screen/pointer_view.h"
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
//       │ LEGEND            LEGEND │  or in another corner that is free
//       │       [ CAPTION ]        │  what is above keeps clear of it
//       ├──────────────────────────┤
//       │ parts of the status row  │  lower band
//     h └──────────────────────────┘
//
// A refusal or a log may lie over panels, POINTER is about what it points to, and MENU lies over
// all of them. HELP covers everything: while it is open nothing else is drawn.
enum region {
    MARKS = BAND_PARTS,
    TAG,                            // the first of them
    PANEL = TAG + TAG_COUNT,        // the first of them
    MORE = PANEL + OVERLAY_PANELS,  // what panel_view.h says about panels that do not fit
    LEGEND,                         // the first of them
    DOCK = LEGEND + 2,              // the first of them
    POINTER = DOCK + OVERLAY_DOCKS,
    CAPTION,
    MESSAGE,
    MENU,
    HELP,
    REGION_COUNT
};

_Static_assert(2 * REGION_COUNT + 1 <= OVERLAY_DAMAGE, "where each was and is, and the window");

struct overlay {
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    struct bands *bands;
    struct panel_view panel_view;
    struct listing_view listings[2];
    struct lens_place lenses[2];
    struct message message, caption;
    struct help help;
    struct menu_place menu;
    double legend_sizes[2];  // of their texts

    struct overlay_content content;
    uint64_t panels;           // fingerprint of what the content's panels and docks point to
    struct paint paint;        // the window, and how to draw on it
    struct paint_box between;  // what bands leave
    struct paint_box room;     // what bands and docks leave, which the help covers
    // The place of each region (empty: none), and a fingerprint of its contents.
    struct paint_box boxes[REGION_COUNT];
    uint64_t hashes[REGION_COUNT];
    // The boxes that the last update drew: whole pixels, none over another.
    struct paint_box damage[OVERLAY_DAMAGE];
    int damage_count;
};

// Fills in the boxes for the content, the size and the base.
void overlay_lay_out(struct overlay *o);

#endif

// panel_view.h -- the panels over the picture: bars, sweep, heat map, and facts of the block grid.
//
// Lays them out, draws each on its own, and finds what is under a point. A panel's text is set in
// lines; "label<tab>value" makes two columns, a line without a tab is a heading.
//
// Does not decide when a panel is drawn: overlay.c does.
#ifndef PANEL_VIEW_H
#define PANEL_VIEW_H

#include "draw/paint.h"
#include "screen/overlay.h"

struct panel_view;

struct panel_view *panel_view_create(PangoContext *context);
void panel_view_destroy(struct panel_view *view);  // accepts NULL

// Lays the open panels out between the bands; what content borrows must live until the last draw.
void panel_view_place(struct panel_view *view, const struct paint *paint,
                      const struct overlay_panels *content, struct paint_box area);
// Where a panel lies; without a width: nowhere.
struct paint_box panel_view_box(const struct panel_view *view, enum overlay_panel panel);

// A fingerprint of what a panel shows, wherever it lies.
uint64_t panel_view_hash(const struct overlay_panels *content, enum overlay_panel panel);
void panel_view_draw(struct panel_view *view, const struct paint *paint, enum overlay_panel panel);

// Of what was drawn last. False: no panel is there.
bool panel_view_find(const struct panel_view *view, double x, double y, struct overlay_hit *hit);

#endif

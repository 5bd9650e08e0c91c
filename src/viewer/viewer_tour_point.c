// viewer_tour_point.c -- what a tour draws the eye to: it opens what is closed, and marks the
// place. The source's job finds a line.
#include <glib.h>

#include "viewer/viewer.h"

// By tour_place: the key that opens it, its switch, and what is marked.
static const struct {
    const char *key, *name;
    enum overlay_pointed kind;
    int index;  // of the panel, or of A's dock
} places[] = {
    [TOUR_BARS] = {"l", "bars", OVERLAY_POINTED_PANEL, OVERLAY_BARS},
    [TOUR_SWEEP] = {"p", "sweep", OVERLAY_POINTED_PANEL, OVERLAY_SWEEP},
    [TOUR_HEAT] = {"t", "heat", OVERLAY_POINTED_PANEL, OVERLAY_HEAT},
    [TOUR_BLOCK] = {"g", "grid", OVERLAY_POINTED_PANEL, OVERLAY_GRID},
    [TOUR_SOURCE] = {"E", "source", OVERLAY_POINTED_DOCK, OVERLAY_SOURCE_A},
    [TOUR_LENS] = {"M", "lens", OVERLAY_POINTED_DOCK, OVERLAY_LENS_A},
    [TOUR_SOURCE_LINE] = {"E", "source", OVERLAY_POINTED_NONE, 0},
    [TOUR_SPOT] = {NULL, NULL, OVERLAY_POINTED_SPOT, 0},
};

static bool is_same(const struct tour_pointer *a, const struct tour_pointer *b)
{
    return a->place == b->place && a->line == b->line && a->x == b->x && a->y == b->y &&
           a->is_relative == b->is_relative;
}

void viewer_point_tour(struct viewer *v, const struct tour_pointer *to)
{
    const char *name = places[to->place].name;
    if (is_same(&v->tour.pointed, to)) return;
    v->tour.pointed = *to;
    v->tour.is_pointed_new = true;
    v->screen.needs_words = true;
    if (name && !*input_switch(&v->app, name)) viewer_press(v, places[to->place].key);
}

static void find_spot(const struct viewer *v, struct overlay_pointer *p)
{
    const struct viewport_sizes sizes = viewer_sizes(v);
    const struct viewport_box place = viewport_place(v->app.viewport, sizes);
    const struct tour_pointer *to = &v->tour.pointed;
    const double across = to->is_relative ? to->x : (to->x + 0.5) / sizes.picture_width;
    const double down = to->is_relative ? to->y : (to->y + 0.5) / sizes.picture_height;
    p->x = place.left + across * place.width;
    p->y = place.top + down * place.height;
}

void viewer_write_pointer(struct viewer *v)
{
    struct overlay_pointer *p = &v->screen.content.pointer;
    const enum tour_place place = v->tour.pointed.place;
    if (place == TOUR_SOURCE_LINE) return;
    *p = (struct overlay_pointer){.kind = places[place].kind, .index = places[place].index};
    if (p->kind == OVERLAY_POINTED_DOCK) p->index += v->app.side;
    if (p->kind == OVERLAY_POINTED_SPOT) find_spot(v, p);
}

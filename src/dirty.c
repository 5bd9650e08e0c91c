#include "dirty.h"

#include <glib.h>

bool dirty_is_empty(cairo_rectangle_int_t b)
{
    return b.width <= 0 || b.height <= 0;
}

bool dirty_is_same(cairo_rectangle_int_t a, cairo_rectangle_int_t b)
{
    return (dirty_is_empty(a) && dirty_is_empty(b)) ||
           (a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height);
}

bool dirty_has_overlap(cairo_rectangle_int_t a, cairo_rectangle_int_t b)
{
    return !dirty_is_empty(a) && !dirty_is_empty(b) && a.x < b.x + b.width && b.x < a.x + a.width &&
           a.y < b.y + b.height && b.y < a.y + a.height;
}

static cairo_rectangle_int_t join(cairo_rectangle_int_t a, cairo_rectangle_int_t b)
{
    const int left = MIN(a.x, b.x), top = MIN(a.y, b.y);
    const int right = MAX(a.x + a.width, b.x + b.width);
    const int bottom = MAX(a.y + a.height, b.y + b.height);
    return (cairo_rectangle_int_t){left, top, right - left, bottom - top};
}

void dirty_add(struct dirty *d, cairo_rectangle_int_t box)
{
    if (dirty_is_empty(box)) return;
    for (int i = 0; i < d->count;) {
        if (!dirty_has_overlap(d->boxes[i], box)) {
            i++;
            continue;
        }
        box = join(box, d->boxes[i]);
        d->boxes[i] = d->boxes[--d->count];
        i = 0;
    }
    g_assert(d->count < DIRTY_MAX);
    d->boxes[d->count++] = box;
}

static bool is_inside(cairo_rectangle_int_t a, cairo_rectangle_int_t of)
{
    return a.x >= of.x && a.y >= of.y && a.x + a.width <= of.x + of.width &&
           a.y + a.height <= of.y + of.height;
}

static bool is_cut(const struct dirty *d, cairo_rectangle_int_t box)
{
    for (int i = 0; i < d->count; i++)
        if (dirty_has_overlap(box, d->boxes[i]) && !is_inside(box, d->boxes[i])) return true;
    return false;
}

void dirty_complete(struct dirty *d, const cairo_rectangle_int_t *places, int count)
{
    for (int i = 0; i < count;) {
        if (!is_cut(d, places[i])) {
            i++;
            continue;
        }
        dirty_add(d, places[i]);
        i = 0;
    }
}

cairo_rectangle_int_t dirty_hull(const struct dirty *d)
{
    cairo_rectangle_int_t hull = {0, 0, 0, 0};
    for (int i = 0; i < d->count; i++) hull = i ? join(hull, d->boxes[i]) : d->boxes[i];
    return hull;
}

// damage.h -- the parts of a window that are to be drawn again: a few boxes, none over another.
#ifndef DAMAGE_H
#define DAMAGE_H

#include <stdbool.h>

#include "draw/paint.h"

enum { DAMAGE_MAX = 48 };

struct damage {
    cairo_rectangle_int_t boxes[DAMAGE_MAX];
    int count;
};

bool damage_is_empty(cairo_rectangle_int_t box);
bool damage_is_same(cairo_rectangle_int_t a, cairo_rectangle_int_t b);  // all empty ones are
bool damage_has_overlap(cairo_rectangle_int_t a, cairo_rectangle_int_t b);

// Takes in what overlaps, so that nothing is drawn twice.
void damage_add(struct damage *d, cairo_rectangle_int_t box);

// Of things at these places, those that lie partly under something dirty are to be drawn as a
// whole: a shape that is cut would get slightly other edges.
void damage_complete(struct damage *d, const cairo_rectangle_int_t *places, int count);

// At most that many boxes that cover all of them, with little else.
struct damage damage_reduce(const struct damage *d, int max);

#endif

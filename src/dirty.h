// dirty.h -- the parts of a window that are to be drawn again: a few boxes, none over another.
#ifndef DIRTY_H
#define DIRTY_H

#include <stdbool.h>

#include "paint.h"

enum { DIRTY_MAX = 48 };

struct dirty {
    cairo_rectangle_int_t boxes[DIRTY_MAX];
    int count;
};

bool dirty_is_empty(cairo_rectangle_int_t box);
bool dirty_is_same(cairo_rectangle_int_t a, cairo_rectangle_int_t b);  // all empty ones are
bool dirty_has_overlap(cairo_rectangle_int_t a, cairo_rectangle_int_t b);

// Takes in what overlaps, so that nothing is drawn twice.
void dirty_add(struct dirty *d, cairo_rectangle_int_t box);

// Of things at these places, those that lie partly under something dirty are to be drawn as a
// whole: a shape that is cut would get slightly other edges.
void dirty_complete(struct dirty *d, const cairo_rectangle_int_t *places, int count);

// At most that many boxes that cover all of them, with little else.
struct dirty dirty_reduce(const struct dirty *d, int max);

#endif

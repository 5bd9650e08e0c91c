// damage.h -- the parts of a window that are drawn again: a few boxes, none over another.
//
// All boxes have whole pixels; one without a width or a height is empty.
#ifndef DAMAGE_H
#define DAMAGE_H

#include <stdbool.h>

#include "draw/paint.h"
#include "screen/overlay.h"

struct damage {
    struct paint_box boxes[OVERLAY_DAMAGE];
    int count;
};

bool damage_is_empty(struct paint_box box);
bool damage_has_overlap(struct paint_box a, struct paint_box b);

// Joins what overlaps into one box, so that nothing is drawn twice.
void damage_add(struct damage *d, struct paint_box box);

// Whether a box lies partly in the damage and partly outside.
bool damage_cuts(const struct damage *d, struct paint_box box);

#endif

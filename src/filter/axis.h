// axis.h -- the param that a sweep goes through, which the arrow keys change.
//
// Any whole number can be one that is a number, not a name, and may have more than one value. Each
// filter and lab has one of its own: the radius, or else the first that can be one. A person may
// choose another by its name.
//
// A range is wide if its ends are more than 256 times apart. It is gone through by doubling.
// Arithmetic only: this module measures nothing and does not know what a sweep costs.
#pragma once

#include <stdbool.h>

#include "filter/filter.h"

enum { AXIS_MAX_STOPS = 64 };

bool axis_can_be(const struct filter *f, int param);
// The param of that name, or else the filter's own. NULL or empty: its own; -1: it has none.
int axis_find(const struct filter *f, const char *name);

// A step up (+) or down (-) within the limits: of that size, or in a wide range by a factor, 2 for
// a step of one and 8 for a larger one.
double axis_step(const struct param *p, double value, int step);

// The values that a window's sweep goes through, ascending: close together near 0 and wider from
// there; in a wide range the powers of two. The lower limit and `present` are among them. Returns
// their number.
int axis_stops(const struct param *p, int present, int stops[AXIS_MAX_STOPS]);

// The values that a benchmark's sweep goes through unless it is told others: the powers of two,
// with both signs where both are allowed. There is at least one.
int axis_powers(const struct param *p, int stops[AXIS_MAX_STOPS]);

// The value of the axis that a point between stops means: a whole number within the limits, and in
// a wide range the nearest stop.
int axis_snap(const struct param *p, const int *stops, int count, double value);

// axis.h -- the param that a sweep varies and the arrow keys change.
//
// A param can be the axis if it is a whole number without names and has more than one value. Each
// filter and lab has a default axis: the radius, or else the first param that can be one. A person
// may choose another by its name.
//
// A range is wide if its ends are more than 256 times apart; a sweep then goes through it by
// doubling. This module measures nothing and does not know what a sweep costs.
#pragma once

#include <stdbool.h>

#include "filter/filter.h"

enum { AXIS_MAX_STOPS = 64 };

bool axis_can_be(const struct filter *f, int param);
// The index of the param of that name, or else (also for NULL or empty) of the filter's default
// axis; -1: it has none.
int axis_find(const struct filter *f, const char *name);

// The value after a step up (+) or down (-) within the limits. In a wide range a step of one
// doubles or halves the value, and a larger step is a factor of 8.
double axis_step(const struct param *p, double value, int step);

// The values that a window's sweep goes through, ascending: close together near 0 and wider from
// there; in a wide range the powers of two. They include the lower limit and `present`. Returns
// their number.
int axis_stops(const struct param *p, int present, int stops[AXIS_MAX_STOPS]);

// The default values of a benchmark's sweep: the powers of two, with both signs if both are
// allowed. Returns their number, at least 1.
int axis_powers(const struct param *p, int stops[AXIS_MAX_STOPS]);

// The axis's value for a point between stops: a whole number within the limits, or in a wide range
// the nearest stop.
int axis_snap(const struct param *p, const int *stops, int count, double value);

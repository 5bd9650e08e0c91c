// sweep.h -- the cases of a benchmark, made from axes as they are typed.
//
//     a param  5   1..9   1..64x2 (doubling)   1..9+4   1,2,4..6   all (the filter's limits)
//     block    32x8   32x8,16x16   all (4 ... 1024 by 1 ... 64, the illegal ones too)
//     filter, variant   a name   a list   all
//     unroll   on   off   both
//
// One param is the sweep's axis: the one that is named so, or the first that is given several
// numbers, or the filter's own (axis.h). Params that are names or floats take lists.
//
// A given axis must name something, and all that it names must exist. With several filters, a
// variant or param that one of them lacks is left out for that one. This module does not know
// devices: the caller finds out which cases are legal.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "filter/choice.h"

enum { SWEEP_MAX_VALUES = 256, SWEEP_MAX_CASES = 8192 };

// The values of an axis in their order, each once. A param has widths alone. A block's width and
// height are in threads; 0 x 0 is the default.
struct sweep_values {
    double widths[SWEEP_MAX_VALUES];
    int heights[SWEEP_MAX_VALUES];
    int count;
};

// Reads the axis "block", or that of a param of whole numbers. A radius has no sign. False when the
// text is empty, runs backwards or is not understood; err names the axis.
bool sweep_parse(struct sweep_values *values, const char *axis, const char *text,
                 struct error *err);

// The axes as typed; NULL: not given. sweep is the name of a param. params ends with NULL; each is
// "name=value" or "name=1..9", and radius is another way to write the one of that name. The
// defaults are mean; all variants; the default of each param; the variant's own block; not
// unrolled, which is all that a filter without whole numbers can be. A sweep without values goes
// through 1, 2, 4 ... as far as the filter allows.
struct sweep_axes {
    const char *filter, *variant, *radius, *block, *unroll, *sweep;
    char *const *params;
};

// Sorted by group, then by variant, unroll and block. A group is the cases of one filter and the
// same params, which compute the same and run interleaved.
struct sweep {
    struct choice *cases;  // owned
    int count;
    char axis[FILTER_NAME];  // its param; "radius" if filters differ in it, or have none
};

// The filters are borrowed for the sweep's life.
bool sweep_build(struct sweep *sweep, const struct filter_list *filters,
                 const struct sweep_axes *axes, struct error *err);
void sweep_finish(struct sweep *sweep);  // accepts a zeroed sweep

// The index of the first case behind the group that begins at `first`.
int sweep_group_end(const struct sweep *sweep, int first);
int sweep_count_groups(const struct sweep *sweep);

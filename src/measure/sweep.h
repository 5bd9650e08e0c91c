// sweep.h -- what a benchmark goes through: the axes as they are typed, and the cases they make.
//
//     radius   5   1..9   1..64x2 (doubling)   1..9+4   1,2,4..6   all (the filter's limits)
//     block    32x8   32x8,16x16   all (SWEEP_WIDTHS x SWEEP_HEIGHTS, the illegal ones too)
//     filter, variant   a name   a list   all
//     unroll   on   off   both
//
// An axis that is given must name something, and all of it must exist; with several filters, what
// one of them lacks (a variant, a radius) is left out for it. Does not know devices: which cases
// are legal is found by whoever runs them.
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>

#include "base/error.h"
#include "filter/filter.h"
#include "filter/launch.h"

enum { SWEEP_MAX_VALUES = 256, SWEEP_MAX_CASES = 8192 };

// The values of an axis, in the order given, each once.
struct sweep_numbers {
    int values[SWEEP_MAX_VALUES];
    int count;
};

struct sweep_blocks {
    int widths[SWEEP_MAX_VALUES], heights[SWEEP_MAX_VALUES];  // threads; 0 x 0: the default
    int count;
};

// False when the text is empty, runs backwards or is not understood; err names the axis.
bool sweep_parse_numbers(struct sweep_numbers *numbers, const char *axis, const char *text,
                         struct error *err);
bool sweep_parse_blocks(struct sweep_blocks *blocks, const char *text, struct error *err);

// The axes as given; NULL: not given. params is NULL-ended, "name=value" each.
// Not given: mean; all variants; radius 1, 2, 4 ... 64 as far as the filter allows; the variant's
// own block; not unrolled.
struct sweep_axes {
    const char *filter, *variant, *radius, *block, *unroll;
    char *const *params;
};

struct sweep_case {
    const struct filter *filter;
    const struct variant *variant;
    struct settings settings;
    int group;  // cases of one filter and one radius: they compute the same, and run interleaved
};

// Sorted by group; within one by variant, unroll, block.
struct sweep {
    struct sweep_case *cases;  // owned
    int count, group_count;
};

// The filters are borrowed for the sweep's life.
bool sweep_build(struct sweep *sweep, const struct filter_list *filters,
                 const struct sweep_axes *axes, struct error *err);
void sweep_finish(struct sweep *sweep);  // accepts a zeroed sweep

#endif

// filter_references.h -- what the filters of this tree compute, a second time: each filter's
// REFERENCE is compared with a loop that shares no code with kernel files.
//
// To add a filter: a row in filter_references.c.
#ifndef FILTER_REFERENCES_H
#define FILTER_REFERENCES_H

#include <stdbool.h>

#include "base/image.h"
#include "base/planes.h"
#include "filter/filter.h"

bool filter_is_known(const struct filter *f);

// Compares a picture that REFERENCE has made of `in`: all of a small one's pixels, and the corners
// and some others of one that has more than `max_taps` taps. A filter that is not known has nothing
// to compare.
struct image_difference filter_reference_differs(const struct filter *f,
                                                 const struct param_values *values,
                                                 struct planes made, struct planes in,
                                                 double max_taps);

#endif

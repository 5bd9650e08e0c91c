// second_references.h -- what the filters and labs of this tree compute, a second time:
// test_kernels compares each reference with a loop that shares no code with kernel files, or with a
// closed form.
//
// To add a filter or a lab: a row in second_references.c.
#pragma once

#include <stdbool.h>

#include "base/image.h"
#include "filter/filter.h"

// One that is not known has nothing to compare.
bool second_reference_is_known(const struct filter *f);

// Compares the reference's picture of `in` with this: all of a small one's pixels, and the corners
// and some others of one that has more than `max_taps` taps.
struct image_difference second_reference_differs(const struct filter *f,
                                                 const struct param_values *values,
                                                 struct planes made, struct planes in,
                                                 double max_taps);

// A lab with some params, and its arrays in host memory.
struct lab_values {
    const struct filter *lab;
    const struct param_values *params;
    const void *in[ARRAYS_MAX];          // by array; NULL: not an in array
    const double *expected[ARRAYS_MAX];  // all by the reference; NULL: not an out array
    struct arrays_layout layout;
};

// True: the reference is right about every element.
bool second_reference_is_right(const struct lab_values *values);

// How many additions, or the like, a launch takes, about. variant NULL: what all references take.
double second_reference_steps(const struct lab_values *values, const struct variant *variant);

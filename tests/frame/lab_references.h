// lab_references.h -- what the labs of this tree compute, a second time: test_kernels compares each
// lab's REFERENCE with a closed form, or with a loop that goes another way.
//
// To add a lab: a row in lab_references.c.
#ifndef LAB_REFERENCES_H
#define LAB_REFERENCES_H

#include <stdbool.h>

#include "filter/filter.h"

// A lab with some params, and its arrays in host memory.
struct lab_values {
    const struct filter *lab;
    const struct param_values *params;
    const void *in[ARRAYS_MAX];          // by array; NULL: not an in array
    const double *expected[ARRAYS_MAX];  // all elements by REFERENCE; NULL: not an out array
    struct arrays_layout layout;
};

bool lab_is_known(const struct filter *lab);

// True: the REFERENCE is right about every element. A lab that is not known has nothing to compare.
bool lab_reference_is_right(const struct lab_values *values);

// How many additions, or the like, a launch takes, about. variant NULL: what all REFERENCEs take.
double lab_steps(const struct lab_values *values, const struct variant *variant);

#endif

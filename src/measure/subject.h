// subject.h -- what a measurement is of, in words: a picture, or a lab's arrays.
//
// Reports, plots and files name it in their heads. The caller frees each text.
#ifndef SUBJECT_H
#define SUBJECT_H

#include "base/planes.h"
#include "filter/filter.h"

// "8000×8000 grey noise"
char *subject_of_picture(struct planes picture, const char *name);

// What launches of a lab with these params have in common. Where all arrays keep their sizes it is
// the sizes, "a: float 512×64 · b: float 64×512"; else it is the params that keep their values, but
// for the axis: "columns 64". Empty where they share nothing. At least one.
char *subject_of_lab(const struct filter *lab, const struct param_values *values, int count,
                     const char *axis);

// The sizes of a lab's in and out arrays as its file writes them, "a[512][64] b[64][512]".
char *subject_of_arrays(const struct filter *lab, const struct param_values *values);

#endif

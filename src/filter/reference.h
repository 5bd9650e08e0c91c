// reference.h -- the slow, obvious version of each filter. Every variant must equal it to the bit.
//
// It shares no code with the kernels that it judges. Any thread may call.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/image.h"
#include "base/planes.h"
#include "filter/filter.h"

enum { REFERENCE_PARAMS = 2, REFERENCE_WEIGHTS = 2 * 64 + 1 };

// Computes one output pixel of one plane. Reads outside the picture return the nearest edge pixel.
typedef int reference_pixel(struct planes in, int plane, int x, int y, const double *values);

// A filter's reference with its params' values. It does not point to the filter.
struct reference {
    reference_pixel *pixel;
    double values[REFERENCE_PARAMS + REFERENCE_WEIGHTS];
};

// False: the filter has no reference, and its output cannot be checked. A file of a known name has
// none if it lacks a param that the reference reads, or allows values that it is not written for.
bool reference_exists(const struct filter *f);
bool reference_prepare(struct reference *r, const struct filter *f,
                       const struct param_values *values);

// The 2 * radius + 1 weights of the Gaussian's reference, radius 0 ... 64. Kernels get theirs from
// weights.c.
void reference_weights(int radius, double sigma, int *weights);

// Computes the whole picture on all CPU threads. out and in have one shape.
void reference_run(const struct reference *r, struct planes out, struct planes in);

// The same on that many threads.
void reference_run_on(const struct reference *r, struct planes out, struct planes in, int threads);

enum { REFERENCE_ROWS = 16 };

// Some rows of a picture, for when not all of it is at hand: the first, the last, and others spread
// between them by seed.
struct reference_rows {
    int y[REFERENCE_ROWS];
};
struct reference_rows reference_choose_rows(int height, unsigned int seed);

struct reference_samples {
    int count;
    unsigned int seed;
    const struct reference_rows *rows;  // the only ones of out to look at; NULL: all
    const atomic_bool *stop;            // when it becomes true, the rest is left out; NULL: never
};

// Compares some pixels of out with the reference: corners and edges first, then others that the
// seed spreads over the picture. The result's count is of these samples.
struct image_difference reference_sample(const struct reference *r, struct planes out,
                                         struct planes in, const struct reference_samples *samples);

#endif

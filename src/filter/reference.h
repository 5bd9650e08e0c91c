// reference.h -- the slow, obvious version of each filter. Every variant must equal it to the bit.
//
// It shares no code with the kernels that it judges. Any thread may call.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>

#include "base/image.h"
#include "base/planes.h"
#include "filter/filter.h"

// Computes one output pixel of one plane. Reads outside the picture return the nearest edge pixel.
// values are in the order of the filter's params. reference.c adds its own behind them, so only the
// functions below call it.
typedef int reference_pixel(struct planes in, int plane, int x, int y, const double *values);

// The reference of a filter. NULL: it has none, and its output cannot be checked.
reference_pixel *reference_find(const char *filter);

// The 2 * radius + 1 weights of the Gaussian's reference. Kernels get theirs from weights.c.
void reference_weights(int radius, double sigma, int *weights);

// Computes the whole picture on all CPU threads. out and in have one shape.
void reference_run(reference_pixel *pixel, struct planes out, struct planes in,
                   const struct param_values *values);

// The same on that many threads.
void reference_run_on(reference_pixel *pixel, struct planes out, struct planes in,
                      const struct param_values *values, int threads);

enum { REFERENCE_ROWS = 16 };

// Some rows of a picture, for when not all of it is at hand: the first, the last, and others spread
// between them by seed.
struct reference_rows {
    int y[REFERENCE_ROWS];
};
struct reference_rows reference_choose_rows(int height, unsigned int seed);

// Compares `samples` pixels of out with the reference: corners and edges first, then others that
// seed spreads over the picture. rows are the only ones of out that it looks at; NULL: it looks at
// all. The result's count is of these samples.
struct image_difference reference_sample(reference_pixel *pixel, struct planes out,
                                         struct planes in, const struct param_values *values,
                                         const struct reference_rows *rows, int samples,
                                         unsigned int seed);

#endif

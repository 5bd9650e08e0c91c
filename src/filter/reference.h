// reference.h -- the slow, obvious version of each filter: what every variant must equal, to the
// bit.
//
// Shares nothing with the kernels that it judges. Any thread.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>

#include "base/image.h"
#include "base/planes.h"
#include "filter/filter.h"

// One output pixel of one plane; reads outside the picture return the nearest edge pixel.
// values are in the order of the filter's params; what reference.c adds stands behind them, so only
// the functions below call it.
typedef int reference_pixel(struct planes in, int plane, int x, int y, const double *values);

// The reference of a filter, or NULL: then nothing is known about its output.
reference_pixel *reference_find(const char *filter);

// The 2 * radius + 1 weights of the Gaussian's reference. Kernels get theirs from weights.c.
void reference_weights(int radius, double sigma, int *weights);

// The whole picture, on all CPU threads; out and in have one shape.
void reference_run(reference_pixel *pixel, struct planes out, struct planes in,
                   const struct param_values *values);

// The same on so many threads.
void reference_run_on(reference_pixel *pixel, struct planes out, struct planes in,
                      const struct param_values *values, int threads);

// Compares `samples` pixels of out with the reference: corners and edges first, the rest spread
// over the picture by seed. The count of the result counts samples.
struct image_difference reference_sample(reference_pixel *pixel, struct planes out,
                                         struct planes in, const struct param_values *values,
                                         int samples, unsigned int seed);

#endif

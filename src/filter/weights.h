// weights.h -- computes the one-dimensional weights of a Gaussian, as whole numbers.
//
// A kernel file asks for them with `//! weights gaussian`, for its params radius and sigma, and
// frame_fill() brings them to the device. The same params give the same numbers on every machine
// (base/exact.h).
#ifndef WEIGHTS_H
#define WEIGHTS_H

enum {
    WEIGHTS_SUM = 4096,
    WEIGHTS_MAX_RADIUS = 64,
    WEIGHTS_MAX = 2 * WEIGHTS_MAX_RADIUS + 1,  // of one filter
    // In memory they are there twice: as whole numbers, for kernels, and behind them as parts of 1,
    // between two zeros, for libraries.
    WEIGHTS_BYTES = 4 * (WEIGHTS_MAX + 1 + WEIGHTS_MAX + 1)
};

// Writes 2 * radius + 1 numbers, the centre's at [radius]. They are not negative, symmetric, fall
// from the centre and sum to WEIGHTS_SUM. A sigma of 0 means the one that OpenCV uses for a radius.
void weights_gaussian(int *weights, int radius, double sigma);

#endif

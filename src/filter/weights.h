// weights.h -- computes a filter's one-dimensional weights, as whole numbers, from its params.
//
// A kernel file asks for them with `//! weights KIND`, and frame_fill() brings them to the
// device. The same params give the same numbers on every machine (base/exact.h).
#ifndef WEIGHTS_H
#define WEIGHTS_H

enum {
    WEIGHTS_SUM = 4096,
    WEIGHTS_MAX_RADIUS = 64,
    WEIGHTS_MAX = 2 * WEIGHTS_MAX_RADIUS + 1,  // of one filter
    WEIGHTS_MAX_PARAMS = 2,
    // In memory they are there twice: as whole numbers, for kernels, and behind them as parts of 1,
    // between two zeros, for libraries.
    WEIGHTS_BYTES = 4 * (WEIGHTS_MAX + 1 + WEIGHTS_MAX + 1)
};

struct weights_kind {
    const char *name;
    // The filter's params that decide the numbers; the first is the radius.
    const char *params[WEIGHTS_MAX_PARAMS];
    // values are those params'. Writes 2 * radius + 1 numbers, the centre's at [radius]. They are
    // not negative, symmetric, fall from the centre and sum to WEIGHTS_SUM.
    void (*fill)(int *weights, const double *values);
};

// Finds the kind of that name; NULL: there is none.
const struct weights_kind *weights_find(const char *name);
const char *weights_names(void);  // all names, for messages

#endif

// weights.h -- one-dimensional weights of a filter, as whole numbers, from its params.
//
// A kernel file asks for them with `//! weights KIND`; frame_prepare() brings them to the device.
// The same params give the same numbers on every machine: only IEEE's exact operations are used,
// because two libraries' exp() may differ in the last bit and so round a weight differently.
#ifndef WEIGHTS_H
#define WEIGHTS_H

enum {
    WEIGHTS_SUM = 4096,
    WEIGHTS_MAX_RADIUS = 64,
    WEIGHTS_MAX = 2 * WEIGHTS_MAX_RADIUS + 1,  // of one filter
    WEIGHTS_MAX_PARAMS = 2
};

struct weights_kind {
    const char *name;
    // The params of a filter that the numbers follow from; the first is the radius.
    const char *params[WEIGHTS_MAX_PARAMS];
    // values: of those params. Writes 2 * radius + 1 numbers, the centre's at [radius]: not
    // negative, symmetric, falling from the centre, WEIGHTS_SUM in all.
    void (*fill)(int *weights, const double *values);
};

// By the name behind //! weights; NULL: there is none.
const struct weights_kind *weights_find(const char *name);
const char *weights_names(void);  // all of them, for messages

#endif

// reference.h -- calls the REFERENCE of a filter's file, the slow and obvious version of the
// filter. Every variant must equal it to the bit.
//
// references.h says who compiles it. lab_check.h does the same for labs. A reference that is at
// hand may be called by any thread, as long as its module is loaded.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/image.h"
#include "base/planes.h"
#include "filter/filter.h"
#include "frame/frame.h"
#include "frame/references.h"

// What a file exports: computes one output pixel of one plane.
typedef int reference_pixel(const void *in, int plane, const int *weights, const void *params,
                            int x, int y);

// A filter's reference with its params' values. It does not point to the filter.
struct reference {
    const struct backend *host;   // with the module that has
    const struct module *module;  // the function; both borrowed
    reference_pixel *pixel;
    unsigned char params[4 * FILTER_MAX_PARAMS];
    int weights[WEIGHTS_MAX];
};

// READY fills the reference. FAILED: there is none to call, because the file has none, nobody
// compiles it, or its windows are so large that a pixel takes longer than some milliseconds.
enum builder_state reference_get(struct reference *r, const struct references *from,
                                 const struct filter *f, const struct param_values *values);
// The same, and waits for the compiler. False: failed.
bool reference_wait(struct reference *r, const struct references *from, const struct filter *f,
                    const struct param_values *values);

// Computes the whole picture on all CPU threads. out and in have one shape. Nothing ends a function
// that does not come back: let reference_sample try it before.
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
// seed spreads over the picture. The count of what is found is of these samples. False: the
// REFERENCE faulted, or did not come back.
bool reference_sample(const struct reference *r, struct planes out, struct planes in,
                      const struct reference_samples *samples, struct image_difference *found,
                      struct error *err);

#endif

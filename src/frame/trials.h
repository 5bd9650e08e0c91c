// trials.h -- the sizes and parameters with which a submission is tried, drawn from a seed; and the
// two sizes at which an edited kernel is tried.
//
// All but the last are small and awkward: everything at its minimum, primes, one more and one less
// than what blocks write, and any number between. The last one, whose traffic is counted, has sizes
// near the defaults that a CPU has. Nobody knows a trial beforehand without the seed, so a kernel
// that is made for certain sizes is of no use.
//
// Pure arithmetic.
#pragma once

#include <stdbool.h>

#include "filter/choice.h"

enum { TRIALS_GUARD_BYTES = 4096 };  // before, between and behind the arrays
enum { TRIALS_SMALL = 8, TRIALS_COUNT = TRIALS_SMALL + 1, TRIALS_MULTIPROCESSORS = 8 };

struct trial {
    struct param_values params;
    int width, height, planes;  // of the picture, if there is one
    unsigned int seed;          // of its contents
    bool is_counted;
};

// True if arrays grow with the param.
bool trials_is_size(const struct filter *f, int param);

// variant: the student's; sizes lie about the edges of its blocks.
void trials_draw(struct trial trials[TRIALS_COUNT], const struct filter *f,
                 const struct variant *variant, unsigned int seed);

// Makes two small trials, always the same, with the params of a choice. Pictures are grey, of 33×17
// and 67×44 pixels; sizes of arrays are one more than blocks write, and different prime numbers, if
// their steps allow that. Checks compare all their elements.
enum { TRIALS_EDGES = 2 };
void trials_at_edges(struct trial trials[TRIALS_EDGES], const struct choice *choice);
// "33×17", or "rows 33 · columns 65"; nothing if all sizes are fixed.
void trial_write_size(const struct trial *t, const struct filter *f, char *text, size_t size);

// "exact with rows 33 · columns 1", "exact with 37×1 grey · radius 3", "within 1e-6 with n 3"; the
// caller frees it.
char *trial_name(const struct trial *t, const struct filter *f);

// The picture of a trial; {0}: there are other arrays.
struct planes trial_picture(const struct trial *t);
// Lays out the arrays of a trial in one piece of memory, further apart than arrays.h does, so that
// accesses outside of them are found. False: as arrays_plan().
bool trial_layout(const struct trial *t, const struct filter *f, struct arrays_layout *layout,
                  struct error *err);
// Compares what a launch has left in that memory with what it began with. False: something was
// written beside the arrays or into one that is only to be read, and `what` says where.
bool trial_is_intact(const struct filter *f, const struct arrays_layout *layout, const void *before,
                     const void *after, struct error *what);

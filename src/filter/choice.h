// choice.h -- what is run: a variant of a filter, with its parameters and its block.
//
// A block of 0x0 is the variant's default block. Borrows the filter; passed by value.
#ifndef CHOICE_H
#define CHOICE_H

#include <stdbool.h>

#include "filter/filter.h"
#include "filter/launch.h"

struct choice {
    const struct filter *filter;
    const struct variant *variant;
    struct settings settings;
};

// Whether two choices are written alike; choice_normal() of both finds those that launch the same.
bool choice_is_same(const struct choice *a, const struct choice *b);

// The one form of all choices that launch the same: no block where the chosen one is the variant's
// default, no unroll where there is no radius, no negative zero.
struct choice choice_normal(const struct choice *choice);

// The naive variant with the same params and unroll, in its default block: what "x naive" means.
// False: the filter has none, and naive is untouched.
bool choice_naive_of(const struct choice *choice, struct choice *naive);

// ---- as it is typed ----

// NULL: not given. params is NULL-ended, "name=value" each.
struct choice_words {
    const char *filter, *variant, *radius, *block;
    char *const *params;
    bool is_unrolled;
};

// What the words name, or their defaults: mean, its first variant, its default block. False when a
// name or value is wrong; err says which are possible.
bool choice_read(struct choice *choice, const struct choice_words *words,
                 const struct filter_list *filters, struct error *err);

// NULL: there is no filter of that name, and err lists those there are. name NULL: the default.
const struct filter *choice_read_filter(const struct filter_list *filters, const char *name,
                                        struct error *err);

// "1280x720" or "32×8" into two positive numbers.
bool choice_read_size(const char *text, int *width, int *height);

#endif

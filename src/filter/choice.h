// choice.h -- what to run: a variant of a filter, with its parameters and its block.
//
// A block of 0x0 means the variant's default block. A choice borrows the filter and is passed by
// value.
#pragma once

#include <stdbool.h>

#include "filter/filter.h"

// The choices of a person that change the launch, except for the picture.
struct settings {
    struct param_values params;
    int block_width, block_height;  // threads; 0: the variant's default
    bool is_unrolled;               // compile for the present params
};

struct choice {
    const struct filter *filter;
    const struct variant *variant;  // NULL: a device copy (choice_copy_of)
    struct settings settings;
};

bool choice_settings_are_same(const struct settings *a, const struct settings *b);

// True if two choices have equal members. Choices that launch the same have an equal
// choice_normal().
bool choice_is_same(const struct choice *a, const struct choice *b);

// The one form of all choices that launch the same: no block if it is the variant's default, no
// unroll without params that are ints, no negative zero.
struct choice choice_normal(const struct choice *choice);

// True if the unroll switch changes this variant. It does not change a library.
bool choice_can_unroll(const struct choice *choice);

// The choice with another variant of its filter, in that variant's default block. If the choice has
// that variant, the choice itself.
struct choice choice_of_variant(const struct choice *choice, const struct variant *variant);

// The device copy that a choice is compared with. A lab's copy moves as many bytes as any variant's
// launch must with those params (arrays.h). A filter's copies the picture and has no filter.
struct choice choice_copy_of(const struct choice *choice);

// The naive variant with the same params and unroll in its default block; "x naive" compares with
// it. False: the filter has none, and naive is untouched.
bool choice_naive_of(const struct choice *choice, struct choice *naive);

// The common scale for the pictures of one lab's array in two choices; its ranges may depend on
// params. False: the arrays differ, one is a filter's, or a range cannot be computed.
bool choice_common_scale(const struct choice *a, int array_a, const struct choice *b, int array_b,
                         struct array_scale *scale);

// ---- a choice as it is typed ----

// NULL: not given. params ends with NULL; each is "name=value".
struct choice_words {
    const char *filter, *variant, *radius, *block;
    char *const *params;
    bool is_unrolled;
};

// Finds what the words name. The defaults are mean, its first variant and that one's default block.
// False: a name or value is wrong, and err lists the possible ones.
bool choice_read(struct choice *choice, const struct choice_words *words,
                 const struct filter_list *filters, struct error *err);

// Finds a filter; name NULL: the default one. NULL: there is none of that name, and err lists all
// names.
const struct filter *choice_read_filter(const struct filter_list *filters, const char *name,
                                        struct error *err);

// Sets the param that a text "name=value" names.
bool choice_set_param(const struct filter *f, struct param_values *values, const char *pair,
                      struct error *err);

// Reads two positive numbers: "1280x720" or "32×8".
bool choice_read_size(const char *text, int *width, int *height);
// Reads the size of a picture. False: err shows the form, or says that it is beyond
// PLANES_MAX_SIDE.
bool choice_read_picture_size(const char *text, int *width, int *height, struct error *err);

// result_check.h -- what a comparison of a choice's result with its reference found, and the words
// for it.
//
// This module compares nothing (result_checker.h) and keeps nothing (results.h).
#ifndef RESULT_CHECK_H
#define RESULT_CHECK_H

#include <stddef.h>

#include "base/image.h"
#include "filter/choice.h"

enum result_check {
    CHECK_UNKNOWN,
    CHECK_NO_REFERENCE,  // nothing can be said about this filter's results
    CHECK_EXACT,
    CHECK_NEAR,  // it differs by no more than the tolerance of the variant, which is a library's
    CHECK_WRONG,
};

// What a comparison found: EXACT, NEAR or WRONG.
enum result_check result_check_of(const struct choice *point, struct image_difference found);
// "max |diff| = 7", or "writes behind b".
void result_check_write_wrong(char *text, size_t size, const struct choice *point,
                              struct image_difference found);
// "exact", "within tolerance", "wrong", "not checked".
const char *result_check_name(enum result_check check);

#endif

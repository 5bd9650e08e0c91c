// difference.h -- how a wrong result is told to a student: where it is wrong first, and how often.
//
// Pure arithmetic and words.
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/image.h"
#include "filter/arrays.h"

// All but the counts are of the first element that is wrong. {0}: nothing is.
struct difference {
    long long count, of, first;
    double is, wanted;
    bool is_untouched;  // the element is the rubbish that was there before
};

// Compares element i of an array. True: it is wrong, and was counted.
bool difference_add(struct difference *d, long long i, double is, double wanted);

// "b is wrong: at row 3, column 0 it is 7 and should be 9 (1 of 99 elements are wrong)".
void difference_write(const struct difference *d, const char *array,
                      const struct array_place *place, char *what, size_t size);
void difference_write_picture(const struct image_difference *d, char *what, size_t size);

#endif

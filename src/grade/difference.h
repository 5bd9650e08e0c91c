// difference.h -- how a wrong result is told to a student: where it is wrong first, and how often.
//
// Pure arithmetic and words.
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include "filter/arrays.h"

// All but the counts and the worst are of the first element that is wrong. {0}: nothing is.
struct difference {
    long long count, of, first;
    double is, wanted;
    long long worst;    // the element that differs most,
    double most;        // and by how much
    bool is_untouched;  // the element is the rubbish that was there before
};

// Compares element i of an array. True: it is wrong, and was counted.
bool difference_add(struct difference *d, long long i, double is, double wanted);

// "b is wrong: at row 3, column 0 it is 7 and should be 9 (1 of 99 elements are wrong)", or "the
// picture is wrong: 1 samples differ, the most at x 0, y 3, by 2".
void difference_write(const struct difference *d, const char *array,
                      const struct array_place *place, struct error *what);

#endif

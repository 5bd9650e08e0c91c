// expected.h -- computes what a trial begins with and what a right kernel leaves, by the given
// file's filling and its reference, in the grader's process, which never runs a submission.
//
// Noise is turned by the trial's seed, so that results cannot be known beforehand. One thread makes
// all calls.
#pragma once

#include "frame/trials.h"

// ---- how a wrong result is told to a student ----

// All but the counts and the worst are of the first element that is wrong. {0}: nothing is.
struct difference {
    long long count, of, first;
    double is, wanted;
    long long worst;    // the element that differs most,
    double most;        // and by how much
    bool is_untouched;  // the element is the rubbish that was there before
};

// Compares element i of an array. True: it is wrong, and was counted.
bool difference_add(struct difference *d, struct tolerance t, long long i, double is,
                    double wanted);

// "b is wrong: at row 3, column 0 it is 7 and should be 9 (1 of 99 elements are wrong)", or "the
// picture is wrong: 1 samples differ, the most at x 0, y 3, by 2".
void difference_write(const struct difference *d, const struct array *a,
                      const struct array_place *place, struct error *what);

// ---- a trial ----

struct expected;

// given must outlive it. include: where kernel.h is. NULL: there is no C++ compiler, or no
// reference.
struct expected *expected_create(const struct filter *given, const char *include,
                                 struct error *err);
void expected_destroy(struct expected *e);  // accepts NULL

// Fills memory of `most` bytes with the arrays of a trial, and rubbish beside them. False: also
// where the given filter's reference does not run.
bool expected_begin(struct expected *e, const struct trial *trial, void *memory, size_t most,
                    struct error *err);

// Compares what the trial that was begun last has left in memory. False: `what` says what is wrong.
bool expected_check(const struct expected *e, const void *memory, struct error *what);

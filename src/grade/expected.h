// expected.h -- what a trial begins with, and what a right kernel leaves: by the given file's own
// filling and its REFERENCE, in the grader's process, which never runs a submission.
//
// Noise is turned by the trial's seed, so that results cannot be known beforehand. One thread makes
// all calls.
#ifndef EXPECTED_H
#define EXPECTED_H

#include "grade/trials.h"

struct expected;

// given must outlive it. include: where kernel.h is. NULL: there is no C compiler, or no REFERENCE.
struct expected *expected_create(const struct filter *given, const char *include,
                                 struct error *err);
void expected_destroy(struct expected *e);  // accepts NULL

// Fills memory of `most` bytes with the arrays of a trial, and rubbish beside them.
bool expected_begin(struct expected *e, const struct trial *trial, void *memory, size_t most,
                    struct error *err);

enum expected_verdict {
    EXPECTED_RIGHT,
    EXPECTED_WRONG,      // what says what is wrong
    EXPECTED_NOT_KNOWN,  // the given filter's REFERENCE does not run; what says so
};
// Compares what the last one begun has left there.
enum expected_verdict expected_check(const struct expected *e, const void *memory,
                                     struct error *what);

#endif

// same_result.h -- whether a submission's variant leaves what a variant of the given file leaves,
// on one device and at any size.
//
// expected.h is stricter and does not run a submission, but its REFERENCE is slow: it is for the
// sizes of trials. This is for the size at which a time is taken. The kernel runs in this process:
// call it only for one that has proven to be exact and to stay inside of its memory. It runs ten
// times, and what it leaves in the last of them counts: every element of out arrays that have a
// REFERENCE is compared, or every pixel.
#ifndef SAME_RESULT_H
#define SAME_RESULT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/backend.h"
#include "filter/filter.h"

struct same_result {
    struct backend *backend;  // whose include folder has all headers of both
    const struct filter *given, *submitted;
    const struct variant *variant;  // of the submitted one
    struct param_values params;
    struct planes picture;  // of a filter; host memory
};

enum same_result_verdict {
    SAME_RESULT_YES,
    SAME_RESULT_NO,         // why says what differs, or why the kernel does not run
    SAME_RESULT_NOT_KNOWN,  // the given file's own variants do not run here; why says so
};

enum same_result_verdict same_result_check(const struct same_result *r, struct error *why);

#endif

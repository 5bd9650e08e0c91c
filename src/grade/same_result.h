// same_result.h -- whether a launch of a submission has left what a variant of the given file
// leaves, on one device and at any size.
//
// expected.h is stricter, but its REFERENCE is slow: it is for the sizes of trials. This is for the
// size at which a time is taken. Every element of out arrays that have a REFERENCE is compared, or
// every pixel. It runs the given file's variant once, and no submission.
#ifndef SAME_RESULT_H
#define SAME_RESULT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "frame/frame.h"

struct same_result;

struct same_result_setup {
    struct backend *backend;  // whose include folder has the given file's headers
    const struct filter *given;
    struct param_values params;
    struct planes picture;  // of a filter; host memory
};

// NULL: the given file's own variants do not run here; why says so.
struct same_result *same_result_create(const struct same_result_setup *setup, struct error *why);
void same_result_destroy(struct same_result *r);  // accepts NULL

enum same_result_verdict {
    SAME_RESULT_YES,
    SAME_RESULT_NO,         // why says what differs
    SAME_RESULT_NOT_KNOWN,  // it cannot be read; why says so
};

// memory is where a launch of the same params, or on the same picture, has ended.
enum same_result_verdict same_result_compare(const struct same_result *r,
                                             const struct frame_memory *memory, struct error *why);

#endif

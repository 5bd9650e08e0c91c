// stopwatch.h -- the time of a submission's variant on a device, to that of a copy there, and
// whether the launches that are timed leave what they should.
//
// Each launch that is timed begins with the same memory, in which nothing of an earlier one is
// left, and after each sample the result of one of its launches is compared with ours
// (all of what the given file checks). So a kernel that works in some launches only gets no time.
//
// The kernel runs in this process, which waits for ever for one that does not end: timekeeper.h
// starts a process for it.
#ifndef STOPWATCH_H
#define STOPWATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/filter.h"

enum stopwatch_outcome {
    STOPWATCH_TIMED,
    STOPWATCH_REFUSED,  // why says what is wrong with the kernel
    STOPWATCH_FAILED,   // why says what could not be done
};

struct stopwatch {
    struct backend *backend;  // whose include folder has all headers of both
    const struct filter *given, *submitted;
    const struct variant *variant;    // of the submitted one, whose kernel has proven to be exact
    const struct build_guard *guard;  // of the submitted file; NULL: none
    void (*begin)(void *data);        // is called before its first launch; NULL: nothing is
    void *data;
};

// At the file's default params, in the variant's own block; a filter's picture is noise. *ratio is
// the median of cold launches over that of the copy.
enum stopwatch_outcome stopwatch_measure(const struct stopwatch *w, double *ratio,
                                         struct error *why);

#endif

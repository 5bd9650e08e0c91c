// stopwatch.h -- the time of a submission's variant on a GPU, to that of a device copy, and whether
// its result at the size that is timed is right.
//
// The kernel runs in this process: call it only for one that has proven to be exact and to stay
// inside of its memory. It waits some seconds.
#ifndef STOPWATCH_H
#define STOPWATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "grade/submission.h"

bool stopwatch_has_gpu(void);

enum stopwatch_outcome {
    STOPWATCH_TIMED,
    STOPWATCH_REFUSED,  // why says what is wrong with the kernel
    STOPWATCH_FAILED,   // why says what the grader could not do
};

// At the file's default params, in the variant's own block; a filter's picture is noise. *ratio is
// the median of cold launches over that of the copy. The result is compared with that of a variant
// of the given file after it has been timed, but in a module and memory of its own: a kernel that
// counts many launches can tell the two apart. It waits for ever for a kernel that does not end.
enum stopwatch_outcome stopwatch_measure(const struct filter *given, const struct submission *s,
                                         const struct variant *v, double *ratio, struct error *why);

// The same on a device that is open, whose include folder is the submission's.
enum stopwatch_outcome stopwatch_measure_on(struct backend *b, const struct filter *given,
                                            const struct submission *s, const struct variant *v,
                                            double *ratio, struct error *why);

#endif

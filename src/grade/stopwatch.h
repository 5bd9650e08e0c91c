// stopwatch.h -- the time of a submission's variant on a GPU, to that of a device copy.
//
// The kernel runs in this process: call it only for one that has proven to be exact and to stay
// inside of its memory. It waits some seconds.
#ifndef STOPWATCH_H
#define STOPWATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "grade/submission.h"

bool stopwatch_has_gpu(void);

// At the file's default params, in the variant's own block; a filter's picture is noise. *ratio is
// the median of cold launches over that of the copy. False: the GPU refused, and err says why.
bool stopwatch_measure(const struct submission *s, const struct variant *v, double *ratio,
                       struct error *err);

#endif

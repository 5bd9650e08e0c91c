// timekeeper.h -- starts a process that takes the time of a submission's variant (stopwatch.h), and
// ends it if the kernel does not end.
//
// A GPU gives a launch up only with the process that has begun it. This module opens no device. One
// thread makes all calls, which wait.
#ifndef TIMEKEEPER_H
#define TIMEKEEPER_H

#include <stdbool.h>

#include "base/error.h"
#include "grade/stopwatch.h"
#include "grade/submission.h"

bool timekeeper_has_gpu(void);

struct timekeeper {
    const char *program;  // this one's file
    const char *device;   // "cuda"; on "cpu" the sizes are those for it
    double limit_s;       // of all launches together; 0: one that is right for every kernel
    const struct filter *given;
    const struct submission *submission;
    const struct variant *variant;
};

// The process has ended when this returns. A signal (signals.h) ends it, too: FAILED.
enum stopwatch_outcome timekeeper_measure(const struct timekeeper *t, double *ratio,
                                          struct error *why);

// That process: words are the submission's folder, the given file and its filter's name, the names
// of the student's file and of its variant, the device, and "shut" or "open" (translator.h). False:
// err.
enum { TIMEKEEPER_WORDS = 7 };
bool timekeeper_serve(char *const words[TIMEKEEPER_WORDS], struct error *err);

#endif

// timekeeper.h -- measures the time of a submission's variant on a device against a copy there, and
// checks what the timed launches leave.
//
// Each launch that is timed begins with the same memory, in which nothing of an earlier one is
// left. After each sample the result of one of its launches is compared with ours, in all that the
// given file checks. So a kernel that works only in some launches gets no time.
//
// A GPU gives up a launch only when the process that began it ends. So the stopwatch has a process
// of its own, which answers and ends itself if the kernel does not end. One thread makes all calls,
// which wait.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/watchdog.h"
#include "device/backend.h"
#include "grade/submission.h"

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
    struct watchdog *watchdog;        // of all launches of the kernel together; NULL: none
};

// At the file's default params, in the variant's own block; a filter's picture is noise. *ratio is
// the median of cold launches over that of the copy.
enum stopwatch_outcome stopwatch_measure(const struct stopwatch *w, double *ratio,
                                         struct error *why);

// ---- in a process of its own ----

struct timekeeper {
    const char *program;  // this program's file
    const char *device;   // "cuda"; on "cpu" the sizes are those for it
    double limit_s;       // of all launches together; 0: the usual limit
    const struct filter *given;
    const struct submission *submission;
    const struct variant *variant;
};

// The process has ended when this returns. A signal (signals.h) ends it, too: FAILED.
enum stopwatch_outcome timekeeper_measure(const struct timekeeper *t, double *ratio,
                                          struct error *why);

// That process: words are the submission's folder, the given file and its filter's name, the names
// of the student's file and of its variant, the device, "shut" or "open", and the limit.
enum { TIMEKEEPER_WORDS = 8 };
// The caller prints the answer.
bool timekeeper_serve(char *const words[TIMEKEEPER_WORDS], GString *answer, struct error *err);

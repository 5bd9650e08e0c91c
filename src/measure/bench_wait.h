// bench_wait.h -- waits for a launch of a benchmark or the check of its result, and gives one up
// that takes too long.
//
// It does not know what was launched or what time it has. One thread uses it.
#ifndef BENCH_WAIT_H
#define BENCH_WAIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "frame/checker.h"

// The caller fills in the first five.
struct bench_wait {
    struct backend *backend;
    bool (*stop)(void *data);  // is called now and then; true: give up. May be NULL
    void *data;
    double limit_ms;        // a long launch that takes longer is given up as too slow; 0: none is
    gint64 check_until_us;  // a check that lasts longer is given up; of g_get_monotonic_time()
    bool is_stopped;
    bool is_check_late;  // the last check was given up
    bool is_late;        // the last launch was given up as too slow
    bool is_caught;  // what was given up runs on, because the device cannot cancel it: nothing of
                     // the device may be used or released any more
};

// Waits until the queue is done. expected_ms: of what is in it; 0: not known. False: the device
// failed, or the launch was given up.
bool bench_wait(struct bench_wait *w, double expected_ms, struct error *err);

// Waits for a check that has begun. *is_checked false: it took too long. False: the REFERENCE
// failed, or the caller wants to stop.
bool bench_wait_check(struct bench_wait *w, struct checker *checker, bool *is_checked,
                      struct image_difference *found, struct error *err);
// Whether there is no time for a check any more, or the caller wants to stop.
bool bench_wait_is_check_over(struct bench_wait *w);

#endif

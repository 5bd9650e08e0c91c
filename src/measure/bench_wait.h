// bench_wait.h -- waits for a launch of a benchmark, and gives one up that takes too long.
//
// It does not know what was launched or what time it has. One thread uses it.
#ifndef BENCH_WAIT_H
#define BENCH_WAIT_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"

// The caller fills in the first four.
struct bench_wait {
    struct backend *backend;
    bool (*stop)(void *data);  // is called now and then; true: give up. May be NULL
    void *data;
    double limit_ms;  // a long launch that takes longer is given up as too slow; 0: none is
    bool is_stopped;
    bool is_late;    // the last launch was given up as too slow
    bool is_caught;  // what was given up runs on, because the device cannot cancel it: nothing of
                     // the device may be used or released any more
};

// Waits until the queue is done. expected_ms: of what is in it; 0: not known. False: the device
// failed, or the launch was given up.
bool bench_wait(struct bench_wait *w, double expected_ms, struct error *err);

#endif

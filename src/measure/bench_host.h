// bench_host.h -- times the reference, the slow and obvious loop, on the host's threads. "Faster
// than the CPU" compares with it.
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "base/stats.h"
#include "frame/reference.h"

// One timing to make.
struct bench_host {
    const struct reference *reference;
    struct planes out, in;  // host memory
    int threads;
    double limit_ms;           // for the whole run
    bool (*stop)(void *data);  // called about ten times a second
    void *data;
};

// False: it would take longer than the limit, or it was stopped; err says which.
bool bench_host_run(const struct bench_host *host, struct stats_summary *ms, struct error *err);

#endif

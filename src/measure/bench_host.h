// bench_host.h -- times the reference, the slow and obvious loop, on the host's threads: what
// "faster than the CPU" is measured against.
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "base/stats.h"
#include "filter/filter.h"
#include "filter/reference.h"

// One timing to make.
struct bench_host {
    reference_pixel *pixel;
    const struct param_values *values;
    struct planes out, in;  // host memory
    int threads;
    double limit_ms;           // for all of it
    bool (*stop)(void *data);  // asked every tenth of a second or so
    void *data;
};

// False: predicted to take longer than the limit, or stopped; err says which.
bool bench_host_run(const struct bench_host *host, struct stats_summary *ms, struct error *err);

#endif

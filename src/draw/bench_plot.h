// bench_plot.h -- a benchmark's result as a plot: curves over the sweep's axis where several values
// were swept, else heat maps over block shapes. Times are the cold medians; the reference on the
// host has only hot ones.
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "base/error.h"
#include "measure/bench.h"
#include "measure/bench_report.h"
#include "measure/sweep.h"

// Whether a sweep makes a plot that can be read; err says what to sweep instead.
bool bench_plot_check(const struct sweep *sweep, struct error *err);

// Draws to a file; see plot_save.
bool bench_plot_save(const char *path, const struct sweep *sweep, const struct bench_result *result,
                     const struct bench_about *about, struct error *err);

#endif

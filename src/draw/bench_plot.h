// bench_plot.h -- benchmarks as plots. One result makes curves over the sweep's axis if several
// values were swept, else heat maps over block shapes. Two results that are compared make two
// curves for each case: a solid one of a and a dashed one of b, with their quartiles.
//
// Times are the cold medians; the reference on the host has only hot ones.
#pragma once

#include "base/error.h"
#include "measure/bench.h"
#include "measure/bench_compare.h"
#include "measure/bench_report.h"
#include "measure/sweep.h"

// Checks that a sweep makes a plot that can be read; err says what to sweep instead.
bool bench_plot_check(const struct sweep *sweep, struct error *err);

// Draws to a file; see plot_save.
bool bench_plot_save(const char *path, const struct sweep *sweep, const struct bench_result *result,
                     const struct bench_about *about, struct error *err);

// Fails if no two rows differ in the axis alone, or if there are too many curves to be read.
bool bench_plot_save_compared(const char *path, const struct bench_compare *c, struct error *err);

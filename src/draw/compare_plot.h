// compare_plot.h -- two benchmarks as curves over the axis that both went through: a solid one of a
// and a dashed one of b for each variant. Points beyond the spread are not marked: the quartiles
// that the curves show say so.
#ifndef COMPARE_PLOT_H
#define COMPARE_PLOT_H

#include "base/error.h"
#include "measure/bench_compare.h"

// Draws to a file; see plot_save. False if no two rows differ in the axis alone, or there are too
// many curves to be read.
bool compare_plot_save(const char *path, const struct bench_compare *c, struct error *err);

#endif

// report.h -- what the lens has found, as text: a table for people, JSON, or CSV with the names of
// Nsight Compute's metrics.
//
// A figure that the model has no rule for is left out. It does not print.
#pragma once

#include <stdbool.h>

#include "filter/choice.h"
#include "lens/lens_result.h"

enum report_format { REPORT_TABLE, REPORT_JSON, REPORT_CSV };

// One variant: what was found, or why there is nothing.
struct report_case {
    struct choice choice;
    const struct lens_result *result;  // NULL: refused says why
    const char *refused;
    double instructions[FILTER_MAX_PASSES];  // of warps (issue.h); 0: not known
};

struct report {
    const char *subject;  // "noise, 512×512 grey"; of a lab its name
    const struct report_case *cases;
    int case_count;
    int threads;         // of this CPU, which stood for multiprocessors; 0: there was a GPU
    bool is_comparison;  // a line for each case instead of the figures of one
    bool has_lines;      // the source lines, too, in tables and CSV; JSON always has them
};

// The caller frees it.
char *report_write(const struct report *r, enum report_format format);

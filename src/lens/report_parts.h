// report_parts.h -- what the files of report.h share. Nobody else includes it.
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include <cjson/cJSON.h>
#include <glib.h>

#include "lens/report.h"

// The figures of an access, in the order of columns.
enum report_figure {
    REPORT_REQUESTS,
    REPORT_LANES,
    REPORT_BYTES,  // distinct ones
    REPORT_SECTORS,
    REPORT_IDEAL_SECTORS,
    REPORT_WAVEFRONTS,
    REPORT_IDEAL_WAVEFRONTS,
    REPORT_CONFLICTS,
    REPORT_WORDS,
    REPORT_FIGURES
};

// Whether the model has a rule for it.
bool report_has(enum trace_space space, enum report_figure figure);
unsigned long long report_value(const struct lens_counts *c, enum report_figure figure);
const char *report_name(enum report_figure figure);  // "ideal_sectors"

void report_append_table(GString *text, const struct report *r);
void report_append_comparison(GString *text, const struct report *r);
char *report_write_json(const struct report *r);

#endif

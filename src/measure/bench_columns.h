// bench_columns.h -- the columns of a benchmark's report: their titles, and the text of each cell.
//
// It does not know how a format arranges them; bench_report.c does.
#ifndef BENCH_COLUMNS_H
#define BENCH_COLUMNS_H

#include <glib.h>
#include <stdbool.h>

#include "measure/bench.h"
#include "measure/bench_report.h"

struct bench_column {
    const char *title;  // with its unit; of the axis, the unit alone
    int field;          // what the cells say: bench_columns.c lists it
    bool is_whole;
    bool is_time;    // for people, a time of a wrong result says so
    bool is_of_run;  // the same in every row
};

struct bench_columns {
    const struct bench_column *list;
    int count;
};
enum { BENCH_COLUMNS_MOST = 32 };  // in a list
// For people: a column says as much as fits. For programs: each has one figure or one word.
extern const struct bench_columns bench_columns_for_people, bench_columns_for_programs;

// What a cell's text is made from.
struct bench_cell {
    const struct bench_row *row;
    const struct bench_about *about;
    const char *axis;
};

bool bench_columns_is_number(const struct bench_column *column);

// Each replaces the text. Numbers have six digits, or three when they are not exact.
void bench_columns_write_title(GString *text, const struct bench_column *column, const char *axis);
void bench_columns_write_cell(GString *text, const struct bench_column *column,
                              const struct bench_cell *cell, bool is_exact);

// The unit that follows the name of a sweep's axis: `unit` if that is the radius, which counts
// pixels, and nothing for any other one.
const char *bench_columns_unit(const char *axis, const char *unit);

// "radius, pixels", or another axis with what its file says of it. The caller frees it.
char *bench_columns_axis(const struct param *axis);

#endif

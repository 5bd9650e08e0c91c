// bench_compare.h -- compares two benchmarks row by row: what became faster or slower, and what
// only one of them has.
//
// Rows belong together if filter, variant, params, block, unroll and size are the same, but for the
// columns that are ignored. If several rows of a file are then the same, they pair in their order.
// A file holds the median and the quartiles of each row, not its samples. So a difference counts
// only if the middle halves of the samples do not overlap (figures_compare()). Where they do,
// chance may decide, and the table says so. The spread of a ratio goes from the lower quartile of b
// over the upper one of a to the upper one of b over the lower one of a.
//
// A row whose result is wrong in either file is neither faster nor slower.
//
// A file is what `tilescope bench --format json` has written (bench_report.h). It may come from
// another machine or another version, or be no such file at all: whatever it holds, reading it ends
// with rows whose figures make sense or with one line that says why not. Filters, variants and
// params are names here: the kernel files may have changed since.
#pragma once

#include "base/error.h"
#include "base/stats.h"

// ---- files ----

enum { BENCH_FILE_MAX_ROWS = 16384, BENCH_FILE_WORDS = 192 };

// The words by which rows are told apart; empty: the row has none.
enum bench_file_part {
    BENCH_FILE_FILTER,  // empty: the device copy
    BENCH_FILE_VARIANT,
    BENCH_FILE_PARAMS,  // all but the axis: "c=5"
    BENCH_FILE_BLOCK,   // "32×8"
    BENCH_FILE_UNROLL,  // "on" or "off"
    BENCH_FILE_SIZE,    // of the picture, or of a lab's arrays
    BENCH_FILE_PARTS
};

struct bench_file_row {
    char parts[BENCH_FILE_PARTS][BENCH_FILE_WORDS];
    char axis[64];  // its name and unit: "radius_px"
    double value;   // of the axis
    bool has_value;
    struct stats_summary ms;  // cold, or hot where there is nothing else; count 0: no time
    bool is_hot;              // there are no cold ones
    bool is_wrong;            // its result
};

struct bench_file {
    char device[128], driver[128], program[32], date[40];
    char subject[BENCH_FILE_WORDS];  // "noise 1920×1080, 1 plane"; empty: labs alone
    struct bench_file_row *rows;     // owned
    int count;
};

// bench_file_parse() uses path only in messages. On failure err is one line, and f needs no finish.
bool bench_file_load(struct bench_file *f, const char *path, struct error *err);
bool bench_file_parse(struct bench_file *f, const char *path, const char *text, struct error *err);
void bench_file_finish(struct bench_file *f);  // accepts a zeroed one

// ---- pairs ----

enum bench_compare_verdict {
    BENCH_COMPARE_FASTER,  // b is
    BENCH_COMPARE_SLOWER,
    BENCH_COMPARE_UNCLEAR,  // the difference is within the spread
    BENCH_COMPARE_WRONG,
    BENCH_COMPARE_UNTIMED,  // one of them has no time, or only one has cold ones
};

struct bench_compare_pair {
    const struct bench_file_row *a, *b;  // one of them may be NULL: only the other file has it
    enum bench_compare_verdict verdict;  // of a pair
    double ratio, lower, upper;          // b's time over a's, with its spread; 0: not known
};

// Borrows the files and the list of columns.
struct bench_compare {
    const struct bench_file *a, *b;    // the same one: its cases are compared with each other
    const char *ignore;                // NULL: none
    struct bench_compare_pair *pairs;  // owned; those of a in its order, then what only b has
    int count;
};

// ignore is a list of columns, "unroll,block"; NULL: none. False: it names another one. b NULL: of
// the rows of a that differ in these columns alone, each is compared with the first.
bool bench_compare_init(struct bench_compare *c, const struct bench_file *a,
                        const struct bench_file *b, const char *ignore, struct error *err);
void bench_compare_finish(struct bench_compare *c);

// False: there is no pair. Of two files, err names the columns to ignore so that there are some.
bool bench_compare_check(const struct bench_compare *c, struct error *err);

// Writes what both files measured, how they differ, a table of all pairs, and how many there are of
// each kind. The caller frees it.
char *bench_compare_report(const struct bench_compare *c, const char *a_name, const char *b_name);

// figures.h -- computes what follows from measured times: rates, ratios, comparisons, and the words
// for them.
//
// Screen, panels, sheets, reports, plots and files take their figures from here. Each is defined
// once:
//
//     Gpix/s       1e9 pixels (width × height, whatever the planes) a second
//     GB/s         1e9 bytes a second: each sample of each plane read once and written once; of a
//                  lab, what it needs of its in and out arrays
//     % of copy    a device copy's time over the launch's: 100 is as fast as the copy
//     × naive      the naive variant's time over the launch's: 3.4 is 3.4 times as fast
//
// Times are milliseconds of one launch. This module does not measure, and it keeps nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/planes.h"
#include "base/stats.h"
#include "filter/choice.h"

// The units behind a number on screens, in tables and over columns.
#define FIGURES_GPIX  "Gpix/s"
#define FIGURES_GB    "GB/s"
#define FIGURES_COPY  "% of copy"
#define FIGURES_NAIVE "× naive"

// They return 0 if a time is 0, which means that it is not known.
double figures_gpix_per_s(double ms, struct planes picture);
double figures_gb_per_s(double ms, const struct choice *choice, struct planes picture);
double figures_percent_of_copy(double ms, double copy_ms);
double figures_speed_up(double ms, double other_ms);  // × naive, when the other is naive's

// The bytes that a choice must move at least, for GB/s and for the copy that it is compared with.
// Labs ignore the picture; a choice without a filter is the picture's copy. 0: not known.
double figures_bytes(const struct choice *choice, struct planes picture);

// The factor that makes a difference visible: the largest value becomes 255. 1: there is none.
double figures_gain(int largest);

// ---- comparison ----

enum figures_order {
    FIGURES_EQUAL,    // the medians are equal to three figures
    FIGURES_UNCLEAR,  // the middle halves of the samples overlap; chance may decide
    FIGURES_FIRST_IS_FASTER,
    FIGURES_SECOND_IS_FASTER,
};
// Compares two times that have samples.
enum figures_order figures_compare(struct stats_summary a, struct stats_summary b);

// ---- words ----

// "0.412 ms", and "0.409–0.418": the quartiles. Empty without a sample.
void figures_write_ms(char *text, size_t size, struct stats_summary ms);
void figures_write_quartiles(char *text, size_t size, struct stats_summary ms);
void figures_write_gain(char *text, size_t size, double gain);  // "3.4", "16"

// Adds a value with its unit, "74.0 % of copy", to a text; between stands before it unless the text
// is empty. Adds nothing where the value is 0.
void figures_add(char *text, size_t size, const char *between, double value, const char *unit);

struct figures_side {
    const char *name;
    struct stats_summary ms;
    bool is_wrong;  // its result is
};
// "B 3.42× as fast as A, but wrong", "no clear difference in time", "equally fast, but B is wrong".
void figures_write_comparison(char *text, size_t size, struct figures_side a,
                              struct figures_side b);

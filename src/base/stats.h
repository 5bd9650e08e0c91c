// stats.h -- the median and quartiles of a kernel's last launches: the time that is shown.
//
// It drops the first launches after a change, which run with cold caches, low clocks and lazily
// loaded code. It allocates nothing; {0} is an empty window.
#pragma once

#include <stdbool.h>

enum {
    STATS_DROPPED = 3,  // launches after a change
    STATS_SETTLED = 9,  // samples until the median is settled
    STATS_WINDOW = 61,  // samples kept
};

struct stats {
    double samples[STATS_WINDOW];  // a ring
    int seen;                      // launches since the reset, dropped ones included
};

struct stats_summary {
    int count;                    // samples; 0: the other members are 0
    double median, lower, upper;  // quartiles; the samples' unit
};

void stats_add(struct stats *s, double sample);
bool stats_is_settled(const struct stats *s);
struct stats_summary stats_summarize(const struct stats *s, int most);  // the last ones only

// Summarizes any number of samples without dropping any; it sorts them.
struct stats_summary stats_summarize_all(double *samples, int count);

// Compares two doubles for qsort().
int stats_compare(const void *a, const void *b);

// The quantile q in [0, 1] of sorted values, interpolated linearly (Hyndman and Fan's type 7).
double stats_quantile(const double *sorted, int count, double q);

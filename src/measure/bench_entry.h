// bench_entry.h -- the cases of a group while bench.c measures them: what is known of each, how
// many samples it has, and whether the budget holds it.
//
// It runs nothing and reads no clock.
#ifndef BENCH_ENTRY_H
#define BENCH_ENTRY_H

#include <glib.h>
#include <stdbool.h>

#include "frame/frame.h"
#include "measure/bench.h"
#include "measure/bench_timer.h"
#include "measure/sweep.h"

// Of each case, cold and hot each: the fewest samples that make a row.
enum { BENCH_ENTRY_LEAST = 3 };

// The copy is a case too, without a filter.
struct bench_entry {
    struct bench_row row;
    struct frame frame;
    bool is_hidden;    // naive, measured only to compare with
    bool is_admitted;  // legal, and the budget holds it
    bool is_probed_whole, is_verified;
    double prepare_ms;  // of what is prepared anew for each turn
    int dropped[BENCH_TIMER_BUFFERS];
    double expected_ms[BENCH_TIMER_BUFFERS];
    GArray *samples[BENCH_TIMER_BUFFERS];  // double
};

// Lists the copy, the group's cases, and those that they are compared with: an array of struct
// bench_entry, which the caller frees with g_array_free().
GArray *bench_entry_list(const struct sweep *sweep, int group);
struct bench_entry *bench_entry_at(GArray *entries, guint index);

// Naive in its own block, with which the others of that unroll are compared; NULL: there is none.
struct bench_entry *bench_entry_baseline(GArray *entries, bool is_unrolled);

// How many samples of each kind there are at least.
int bench_entry_samples(const struct bench_entry *e);

// What the fewest samples of it cost, and its check.
double bench_entry_least_cost_ms(const struct bench_entry *e);

// Of those admitted so far, keeps what has samples, the copy, and as many of the cheapest others as
// left_ms holds. The rest have the reason in their row.
void bench_entry_admit(GArray *entries, double left_ms);

// Says of all that the cases before have spent the budget.
void bench_entry_skip_all(GArray *entries);

#endif

// bench_entry.h -- the cases of a group while bench.c measures them: what is known of each, its
// samples, and what becomes of them in its row.
//
// It runs nothing and reads no clock.
#ifndef BENCH_ENTRY_H
#define BENCH_ENTRY_H

#include <glib.h>
#include <stdbool.h>

#include "frame/frame.h"
#include "frame/workspace.h"
#include "measure/bench.h"
#include "measure/bench_timer.h"
#include "measure/sweep.h"

// Of each case, cold and hot each: the fewest samples that make a row.
enum { BENCH_ENTRY_LEAST = 3 };

// Nothing that takes less is called too slow.
static const double BENCH_ENTRY_LATE_S = 2;

// The copy is a case too, without a filter.
struct bench_entry {
    struct bench_row row;
    struct frame frame;
    bool is_hidden;  // naive, measured only to compare with
    bool is_open;    // it may be sampled
    bool is_verified;
    bool is_warm[BENCH_TIMER_BUFFERS];
    double turn_s;  // that its last turn took; 0: none yet
    double expected_ms[BENCH_TIMER_BUFFERS];
    GArray *samples[BENCH_TIMER_BUFFERS];  // double
};

// Lists the copy, the group's cases, and those that they are compared with: an array of struct
// bench_entry, which the caller frees with g_array_free().
GArray *bench_entry_list(const struct sweep *sweep, int group);
struct bench_entry *bench_entry_at(GArray *entries, guint index);

// Naive in its own block, with which the others of that unroll are compared; NULL: there is none.
struct bench_entry *bench_entry_naive(GArray *entries, bool is_unrolled);

// How many samples of each kind there are at least.
int bench_entry_samples(const struct bench_entry *e);
void bench_entry_summarize(struct stats_summary *times, GArray *const *samples);

// Makes the row's times of enough samples, or says there why it has none. budget_s is what the
// group's part of the budget was; below 0: what ended the run is the reason.
void bench_entry_close(struct bench_entry *e, double budget_s);

// What all cases of a group need on the device. False: a lab has no arrays of that shape.
bool bench_job_layout(const struct bench_job *job, int group, struct arrays_layout *layout,
                      struct error *err);

#endif

// bench.h -- measures a sweep: one row for every case, with its times or the reason why it has
// none.
//
// Cases of one filter and one value of the axis, and the device copy, are measured in turns. Each
// gives one cold and one hot sample, then the next one does, so that a drifting clock affects all
// of them. The first turn takes three samples of each, the fewest that make a row. The turns end
// when every case has 31 samples, or with the group's part of the budget. A case that takes more
// than half of the time left waits until the others are done, and has no row if it does not fit
// then. A launch that does not end in time is cancelled; a GPU cannot do that, and the run ends.
// What compilers take is no part of the budget.
//
// Every output is compared with the reference afterwards. A lab's reference may read whole arrays
// for an element. So its first output is compared after the first turn, for at most half of the
// group's time, and the others with the same answers. What is still being compared some seconds
// after the budget's end stays unchecked.
//
// It prints nothing; bench_report.c writes the result as text.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/image.h"
#include "base/stats.h"
#include "base/text.h"
#include "frame/bench_timer.h"
#include "frame/results.h"
#include "measure/sweep.h"

struct bench_progress {
    double fraction;  // done, 0 ... 1
    double left_s;    // estimated
    char what[96];    // "mean radius 8"
};

struct bench_job {
    struct backend *backend;
    const struct sweep *sweep;
    struct planes picture;  // host memory; no pixels: the sweep is of labs alone
    double budget_s;
    bool with_host;  // also the reference on the CPU, one thread and all
    // Called often, between launches and during long ones; true: stop. May be NULL.
    bool (*step)(void *data, const struct bench_progress *progress);
    void *data;
};

// The memory that a run needs on the device and on the host, so that it can be refused before it
// allocates any. Host copies of a lab's in arrays, which a check may do without, do not count.
size_t bench_job_device_bytes(const struct bench_job *job);
size_t bench_job_host_bytes(const struct bench_job *job);

// Times are milliseconds of one launch, all its passes; count 0: not measured.
struct bench_row {
    // Filter NULL: the copy. Only variant NULL: the reference on the host, which has only hot
    // times.
    struct choice choice;
    const char *name;               // of the variant; or "copy", "cpu 1 thread", "cpu all threads"
    int block_width, block_height;  // threads; 0: none (the copy, the host)
    struct stats_summary times[BENCH_TIMER_BUFFERS];  // cold, hot
    double copy_ms, naive_ms;  // medians to compare with, of the same turns; 0: none
    enum result_check check;
    struct image_difference wrong_by;   // when WRONG or NEAR
    bool is_over_budget, is_unchecked;  // unchecked: for lack of time
    char reason[256];                   // why it was not measured; empty: it was
};

struct bench_result {
    struct bench_row *rows;  // owned; the copy of the whole run first
    int count;
    int pairs;               // of buffers, which cold launches use in turn; 0: no picture
    size_t pair_bytes;       // of one such pair
    bool is_stopped;         // by the caller; rows that it did not reach are left out
    bool is_caught;          // a launch runs on for ever: the backend may not even be closed
    bool has_prints;         // a kernel calls printf, which takes time
    char failure[512];       // a device fault that ended the run; empty: none
    char axis[FILTER_NAME];  // the sweep's; empty: the radius
};

// A kernel that does not compile is a row with a reason, and so is one for which there is no
// memory.
void bench_run(const struct bench_job *job, struct bench_result *result);
// Makes a row for every case of what the results know, as if it had been measured. is_compared:
// with the times of the copy and of naive.
void bench_known(struct bench_result *result, const struct results *s, const struct sweep *sweep,
                 bool is_compared);
void bench_finish(struct bench_result *result);  // accepts a zeroed result

// A row without times, of a variant or the copy. The filter is borrowed.
struct bench_row bench_row_of(const struct choice *c);
// A row's block of threads for people, as "32×8"; empty: it has none.
struct words bench_row_block(const struct bench_row *row);
// Computes a row's times from its samples (double), or writes why they are too few. turn_s: the
// duration of the case's last turn; 0: it had none. budget_s: the group's part of the budget; below
// 0: the run was ended, which is the reason.
void bench_row_close(struct bench_row *row, GArray *const *samples, double turn_s, double budget_s);

// The row's median that figures.h derives the others from: the cold one, or the hot one of the
// host. 0: not known.
double bench_ms(const struct bench_row *row);

// bench_timer.h -- times single variants on one picture, cold and hot, for bench.c to interleave.
//
// A sample is the time of a batch of launches, divided by their number (batch.h).
//
//     cold   Every launch uses another pair of buffers. What launches touch of them is
//            three times the L2 (at most 1024 pairs, which matters for pictures below 300x300: the
//            report says where the cache holds them all).
//     hot    Every launch uses the same pair, after one untimed launch.
//     copy   A device copy of the same bytes between the same buffers is the floor. Variants with
//            prepare= have as many pairs of their own.
//
// On a GPU, a copy that is queued before each batch keeps the device busy while the host queues the
// batch. So the time is that of the device's work, without the host's queueing.
//
// This module does not choose what to run or how often. One thread uses it.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "base/stats.h"
#include "frame/check.h"
#include "frame/frame.h"
#include "frame/workspace.h"

enum bench_timer_buffers { BENCH_TIMER_COLD, BENCH_TIMER_HOT, BENCH_TIMER_BUFFERS };

// Called now and then while the timer waits; true: give up. May be NULL.
typedef bool bench_timer_stop(void *data);

struct bench_timer {
    struct backend *backend;
    struct planes host;
    struct workspace workspace;  // its pairs of buffers are for cold launches
    int last_pair;               // that a cold launch used
    void *inputs;                // what the arrays of fresh launches begin with
    void *lead;                  // what leading copies read and write; NULL: no GPU
    double lead_ms;              // of one leading copy; 0: not measured
    double queue_ms;             // that the host takes to queue one launch

    // The caller may set the limits of waiting. The timer says what it has given up.
    bench_timer_stop *stop;
    void *data;
    double limit_ms;        // when a long launch is given up as too slow; 0: never
    gint64 check_until_us;  // when a check is given up, by g_get_monotonic_time()
    bool is_stopped;
    bool is_check_late;  // the last check was given up
    bool is_late;        // the last launch was given up as too slow
    bool is_caught;  // what was given up runs on, because the device cannot cancel it: nothing of
                     // the device may be used or released any more
};

// Returns the device memory, in bytes, that a timer needs for these arrays. workspace_add_needs()
// combines the layouts of several variants.
size_t bench_timer_bytes(const struct device *device, const struct arrays_layout *layout);

// The picture (host memory) is borrowed; for a lab it has no pixels. NULL: there is no memory, and
// nothing stays allocated.
struct bench_timer *bench_timer_create(struct backend *b, struct planes picture,
                                       const struct arrays_layout *layout, bench_timer_stop *stop,
                                       void *data, struct error *err);
// Waits for the queue; accepts NULL. A timer that is_caught is not freed.
void bench_timer_destroy(struct bench_timer *m);

// Takes a sample of a frame that is planned for the timer's picture, or of the device copy.
// *expected_ms, the time of one launch, decides how many a batch has, and is updated; 0: this is
// the frame's first sample. False: a fault or refusal (err says which), or the wait was given up.
// *ms 0: the batch was too short; take another sample with the better *expected_ms.
bool bench_timer_sample(struct bench_timer *m, const struct frame *what,
                        enum bench_timer_buffers buffers, double *expected_ms, double *ms,
                        struct error *err);

// Takes a cold sample of launches that find no results of earlier ones: before the batch, the
// inputs are copied into its pairs again, and the rest of them is poisoned. A batch has fewer
// launches than there are pairs. *launches is how many it had: their results stay until the next
// sample. The device copy can be timed in such batches, too, for comparison.
bool bench_timer_sample_fresh(struct bench_timer *m, const struct frame *what, double *expected_ms,
                              double *ms, int *launches, struct error *err);
// The memory that one of those launches used, from 0.
struct frame_memory bench_timer_launched(const struct bench_timer *m, int launch);

// Launches fast code once, and the same on fibers, where nothing else tells if it is right
// (agreement.h). *agrees false: it gives other values than the fibers, which give theirs again.
bool bench_timer_compare(struct bench_timer *m, const struct frame *what, bool *agrees,
                         struct error *err);

// Poisons the output, launches once, and compares samples of the output with the reference, for
// whose compiler it waits. A module with fast code (backend.h) is first checked with a strict
// launch. The checker keeps the reference's answers for other variants. *is_checked false: the file
// has no reference, the check took too long (is_check_late), or the arrays are too large for the
// memory.
bool bench_timer_verify(struct bench_timer *m, const struct frame *what, struct checker *checker,
                        const struct references *references, bool *is_checked,
                        struct image_difference *found, struct error *err);

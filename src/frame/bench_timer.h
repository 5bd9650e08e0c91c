// bench_timer.h -- times single variants on one picture, cold and hot, for bench.c to interleave.
//
// A sample is the span of a batch of launches over their number (batch.h).
//
//     cold   Every launch uses another pair of buffers. What launches touch of them is
//            three times the L2 (at most 1024 pairs, which matters for pictures below 300x300: the
//            report says where the cache holds them all).
//     hot    Every launch uses the same pair, after one untimed launch.
//     copy   A device copy of the same bytes between the same buffers is the floor. Variants with
//            prepare= have as many pairs of their own.
//
// On a GPU, a copy that is queued before each batch keeps the device busy while the host queues the
// batch. So the time is the device's work, not the host's queueing.
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
    int next;                    // the pair whose turn it is
    void *inputs;                // what the arrays of fresh launches begin with
    void *lead;                  // what leading copies read and write; NULL: no GPU
    double lead_ms;              // of one leading copy; 0: not measured
    double queue_ms;             // the host queueing one launch

    // How long it waits for a launch or a check, which the caller may set, and what was given up.
    bench_timer_stop *stop;
    void *data;
    double limit_ms;        // a long launch that takes longer is given up as too slow; 0: none is
    gint64 check_until_us;  // a check that lasts longer is given up; of g_get_monotonic_time()
    bool is_stopped;
    bool is_check_late;  // the last check was given up
    bool is_late;        // the last launch was given up as too slow
    bool is_caught;  // what was given up runs on, because the device cannot cancel it: nothing of
                     // the device may be used or released any more
};

// The device memory that a timer needs for the arrays of what it times: on one picture, or of one
// lab with some params. workspace_add_needs() brings the needs of several variants together.
size_t bench_timer_bytes(const struct device *device, const struct arrays_layout *layout);

// The picture (host memory) is borrowed; that of a lab has no pixels. NULL: no memory, and nothing
// stays allocated.
struct bench_timer *bench_timer_create(struct backend *b, struct planes picture,
                                       const struct arrays_layout *layout, bench_timer_stop *stop,
                                       void *data, struct error *err);
// Waits for the queue; accepts NULL. What is caught stays as it is.
void bench_timer_destroy(struct bench_timer *m);

// Takes a sample of a frame that is planned for the timer's picture, or of the device copy.
// expected_ms of one launch decides the batch; 0: the first sample of it, which prepares it. False:
// a fault or refusal (err says which), or the wait was given up. *ms 0: the batch was too short;
// expected_ms is better now, so take another sample.
bool bench_timer_sample(struct bench_timer *m, const struct frame *what,
                        enum bench_timer_buffers buffers, double *expected_ms, double *ms,
                        struct error *err);

// Takes a cold sample of launches that find nothing of an earlier one: before the batch, the inputs
// of its pairs are copied again, and the rest is poisoned. So there are fewer launches than pairs.
// *launches of them have left their results, which the next sample overwrites. The device copy is
// timed in such batches, too, so that the two can be compared.
bool bench_timer_sample_fresh(struct bench_timer *m, const struct frame *what, double *expected_ms,
                              double *ms, int *launches, struct error *err);
// The memory of one of those launches.
struct frame_memory bench_timer_launched(const struct bench_timer *m, int launch);

// Poisons an output, launches once, and compares samples of the output with the reference, for
// whose compiler it waits. The checker keeps its answers for other variants. *is_checked false: the
// file has none, the check took too long (is_check_late), or its arrays are too large for the
// memory.
bool bench_timer_verify(struct bench_timer *m, const struct frame *what, struct checker *checker,
                        const struct references *references, bool *is_checked,
                        struct image_difference *found, struct error *err);

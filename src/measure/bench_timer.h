// bench_timer.h -- times single variants on one picture, cold and hot, for bench.c to interleave.
//
// A sample is the span of a batch of launches over their number; a batch spans at least 0.2 ms, so
// that the clock's resolution (0.5 us on a GPU) does not show.
//
//     cold   every launch reads and writes other buffers; together they are three times the L2
//            (at most 1024 pairs, which matters for pictures below 300x300)
//     hot    every launch uses the same pair, and one untimed launch goes before
//     copy   a device copy of the same bytes between the same buffers: the floor. Packed variants
//            have buffers of their own, as many pairs; theirs are the same bytes but for padding
//
// On a GPU, each batch is queued behind a copy that keeps the device busy meanwhile: what is
// timed is the device working, not the host queueing.
//
// Does not choose what to run, nor how often. One thread.
#ifndef BENCH_TIMER_H
#define BENCH_TIMER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "filter/reference.h"
#include "frame/frame.h"
#include "frame/workspace.h"

struct bench_timer;

enum bench_timer_buffers { BENCH_TIMER_COLD, BENCH_TIMER_HOT, BENCH_TIMER_BUFFERS };

// Asked now and then while waiting; true: give up.
typedef bool bench_timer_stop(void *data);

// Bytes of device memory that a timer takes for a picture, and for the variants that need most.
size_t bench_timer_bytes(const struct device *device, struct planes picture,
                         struct workspace_needs needs);

// The picture (host memory) is borrowed. NULL: no memory, and nothing stays allocated.
struct bench_timer *bench_timer_create(struct backend *b, struct planes picture,
                                       struct workspace_needs needs, bench_timer_stop *stop,
                                       void *data, struct error *err);
void bench_timer_destroy(struct bench_timer *m);  // waits for the queue; accepts NULL

// What is timed: a frame that is planned for the timer's picture, or {0}, the copy. expected_ms of
// one launch decides the batch and may be 0: not known. False: a device fault or a refusal (err
// says which), or stopped (bench_timer_is_stopped). *ms 0: the batch was too short, take another;
// expected_ms is better now.
bool bench_timer_sample(struct bench_timer *m, const struct frame *what,
                        enum bench_timer_buffers buffers, double *expected_ms, double *ms,
                        struct error *err);

// Milliseconds that one launch will take, from strips of the picture that grow until one takes
// limit_ms, or is the whole picture; then *is_whole and it has run. Too high rather than too low.
// To be called first: it also prepares the frame, weights and packed sources. Frames of other
// params need it again.
bool bench_timer_probe(struct bench_timer *m, const struct frame *what, double limit_ms, double *ms,
                       bool *is_whole, struct error *err);

// Poisons an output, launches once, compares samples of it with the reference.
bool bench_timer_verify(struct bench_timer *m, const struct frame *what, reference_pixel *pixel,
                        struct image_difference *found, struct error *err);

int bench_timer_pairs(const struct bench_timer *m);  // of buffers, that cold launches go through
bool bench_timer_is_stopped(const struct bench_timer *m);

#endif

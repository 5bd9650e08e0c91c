// live_timer.h -- keeps one variant running on one picture, and measures it honestly.
//
// Between frames it is told what to run; each frame it is handed a target. When the frame itself is
// complete, other things are measured beside it, one batch after the other:
//
//     mark · the frame, n times · mark          then         mark · a device copy, n times · mark
//                                               and/or       mark · a wanted point, n times · mark
//
// Times are of the device's clock. Launches shorter than 0.2 ms are repeated (n) so that the marks'
// own resolution does not show; the time is the span over n. All batches begin on an idle queue, so
// that their times compare. The copy moves the picture's bytes from one buffer to another: it is
// the floor that "% of copy" means.
//
// Points are what the results wants. They are measured beside frames whose own time is settled,
// into memory of their own, with weights of their own: the picture shown is untouched. They take
// about 8 ms beside one frame, or one batch where that takes longer; what seems too slow for that
// is refused (scheduler.h). Where no frames are asked for (the picture is frozen, say), nothing is
// measured.
//
// Timers of one backend may share builder and results, while only one of them has a frame in hand.
// Does not know windows, GL or text, and has no wishes of its own. One thread.
#ifndef LIVE_TIMER_H
#define LIVE_TIMER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/stats.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "frame/builder.h"
#include "measure/results.h"

struct live_timer;

enum live_timer_state {
    LIVE_TIMER_COMPILING,  // the first module for this filter is not there yet
    LIVE_TIMER_BROKEN,     // the kernel does not compile; err has the compiler's log
    LIVE_TIMER_REFUSED,    // this launch cannot be; err says why
    LIVE_TIMER_READY,      // live_timer_begin may be called
};

// What is known about the frames shown.
struct live_timer_report {
    struct stats_summary ms;  // of one launch of the variant, all its passes
    bool is_settled;
    bool is_generic;            // unrolled was asked for, but its module is still being compiled
    int repeats;                // launches in the last frame
    double copy_ms;             // median; 0: not measured yet
    double naive_ms;            // results_naive_ms(); 0: nothing to compare with
    struct kernel_facts facts;  // of the first pass
    size_t shared_bytes;        // dynamic, of the first pass
    struct occupancy occupancy;
};

// The builder compiles for the same backend; all three are borrowed. The settled times of shown
// frames go into the results. It is forgotten by its owner, not here.
struct live_timer *live_timer_create(struct backend *b, struct builder *builder,
                                     struct results *results);
void live_timer_destroy(struct live_timer *r);  // accepts NULL; waits for the queue

// Brings a picture (host memory, copied) onto the device. Call between frames, and forget what the
// results knows of another one.
bool live_timer_set_picture(struct live_timer *r, struct planes picture, struct error *err);

// After the sources changed: compile with another builder from now on. Waits for the queue, so that
// the old builder may go; the results must forget before its filters go.
void live_timer_adopt(struct live_timer *r, struct builder *builder);

// What to run from now on. Cheap when nothing changed; else times start anew.
enum live_timer_state live_timer_choose(struct live_timer *r, const struct choice *choice,
                                        struct error *err);

// Queues a frame into target (backend memory of the picture's shape). Only when READY.
bool live_timer_begin(struct live_timer *r, struct planes target, struct error *err);
// IDLE: the frame begun last is complete, and so is what was measured beside it. FAILED: a device
// fault.
enum backend_state live_timer_poll(struct live_timer *r, struct error *err);
// Gives the frame in hand up: what is not counted yet does not count, and its target is undefined.
void live_timer_cancel(struct live_timer *r);

// Cheap: figures are kept as samples arrive, and the device was asked when the choice was made.
struct live_timer_report live_timer_report(const struct live_timer *r);

// What the frames are of: the choice, but not unrolled while its own module is being compiled.
struct choice live_timer_shown(const struct live_timer *r);

// CPU time to queue one launch of the last frame.
double live_timer_launch_ms(const struct live_timer *r);

#endif

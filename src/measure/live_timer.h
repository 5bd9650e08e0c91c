// live_timer.h -- runs one variant on one picture, frame after frame, and measures it.
//
// The caller says between frames what to run, and gives each frame a target. When the frame itself
// is complete, the timer measures other things beside it, one batch after the other:
//
//     mark · the frame, n times · mark          then         mark · a device copy, n times · mark
//                                               and/or       mark · a wanted point, n times · mark
//
// Times are the device's. Launches shorter than 0.2 ms are repeated n times (batch.h), and the time
// is the span over n. All batches begin on an idle queue, so that their times compare. The copy
// moves the picture's bytes from one buffer to another; "% of copy" compares with it.
//
// A point is a choice that the results want. Points are measured beside frames whose own time is
// settled, with memory and weights of their own, so that the shown picture is untouched. They take
// about 8 ms beside a frame, or one batch if that is longer; slower ones are refused (scheduler.h).
// Without frames, because the picture is frozen say, nothing is measured but by live_timer_measure;
// that measures points alone.
//
// Timers of one backend may share builder and results if only one of them has a running frame. A
// timer does not know windows, GL or text. One thread uses it.
#ifndef LIVE_TIMER_H
#define LIVE_TIMER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/stats.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "frame/builder.h"
#include "frame/reference.h"
#include "measure/results.h"

struct live_timer;

enum live_timer_state {
    LIVE_TIMER_COMPILING,  // the first module for this filter is not there yet
    LIVE_TIMER_BROKEN,     // the kernel does not compile; err has the compiler's log
    LIVE_TIMER_REFUSED,    // this launch cannot be; err says why
    LIVE_TIMER_READY,      // live_timer_begin may be called
};

// How far the comparison of what is shown with the reference is. A picture is compared whenever its
// choice becomes the shown one, and arrays only while the results do not know theirs.
enum live_timer_check {
    LIVE_TIMER_UNSEEN,     // no frame is complete
    LIVE_TIMER_DUE,        // it needs a frame, or the reference is still being compiled
    LIVE_TIMER_CHECKING,   // another frame would not help
    LIVE_TIMER_UNCHECKED,  // it could not be done
    LIVE_TIMER_CHECKED,    // what the results say is true of what is shown
};

// What is known about the shown frames.
struct live_timer_report {
    struct stats_summary ms;  // of one launch of the variant, all its passes
    bool is_settled;
    bool is_generic;            // unrolled was asked for, but its module is still being compiled
    int repeats;                // launches in the last frame
    double copy_ms;             // median; 0: not measured yet
    double copy_bytes;          // what the copies read and write, as figures_bytes() counts
    double naive_ms;            // results_naive_ms(); 0: nothing to compare with
    struct kernel_facts facts;  // of the first pass
    size_t shared_bytes[FILTER_MAX_PASSES];  // a block of each pass; a CPU knows the dynamic ones
    struct occupancy occupancy;
    long long element_index;  // of a lab's shown array, which live_timer_look asked for; -1: none
    double element;           // its value in the last frame
    double check_done;        // how much of a running check is done, 0 ... 1
};

// The builder compiles for the same backend. All three are borrowed. The timer adds to the results;
// their owner makes them forget.
struct live_timer *live_timer_create(struct backend *b, struct builder *builder,
                                     struct results *results);
void live_timer_destroy(struct live_timer *r);  // accepts NULL; waits for the queue

// Who compiles references; borrowed. Without, nothing is checked.
void live_timer_set_references(struct live_timer *r, const struct references *references);

// Copies a picture from host memory onto the device, and borrows it, for checks beside the frames,
// until the next one is set or the timer is destroyed. Call it between frames, and make the results
// forget the old picture.
bool live_timer_set_picture(struct live_timer *r, struct planes picture, struct error *err);

// Compiles with another builder from now on, because the sources changed. It waits for the queue,
// so that the old builder may go. The results must forget before its filters go.
void live_timer_adopt(struct live_timer *r, struct builder *builder);

// Sets what to run. It is cheap if nothing changed; otherwise times start anew.
enum live_timer_state live_timer_choose(struct live_timer *r, const struct choice *choice,
                                        struct error *err);

// The chosen frames go into other targets: their times start anew.
void live_timer_restart(struct live_timer *r);

// The shape of what the chosen frames show: the picture's, or that of a lab's array. Only when
// READY.
struct planes live_timer_shape(const struct live_timer *r);
void live_timer_show(struct live_timer *r, int array,
                     const struct array_scale *scale);  // frame_show
// Reads this element of the shown array from now on, after each frame; -1: none.
void live_timer_look(struct live_timer *r, long long index);

// The chosen frames are shown anew: the next one counts as the first of its choice.
void live_timer_show_anew(struct live_timer *r);
// Whether the next frame is the first one of its choice. The target of such a frame is poisoned
// before, and copied to host memory when it is complete.
bool live_timer_is_unseen(const struct live_timer *r);
// Whether the frame that is complete was such a one. The copy has no pixels if there is no memory;
// then it is not checked.
bool live_timer_was_first(const struct live_timer *r, struct planes *copy);
enum live_timer_check live_timer_check(const struct live_timer *r);

// Queues a frame into target, which is backend memory of that shape; a lab paints into any other
// grey one, too, as far as it goes. Only when READY.
bool live_timer_begin(struct live_timer *r, struct planes target, struct error *err);
// Measures what is wanted without a frame, because the shown choice is refused. False: there is
// nothing to do. Else poll, as after live_timer_begin.
bool live_timer_measure(struct live_timer *r);
// IDLE: the last frame and all that was measured beside it are complete. FAILED: a device fault.
enum backend_state live_timer_poll(struct live_timer *r, struct error *err);
// After FAILED: finds the choice that the device was running, and whether that was beside the
// frame. False: it was running a copy, or nothing.
bool live_timer_find_culprit(const struct live_timer *r, struct choice *culprit, bool *is_beside);
// Gives the running frame up. What is not counted yet does not count, and its target is undefined.
void live_timer_cancel(struct live_timer *r);

// It is cheap: figures are computed when samples arrive, and the device was asked in choose.
struct live_timer_report live_timer_report(const struct live_timer *r);

// The module that the next frame of the same choice runs; NULL: there is none. Between frames the
// timer uses no other.
const struct module *live_timer_module(const struct live_timer *r);

// The choice that frames are made of. It is not unrolled while its own module is still compiled.
struct choice live_timer_shown(const struct live_timer *r);

// The choice whose kernels are in the queue, or were last: that of the frame, or one beside it.
struct choice live_timer_running(const struct live_timer *r);

// The CPU's time to queue one launch of the last frame.
double live_timer_launch_ms(const struct live_timer *r);

#endif

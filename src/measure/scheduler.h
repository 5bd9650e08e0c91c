// scheduler.h -- finds the next point to measure beside a frame, among those that the results want.
//
//     A point that                       is
//     is illegal or does not compile     refused, with the reason
//     is not compiled yet                requested and passed over
//     seems too slow now                 passed over, and refused when nothing else is left to
//                                        measure that could make it seem faster
//     takes longer than the time left    measured beside a later frame
//
// Too slow means more than 100 ms a launch (400 ms on a CPU) and more than the frame's own launches
// take. A variant without any times is tried once even if other variants take up to 1 s. On a busy
// machine a launch on a CPU may wait for a processor: it is slow only if it had that much time of
// its own (backend_work).
//
// It does not launch anything. One thread uses it.
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <glib.h>
#include <stdbool.h>

#include "base/planes.h"
#include "device/backend.h"
#include "frame/builder.h"
#include "frame/frame.h"
#include "measure/results.h"

// The caller fills in the first four, which are borrowed. The scheduler keeps the rest.
struct scheduler {
    struct backend *backend;
    struct builder *builder;
    struct results *results;
    struct planes picture;

    double limit_ms;         // of a launch
    int passed_over, found;  // beside this frame
    gint64 begun_us;
    double found_ms;  // the device's own time when the point was found
    bool is_again;    // the point found last is a kept one
    gint64 found_us, again_us;
};

// A new frame begins, whose launches take frame_ms.
void scheduler_begin(struct scheduler *s, double frame_ms);

// Finds the next point, planned and ready to run. False: nothing more can be measured beside this
// frame. Measure (results_add) or refuse the point before the next call.
bool scheduler_next(struct scheduler *s, struct frame *point);
// If there is no next one, finds a kept point to measure again. Such points take an eighth of the
// time, so that they hardly delay frames.
bool scheduler_again(struct scheduler *s, struct frame *point);

// Refuses a measured point if it takes too long to continue with it.
void scheduler_judge(struct scheduler *s, const struct choice *point, double ms);

// A point has not finished, and has had that much time of its own. True: the scheduler gives it up
// and refuses it.
bool scheduler_gives_up(struct scheduler *s, const struct choice *point, double own_ms);

#endif

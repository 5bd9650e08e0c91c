// scheduler.h -- finds the next point to measure beside a frame, among those that the results want.
//
//     illegal, does not compile     refused, and why
//     not compiled yet              asked for, passed over
//     too slow, as it seems now     passed over; refused when nothing else is left to measure that
//                                   could make it seem faster
//     longer than this frame's rest later, beside the next one
//
// Too slow is longer than 100 ms a launch (400 on a CPU), or than the frame's own where those are
// longer. A variant of which nothing is known is tried once even if others take up to 1 s.
//
// Does not launch anything. One thread.
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <glib.h>
#include <stdbool.h>

#include "base/planes.h"
#include "device/backend.h"
#include "frame/builder.h"
#include "frame/frame.h"
#include "measure/results.h"

// The caller fills the first four, which are borrowed; the rest is the scheduler's.
struct scheduler {
    struct backend *backend;
    struct builder *builder;
    struct results *results;
    struct planes picture;

    double limit_ms;         // of a launch
    int passed_over, found;  // beside this frame
    gint64 begun_us;
    bool is_again;  // the point found last is a kept one
    gint64 found_us, again_us;
};

// Beside another frame, whose launches take frame_ms.
void scheduler_begin(struct scheduler *s, double frame_ms);

// Finds the next point, planned and ready to run. False: nothing can be measured beside this frame
// any more. A point found must be measured (results_add) or refused before the next call.
bool scheduler_next(struct scheduler *s, struct frame *point);
// Likewise, when there is no next one: finds a kept point to be measured again. Such points take an
// eighth of the time, so that frames hardly come later.
bool scheduler_again(struct scheduler *s, struct frame *point);

// A measured point turned out to take that long: refused, if it is too long to go on.
void scheduler_judge(struct scheduler *s, const struct choice *point, double ms);

// A point has not come back for that long. True: given up, and refused.
bool scheduler_gives_up(struct scheduler *s, const struct choice *point, double ms);

#endif

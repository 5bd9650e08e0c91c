// scheduler.h -- finds the next point to measure behind a frame: the copy that the frame is
// compared with, then those that the results want, then those that they want again.
//
//     A point that                       is
//     is illegal or does not compile     refused, with the reason
//     is not compiled yet                requested and passed over
//     seems too slow now                 passed over, and refused when nothing else is left to
//                                        measure that could make it seem faster
//     takes longer than the time left    measured in a later round
//
// Too slow means more than 100 ms a launch (400 ms on a CPU) and more than the frame's own launches
// take. A variant without any times is tried once even if other variants take up to 1 s. On a busy
// machine a launch on a CPU may wait for a processor: it is slow only if it had that much time of
// its own (backend_work).
//
// The copy is measured in every round until its time is settled, and then in one of eight. Points
// that are wanted again take an eighth of the time, so that they hardly delay frames.
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
#include "frame/results.h"

// The caller fills in the first four, which are borrowed. The scheduler keeps the rest.
struct scheduler {
    struct backend *backend;
    struct builder *builder;
    struct results *results;
    struct planes picture;

    double limit_ms;                  // of a launch
    int round, copied;                // copied: the last round with a copy
    int passed_over, found;           // in this round
    gint64 begun_us;                  // of the first point
    gint64 again_begun_us, again_us;  // 0: the last point is no kept one; when the next may come
};

// A new round begins, whose frame's launches take frame_ms; 0: not known, or there is no frame.
void scheduler_begin(struct scheduler *s, double frame_ms);

// Finds the next point, planned and ready to run. shown: the choice of the round's frame, or NULL.
// is_free: nothing delays points, such as times of the shown frame that are still wanted. False:
// nothing more can be measured in this round. Measure (results_add) or refuse the point before the
// next call.
bool scheduler_next(struct scheduler *s, const struct choice *shown, bool is_free,
                    struct frame *point);

// A point was measured, and had own_ms of its own. Refuses it if that is too long to continue.
void scheduler_judge(struct scheduler *s, const struct choice *point, double ms, double own_ms);

// A point has not finished, and has had that much time of its own. True: the scheduler gives it up
// and refuses it.
bool scheduler_gives_up(struct scheduler *s, const struct choice *point, double own_ms);

#endif

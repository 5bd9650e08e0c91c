// beside.h -- what a live timer measures beside its frames, one batch after the other: device
// copies, and points that the results want.
//
// A round is one frame of the caller's, or a turn without one, and all that is measured in it. The
// caller polls the queue, and calls beside_count() when it is idle. Points and copies work in the
// caller's workspace. Times of points go to the results; those of copies are kept here. This module
// does not choose what is shown. One thread uses it.
#ifndef BESIDE_H
#define BESIDE_H

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/stats.h"
#include "device/backend.h"
#include "frame/frame.h"
#include "frame/workspace.h"
#include "measure/result_checker.h"
#include "measure/results.h"
#include "measure/scheduler.h"

// The marks around a batch. The caller's own are below.
enum { BESIDE_MARK_BEGIN = 2, BESIDE_MARK_END };

enum beside_kind { BESIDE_NOTHING, BESIDE_COPY, BESIDE_POINT };

// The caller fills in the first four, which are borrowed, and those of the scheduler. It may read
// the rest.
struct beside {
    struct backend *backend;
    struct results *results;
    struct workspace *workspace;
    struct result_checker *checker;
    struct scheduler scheduler;

    enum beside_kind kind;  // of what is in the queue, or was last in this round
    int rounds;
    bool has_copied, is_given_up;  // in this round

    struct frame point;
    bool is_checked_point;  // the point's result goes to the checker
    int repeats;            // launches in the batch
    double begun_ms;        // on the device's own time (backend_work)

    struct stats copies;
    double copy_ms, copy_bytes;  // the median, 0: not measured yet; what each reads and writes
};

// Copies of another size are measured anew.
void beside_set_copy_bytes(struct beside *s, double bytes);

// A round begins, whose frame is known to take frame_ms a launch; 0: unknown, or there is no frame.
void beside_begin_round(struct beside *s, double frame_ms);

// Queues the next batch of the round. The queue must be idle. shown: the frame that is complete, or
// NULL; is_settled: nothing delays points, such as times of the shown frame that are still wanted.
// True: something is in the queue, or stopped the device, as the next poll says.
bool beside_begin(struct beside *s, const struct frame *shown, bool is_settled);

// What was queued is complete: counts its time and begins its check. False: the device failed.
bool beside_count(struct beside *s, struct error *err);

// Gives up a point that does not come back, because an endless loop in a kernel that is not shown
// must not stop the picture. A GPU cannot be helped.
void beside_give_up_late(struct beside *s);

// The choice whose kernels are in the queue, or were last; NULL: there is none.
const struct choice *beside_choice(const struct beside *s);

#endif

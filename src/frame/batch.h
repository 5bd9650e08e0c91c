// batch.h -- how many launches are timed together.
//
// A device's clock resolves about 0.5 us. A sample therefore spans 0.2 ms or more: shorter launches
// are repeated, and a sample is the span over their number.
#ifndef BATCH_H
#define BATCH_H

#include <glib.h>
#include <math.h>

#include "base/error.h"
#include "frame/frame.h"

static const double BATCH_SPAN_MS = 0.2;

enum { BATCH_LIVE_MOST = 64 };  // launches, where frames are waited for

// How many launches of launch_ms make a batch: 1 to `most`. launch_ms 0: not known yet, so one.
static inline int batch_repeats(double launch_ms, int most)
{
    return launch_ms > 0 ? (int)CLAMP(ceil(BATCH_SPAN_MS / launch_ms), 1, most) : 1;
}

// Queues so many launches of a frame between first_mark and the mark behind it. False: refused.
static inline bool batch_queue(const struct frame *frame, const struct frame_memory *memory,
                               int repeats, int first_mark, struct error *err)
{
    if (!backend_mark(frame->backend, first_mark, err)) return false;
    for (int i = 0; i < repeats; i++)
        if (!frame_run(frame, memory, err)) return false;
    return backend_mark(frame->backend, first_mark + 1, err);
}

#endif

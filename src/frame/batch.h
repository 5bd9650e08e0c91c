// batch.h -- how many launches are timed together.
//
// A device's clock resolves about 0.5 us. A sample therefore spans 0.2 ms or more: shorter launches
// are repeated, and a sample is the span over their number.
#pragma once

#include <glib.h>
#include <math.h>

static const double BATCH_SPAN_MS = 0.2;

// How many launches of launch_ms make a batch: 1 to `most`. launch_ms 0: not known yet, so one.
static inline int batch_repeats(double launch_ms, int most)
{
    return launch_ms > 0 ? (int)CLAMP(ceil(BATCH_SPAN_MS / launch_ms), 1, most) : 1;
}

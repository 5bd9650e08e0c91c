// batch.h -- how many launches are timed together.
//
// A device's clock resolves about 0.5 us. Short launches are therefore timed in batches of about
// 0.2 ms, and a sample is a batch's time divided by its number of launches.
#pragma once

#include <glib.h>
#include <math.h>

static const double BATCH_SPAN_MS = 0.2;

// Returns how many launches of launch_ms make a batch, 1 to `most`. launch_ms 0: it is not known
// yet, and one will do.
static inline int batch_repeats(double launch_ms, int most)
{
    return launch_ms > 0 ? (int)CLAMP(ceil(BATCH_SPAN_MS / launch_ms), 1, most) : 1;
}

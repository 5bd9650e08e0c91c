#include "measure/batch.h"

#include <glib.h>
#include <math.h>

int batch_repeats(double launch_ms, int most)
{
    return launch_ms > 0 ? (int)CLAMP(ceil(BATCH_SPAN_MS / launch_ms), 1, most) : 1;
}

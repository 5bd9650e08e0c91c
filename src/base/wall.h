// wall.h -- the wall clock, for what may take less than a microsecond.
#pragma once

#include <time.h>

static inline double wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

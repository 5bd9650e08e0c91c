// wall.h -- wall time from an arbitrary start, to fractions of a microsecond.
#pragma once

#include <time.h>

static inline double wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static inline double wall_s(void)
{
    return 1e-3 * wall_ms();
}

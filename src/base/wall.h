// wall.h -- wall time from an arbitrary start, to fractions of a microsecond, and the processor
// time that a thread has spent.
#pragma once

#include <time.h>

static inline double wall_clock_ms(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static inline double wall_ms(void)
{
    return wall_clock_ms(CLOCK_MONOTONIC);
}

// Of the calling thread; it stands still while the thread waits.
static inline double wall_thread_ms(void)
{
    return wall_clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

static inline double wall_s(void)
{
    return 1e-3 * wall_ms();
}

// logs.h -- what threads did, written as words.
//
// A capital enters the basic block of that name. A small letter loads the thread's own word of
// global memory, a digit that of shared memory. The letter is the site.
#pragma once

#include "device/trace.h"

enum { LOGS_MAX_EVENTS = 256, LOGS_MAX_THREADS = 1024 };

// Up to LOGS_MAX_THREADS threads' logs.
struct logs {
    int count;
    struct trace_event events[LOGS_MAX_THREADS][LOGS_MAX_EVENTS];
    struct trace_thread threads[LOGS_MAX_THREADS];
};

// Adds a thread after the others.
static inline void logs_add(struct logs *l, const char *text)
{
    size_t n = 0;
    for (; text[n]; n++) {
        struct trace_event e = {.site = (unsigned char)text[n]};
        assert_true(l->count < LOGS_MAX_THREADS && n < LOGS_MAX_EVENTS);
        if (!g_ascii_isupper(text[n]))
            e = (struct trace_event){.site = e.site,
                                     .kind = TRACE_LOAD,
                                     .space =
                                         g_ascii_isdigit(text[n]) ? TRACE_SHARED : TRACE_GLOBAL,
                                     .bytes = 4,
                                     .address = 4 * (unsigned long long)l->count};
        l->events[l->count][n] = e;
    }
    l->threads[l->count] = (struct trace_thread){l->events[l->count], n};
    l->count++;
}

// logs.h -- what threads did, written as words.
//
// A capital enters the basic block of that name. A small letter loads the thread's own word of
// global memory, a digit that of shared memory. The letter is the site.
#ifndef LOGS_H
#define LOGS_H

#include "device/trace.h"

enum { LOGS_MAX_EVENTS = 256, LOGS_MAX_THREADS = 1024 };

// Up to LOGS_MAX_THREADS threads' logs.
struct logs {
    int count;
    struct trace_event events[LOGS_MAX_THREADS][LOGS_MAX_EVENTS];
    struct trace_thread threads[LOGS_MAX_THREADS];
};

// Adds a thread after the others.
void logs_add(struct logs *l, const char *text);

#endif

// library_frame.h -- what a frame does whose variant is a library's (filter.h). frame.c and
// workspace.c call all of this; nobody else has to.
#ifndef LIBRARY_FRAME_H
#define LIBRARY_FRAME_H

#include "frame/frame.h"

// The functions of a filter's library variants, in their order. Returns their number.
int library_frame_functions(const struct filter *f,
                            const struct library_function *functions[BACKEND_MAX_FUNCTIONS]);

// Whether the library that a frame's variant calls, if it calls one, is there; err says what is
// missing.
bool library_frame_can_run(const struct frame *frame, struct error *err);

// Calls the library once and waits, if nobody has called it yet.
bool library_frame_warm_up(const struct frame *frame, const struct frame_memory *memory,
                           struct error *err);

// Queues the call.
bool library_frame_run(const struct frame *frame, const struct frame_memory *memory,
                       struct error *err);

#endif

// tracer.h -- traces on a thread of its own, beside the picture (tracing.h does the work).
//
// One request runs at a time. A newer one takes its place: what the older one has found so far is
// dropped, unless it is still compiling what the newer one needs, too. The last good result stays
// with whoever took it, whatever becomes of later requests. One thread makes all calls.
//
//     tracer_ask(t, &request);                 whenever another block or choice is wanted
//     switch (tracer_poll(t, &progress)) …     each frame
//     result = tracer_take(t);                 where it is there
#ifndef TRACER_H
#define TRACER_H

#include <stdbool.h>

#include "base/error.h"
#include "lens/tracing.h"

struct tracer;

enum tracer_state {
    TRACER_IDLE,      // nothing was asked for, or it was cancelled
    TRACER_BUILDING,  // the traced kernels are compiled
    TRACER_TRACING,
    TRACER_DONE,    // tracer_take has the result, until it is taken
    TRACER_FAILED,  // why says so
};

struct tracer_progress {
    double part;       // of a whole launch's present pass, 0 to 1
    struct error why;  // of FAILED: a line, or the compiler's log
};

struct tracer *tracer_create(const char *include, enum share share);  // the folder with kernel.h
void tracer_destroy(struct tracer *t);                                // accepts NULL

// Copies the request but for the pixels of its picture, which must stay as they are until
// tracer_drain. Returns the request's number, which its result will have.
unsigned int tracer_ask(struct tracer *t, const struct tracing_request *request);
void tracer_cancel(struct tracer *t);  // soon nothing runs
void tracer_drain(struct tracer *t);   // waits for that, some milliseconds
// Cancels, and soon keeps no device, memory or compiled kernel. The next request opens all anew.
void tracer_rest(struct tracer *t);

enum tracer_state tracer_poll(struct tracer *t, struct tracer_progress *progress);
// The newest result, which the caller frees; NULL: there is none that was not taken.
struct lens_result *tracer_take(struct tracer *t);

#endif

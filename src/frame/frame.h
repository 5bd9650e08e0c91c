// frame.h -- one frame: every pass of a variant, from the source picture to a target.
//
// The same for every filter, every backend, with a window or without. A choice is checked and
// planned once; each frame then only fills in pointers and launches. Does not choose, time or show
// anything. Allocates nothing.
//
// Pictures are planar (planes.h) on both sides. A variant with layout=rgb24 works between two
// packed pictures of the same number of bytes up to padding, so its times and the copy's compare:
//
//     source ──prepare──▶ packed source ──run──▶ packed result ──finish──▶ target
//                                      what is timed
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "filter/filter.h"
#include "filter/launch.h"

enum { FRAME_WEIGHTS_BYTES = 4 * WEIGHTS_MAX };

// A choice that is ready to run. The caller fills in the first three; frame_plan() does the rest.
struct frame {
    struct backend *backend;
    struct choice choice;
    const struct module *module;  // of the choice's filter; of its radius when unrolled

    struct planes picture;  // the shape that is planned for
    struct launch_plan plan;
    int first_entry;  // of its passes, among the module's
    unsigned char params[4 * FILTER_MAX_PARAMS];
    size_t params_bytes;
};

// Where a frame works: memory of its backend. workspace.h keeps it.
struct frame_memory {
    struct planes source, target;
    void *scratch;  // a word for each pixel; NULL for a single pass
    void *packed;   // two packed pictures; NULL for planar variants
    void *weights;  // FRAME_WEIGHTS_BYTES; NULL for a filter without
};

// Plans the launches for a picture's shape and the module's real registers and shared memory; see
// launch_plan. To be called again when choice, module or shape change. On failure the plan is
// what it was.
bool frame_plan(struct frame *frame, struct planes picture, struct error *err);

// Brings what a planned frame needs beside its source. Call it before frame_run and outside of what
// is timed, when the frame or its memory has changed.
//     weights    for the frame's params, into weights, and into the module's `constant_weights` if
//                it has them; this waits for the queue. A module holds one frame's at a time.
//     layout     the source, packed, into packed, where frames only read it: one prepared frame
//                does for all of the same source and memory.
bool frame_prepare(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// Queues a planned frame on the backend and returns before it is done. False: refused (err says
// why); what fails while running is told by backend_poll.
bool frame_run(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// Queues what is left to do after frame_run, outside of what is timed: the target gets the picture
// that a packed variant has left in packed. Others have written it already, and nothing happens.
bool frame_finish(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// Index of a variant's first pass among all entries of its filter, as frame_compile() lists them.
int frame_entry(const struct filter *f, const struct variant *v);

// Compiles a filter: all its kernels, for a radius or (-1) for any.
struct module *frame_compile(struct backend *b, const struct filter *f, int radius,
                             struct error *err);

#endif

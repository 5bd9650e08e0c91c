// frame.h -- one frame: every pass of a variant, from the source picture to a target.
//
// The same for every filter, every backend, with a window or without. Does not choose, compile,
// time or show anything. Allocates nothing.
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
#include "filter/filter.h"
#include "filter/launch.h"

struct frame {
    struct backend *backend;
    const struct filter *filter;
    const struct variant *variant;
    const struct module *module;  // of this filter; of this radius when unrolled
    struct settings settings;
    struct planes source;  // backend memory
    void *scratch;         // frame_scratch_bytes() of backend memory, or NULL when that is 0
    void *packed;          // frame_packed_bytes() of backend memory, or NULL when that is 0
    void *weights;         // FRAME_WEIGHTS_BYTES of backend memory, or NULL for a filter without
};

enum { FRAME_WEIGHTS_BYTES = 4 * WEIGHTS_MAX };

// What a frame needs beside its source; to be called when anything of the frame has changed, before
// frame_run and outside of what is timed.
//     weights    for the frame's params, into weights, and into the module's `constant_weights` if
//                it has them; this waits for the queue. A module holds one frame's at a time.
//     layout     the source, packed, into packed, where frames only read it: one prepared frame
//                does for all of the same source and memory.
bool frame_prepare(const struct frame *frame, struct error *err);

// Queues the frame on the backend and returns before it is done. False: refused (err says why) and
// nothing of it is queued; what fails while running is told by backend_poll.
bool frame_run(const struct frame *frame, struct planes target, struct error *err);

// Queues what is left to do after frame_run, outside of what is timed: target gets the picture that
// a packed variant has left in packed. For others, it has it already and nothing happens.
bool frame_finish(const struct frame *frame, struct planes target, struct error *err);

// Bytes of packed memory that a variant wants for a picture: 0 if it is planar, or the picture
// grey. The second half is the result's, and as large as a planar picture.
size_t frame_packed_bytes(const struct variant *v, struct planes picture);

// Bytes of scratch that a variant wants for a picture: 0 for a single pass.
size_t frame_scratch_bytes(const struct variant *v, struct planes picture);

// Index of a variant's pass among all entries of its filter, as frame_compile() lists them.
int frame_entry(const struct filter *f, const struct variant *v, int pass);

// Plans the frame's launches for the module's real registers and shared memory; see launch_plan.
bool frame_plan(const struct frame *frame, struct launch_plan *plan, struct error *err);

// Compiles a filter: all its kernels, for a radius or (-1) for any.
struct module *frame_compile(struct backend *b, const struct filter *f, int radius,
                             struct error *err);

#endif

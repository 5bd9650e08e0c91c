// frame.h -- one frame: runs every pass of a variant on its arrays.
//
// Every filter and backend works this way, with a window or without. A choice is checked and
// planned once; each frame then only fills in pointers and launches. This module does not choose,
// time or show anything, and it allocates nothing.
//
// A filter's arrays `in` and `out` are pictures (arrays.h), and `out` may lie elsewhere: in the
// target, which the window lends. A filter's variant with prepare= and finish= works between two
// pictures of its own; a lab's hands on scratch. One array of a lab can be painted into the target:
//
//     in ──prepare──▶ its source ──run──▶ its result ──finish──▶ out
//     in ──prepare──▶ scratch    ──run──▶ out        ──finish──▶ out ──paint──▶ target
//                                what is timed
//
// A variant that is a library's has no passes: frame_run calls the library instead, with the same
// arrays.
//
// With pitch= the planes of a variant's own pictures are interleaved, a byte of each in turn, and
// the passes see them as one plane of pixels of several bytes.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "filter/filter.h"
#include "filter/launch.h"

// A choice that is ready to run. The caller fills in the first five; frame_plan() does the rest. A
// frame that has only a backend and arrays is the device copy of arrays.h, and needs no plan.
// Planning the choice of choice_copy_of() makes that copy, too.
struct frame {
    struct backend *backend;
    struct choice choice;
    const struct module *module;  // of the choice's filter; if unrolled, for its params
    bool is_strict;               // its launches are (backend.h)
    bool is_unguarded;            // accesses to gaps (arrays.h) are not looked for
    bool is_traced;               // its arrays lie as they do on a GPU
    int multiprocessors;          // that it is planned for; 0: the backend's

    struct planes picture;  // the shape that is planned for
    struct launch_plan plan;
    int first_entry;  // of its passes, among the module's
    unsigned char params[4 * FILTER_MAX_PARAMS];
    size_t params_bytes;

    struct arrays_layout arrays;
    int shown_array;           // the one that frame_finish paints; frame_show changes it,
    struct array_scale scale;  // and between which values
};

// Where a frame works: memory of its backend. workspace.h keeps it.
struct frame_memory {
    void *arrays;          // layout.bytes
    void *own;             // layout.own_bytes: a source and a result of the variant's own
    void *shared;          // layout.shared_bytes
    struct planes target;  // pixels NULL: `out` lies in arrays, and nothing is painted
    atomic_bool *is_cut;   // becomes true if frame_fill or frame_prepare is cancelled; or NULL
};

// The shape of what a planned frame shows: the picture's, or that of a lab's array.
struct planes frame_picture(const struct frame *frame);
// Shows another array of a lab, which has that index. scale NULL: its own.
void frame_show(struct frame *frame, int array, const struct array_scale *scale);

// Where an array of a planned frame lies; NULL: it is not needed.
void *frame_array(const struct frame *frame, const struct frame_memory *memory, int array);
// A picture as the passes see it: the variant's own if it has one, whose planes may be a byte
// apart. For an array that is no picture, only the address is set.
struct planes frame_planes(const struct frame *frame, const struct frame_memory *memory, int array);
// Reads elements of an array or a picture (arrays.h says how they are numbered), and waits.
enum { FRAME_READ_MOST = 256 };
bool frame_read(const struct frame *frame, const struct frame_memory *memory, int array,
                long long first, int count, double *values, struct error *err);

// Plans arrays and launches for a picture's shape and the module's registers and shared memory, as
// launch_plan does. Call it again when choice, module or shape change. On failure the plan stays
// as it was.
bool frame_plan(struct frame *frame, struct planes picture, struct error *err);

// Fills in arrays as the file says; a picture is the caller's. Once is enough for the same params.
// Constants must be brought again when the frame's module has changed, because they go into its
// __constant__ arrays, `constant_weights` or those that the file names. That waits for the queue. A
// module holds the constants of one frame at a time.
bool frame_fill(const struct frame *frame, const struct frame_memory *memory, struct error *err);
// The constants alone.
bool frame_bring_constants(const struct frame *frame, const struct frame_memory *memory,
                           struct error *err);

// Queues the kernel that prepare= names, outside of the timed part. Call it after frame_fill and
// before frame_run, once for all frames with the same params, arrays and memory.
bool frame_prepare(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// Fills the arrays that a frame is to write, and the space behind each array, with bytes of
// FRAME_POISON plus the array's number. Then a check finds pixels that the frame leaves out, and
// what it writes behind an array. An array that begins as a copy of another one is copied.
enum { FRAME_POISON = 0xa5 };
bool frame_poison(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// Queues a planned frame and returns before it is done. False: it is refused, and err says why.
// backend_poll reports what fails while it runs.
bool frame_run(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// Calls a variant's library once and waits, if nobody has called it yet, so that no timed call
// loads its code. For other variants nothing is done.
bool frame_warm_up(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// The same as frame_run for one pass of the plan, which may be traced (NULL: it is not).
bool frame_run_pass(const struct frame *frame, const struct frame_memory *memory, int pass,
                    const struct trace *trace, struct error *err);

// Queues what follows frame_run outside of the timed part: the kernel that finish= names, and the
// picture of a lab's array. For other variants nothing is left to do.
bool frame_finish(const struct frame *frame, const struct frame_memory *memory, struct error *err);

// Compiles all kernels of a filter, and opens the libraries that it names. The caller sets the
// build's params and lanes (of launch_build(); empty: any), and if it is traced, guarded or
// cancelled; the rest is filled in here.
struct module *frame_build(struct backend *b, const struct filter *f, struct build build,
                           struct error *err);
// The same for the kernels of the choice's variant alone, which takes a part of the time; without a
// variant, for the references and what fills arrays. No frame of another variant can run.
struct module *frame_build_one(struct backend *b, const struct choice *c, struct build build,
                               struct error *err);
// True if the lanes of the module's build change the time of a variant's kernels.
bool frame_has_strips(struct backend *b, const struct module *m, const struct variant *v);

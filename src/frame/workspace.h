// workspace.h -- the device memory that frames work in, and what is prepared in it.
//
// A workspace holds one picture as pairs of a source and a target. A benchmark uses so many pairs
// that no launch finds its pixels in the cache; others use one. Beside them is what variants need:
// scratch, pictures of their own, weights. Frames allocate nothing else, and nothing while they
// run.
//
// This module does not plan or launch. The workspace owns its memory; {0} is a valid nothing. One
// thread uses it.
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "frame/frame.h"

// Bytes that a variant needs beside the pairs.
struct workspace_needs {
    size_t scratch_bytes;  // a word for each pixel, where there is more than one pass
    size_t own_bytes;      // for each pair: a source and a result, of those with prepare=
};

// What the arrays of a workspace hold: the in arrays of a lab with some params, and what a variant
// wants to be prepared. The same for the pictures that variants of a filter have of their own.
struct workspace_filling {
    const struct filter *filter;    // NULL: nothing yet
    const struct variant *variant;  // NULL: nothing is prepared
    struct param_values params;
};

struct workspace {
    struct backend *backend;
    struct planes picture;  // its shape
    int pairs;
    void *sources, *targets;  // of all pairs, one behind the other
    struct workspace_needs reserved;
    void *scratch, *own;
    void *weights;  // FRAME_WEIGHTS_BYTES

    struct workspace_filling own_filling;
    const struct module *weights_module;  // whose weights are in memory; NULL: nobody's
    struct param_values weights_params;

    void *arrays;  // of a lab: as many pieces as pairs, each of arrays_bytes
    size_t arrays_bytes, arrays_reserved;
    struct arrays_layout layout;  // of the last frame that was prepared, if it was a lab's
    struct workspace_filling filling;

    // The device sets it, in a launch that fills or prepares and was cancelled. The next
    // workspace_prepare brings all again.
    atomic_bool is_cut;

    // Set by the user. Is called when prepare= is queued for the first of the pairs, and may wait
    // for it; false: it never ends, and the others are left out. NULL: none waits.
    bool (*first_prepared)(void *data, struct error *err);
    void *data;
};

// Adds the needs of a variant.
void workspace_add_needs(struct workspace_needs *needs, const struct filter *f,
                         const struct variant *v, struct planes picture);
size_t workspace_bytes(struct planes picture, int pairs, struct workspace_needs needs);
size_t workspace_held(const struct workspace *w);  // allocated now, without the weights

// Allocates the pairs and copies a picture from host memory into all sources. A picture without
// pixels: there are only arrays. On failure nothing stays allocated.
bool workspace_init(struct workspace *w, struct backend *b, struct planes picture, int pairs,
                    struct error *err);
void workspace_finish(struct workspace *w);  // the queue must be idle; accepts a zeroed workspace

// Allocates what is missing. The queue must be idle, because memory that is too small is freed.
bool workspace_reserve(struct workspace *w, struct workspace_needs needs, struct error *err);

// Reserves what a frame needs, and calls frame_prepare if its data is not there yet. For a copy of
// a lab's arrays there only has to be room. A library that was never called is called once, so that
// no timed call loads its code.
bool workspace_prepare(struct workspace *w, const struct frame *frame, struct error *err);

// Makes the next workspace_prepare bring the weights again. Call it when others may have used the
// module.
void workspace_forget_weights(struct workspace *w);
// Makes it bring all again, because the sources changed.
void workspace_forget(struct workspace *w);

struct frame_memory workspace_memory(const struct workspace *w, int pair);
// Allocates the arrays of a lab, so that copies of them can be timed before anything is prepared.
bool workspace_reserve_arrays(struct workspace *w, const struct arrays_layout *layout,
                              struct error *err);
void workspace_drop_arrays(struct workspace *w);  // the queue must be idle; the next lab fills anew
// The same for the frame of a lab, which must have been prepared: its arrays, without a target.
struct frame_memory workspace_arrays(const struct workspace *w, int pair);
// Where the frame works that was prepared: in the first pair, or in its lab's arrays.
struct frame_memory workspace_of(const struct workspace *w, const struct frame *frame);

// The device copy that the last prepared frame is compared with, and its memory.
struct frame workspace_copy(const struct workspace *w);
struct frame_memory workspace_copy_memory(const struct workspace *w, int pair);

#endif

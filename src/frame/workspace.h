// workspace.h -- the device memory that frames work in, and what is prepared in it.
//
// A workspace holds a picture, or the arrays of a lab, in as many pairs of inputs and outputs as it
// is told. A benchmark uses so many that no launch finds its data in the cache; others use one. A
// lab's arrays come and go; the picture stays. It also holds what variants need besides (arrays.h).
// Frames use no other memory, and allocate none while they run.
//
// This module does not plan or launch. The workspace owns its memory; {0} is a valid nothing. One
// thread uses it.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "frame/frame.h"

// What was filled in: the in arrays of a filter or lab with some params, the weights in a module,
// and what a variant's prepare= has made.
struct workspace_filling {
    const struct filter *filter;  // NULL: nothing yet
    struct param_values params;
    const struct module *module;    // NULL: no weights
    const struct variant *variant;  // NULL: nothing is prepared
};

struct workspace_room {
    void *memory;
    size_t bytes;  // of all pairs
};

struct workspace {
    struct backend *backend;
    struct planes picture;  // its shape
    int pairs;
    struct workspace_room pictures, arrays, own, shared;
    struct arrays_layout layout;  // of the last frame that was prepared; at first the picture's
    struct workspace_filling filling;

    // The device sets it, in a launch that fills or prepares and was cancelled. The next
    // workspace_prepare brings all again.
    atomic_bool is_cut;
};

// Raises the bytes of `most`, which is {0} at first, to what another layout of the same picture or
// lab needs.
void workspace_add_needs(struct arrays_layout *most, const struct arrays_layout *layout);
size_t workspace_bytes(const struct arrays_layout *layout, int pairs);
size_t workspace_held(const struct workspace *w);  // allocated now

// Allocates the pairs and copies a picture from host memory into all of them. A picture without
// pixels: there are only arrays. On failure nothing stays allocated.
bool workspace_init(struct workspace *w, struct backend *b, struct planes picture, int pairs,
                    struct error *err);
void workspace_finish(struct workspace *w);  // the queue must be idle; accepts a zeroed workspace

// Allocates what is missing for a layout, so that copies can be timed before anything is prepared.
// The queue must be idle, because memory that is too small is freed.
bool workspace_reserve(struct workspace *w, const struct arrays_layout *layout, struct error *err);
void workspace_drop_arrays(struct workspace *w);  // the queue must be idle; the next lab fills anew

// Reserves what a frame needs, and calls frame_fill and frame_prepare if its data is not there yet.
// For a copy of a lab's arrays there only has to be room. A library that was never called is called
// once, so that no timed call loads its code.
bool workspace_prepare(struct workspace *w, const struct frame *frame, struct error *err);

// Makes the next workspace_prepare bring the weights again. Call it when others may have used the
// module.
void workspace_forget_weights(struct workspace *w);
// Makes it bring all again, because the sources changed.
void workspace_forget(struct workspace *w);

// The memory for frames of a layout, which must have been reserved.
struct frame_memory workspace_memory(const struct workspace *w, const struct arrays_layout *layout,
                                     int pair);
struct frame_memory workspace_of(const struct workspace *w, const struct frame *frame);

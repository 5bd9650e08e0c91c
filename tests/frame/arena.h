// arena.h -- the arrays of a filter or lab, further apart than arrays.h has them, so that
// test_kernels sees what a launch writes beside them:
//
//     │ guard │ a (in) │ guard │ b (out) │ guard │
//
// Each launch begins with the same bytes everywhere; all but the in arrays are noise, so that even
// a word which is copied from guard to guard shows.
#pragma once

#include "frame/frame.h"

struct arena {
    struct backend *backend;
    const struct filter *filter;
    struct planes picture;        // a filter's source, in host memory; borrowed
    struct arrays_layout layout;  // with guards
    void *memory;                 // of the device; borrowed by frames
    unsigned char *before, *after;
};

// Plans the arrays for some params; a frame takes its layout after frame_plan().
bool arena_plan(struct arena *arena, struct backend *b, const struct filter *f,
                const struct param_values *params, struct planes picture, struct error *err);

// Allocates them, and fills the in arrays by a frame of those params.
bool arena_open(struct arena *arena, const struct frame *frame, struct error *err);
void arena_close(struct arena *arena);  // accepts one that was only planned

// A frame may use the memory between these two, which write `before` and read `after`.
bool arena_begin(struct arena *arena, struct error *err);
bool arena_end(struct arena *arena, struct error *err);

// An array of the host's copy.
void *arena_before(const struct arena *arena, int array);
const void *arena_after(const struct arena *arena, int array);

// lab_arena.h -- a lab's arrays, further apart than arrays.h has them, so that test_labs sees what
// a launch writes beside them:
//
//     │ guard │ a (in) │ guard │ b (out) │ guard │
//
// Each launch begins with the same bytes everywhere; all but the in arrays are noise, so that even
// a word which is copied from guard to guard shows.
#ifndef LAB_ARENA_H
#define LAB_ARENA_H

#include "frame/frame.h"

struct lab_arena {
    struct backend *backend;
    const struct filter *lab;
    struct arrays_layout layout;  // with guards
    void *memory;                 // of the device; borrowed by frames
    unsigned char *before, *after;
};

// Plans the arrays for some params; a frame takes its layout after frame_plan().
bool lab_arena_plan(struct lab_arena *arena, struct backend *b, const struct filter *lab,
                    const struct param_values *params, struct error *err);

// Allocates them, and fills the in arrays by a frame of those params.
bool lab_arena_open(struct lab_arena *arena, const struct frame *frame, struct error *err);
void lab_arena_close(struct lab_arena *arena);  // accepts one that was only planned

// A frame may use the memory between these two, which write `before` and read `after`.
bool lab_arena_begin(struct lab_arena *arena, struct error *err);
bool lab_arena_end(struct lab_arena *arena, struct error *err);

// An array of the host's copy.
void *lab_arena_before(const struct lab_arena *arena, int array);
const void *lab_arena_after(const struct lab_arena *arena, int array);

// Whether all but the out and scratch arrays are as they were. False: what says where not.
bool lab_arena_is_intact(const struct lab_arena *arena, char *what, size_t size);

#endif

// lens_subject.h -- what the memory lens is about: the pixel on which the cursor rests, and from it
// the block that is to be traced of each side.
//
// It asks for no trace.
#ifndef LENS_SUBJECT_H
#define LENS_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/planes.h"
#include "lens/tracing.h"

struct viewer;

// {0} is a valid beginning.
struct lens_subject {
    // Where the cursor was seen last, in the window, and since when; and where it rested last, in
    // the picture. It has not rested: the middle counts.
    int seen_x, seen_y, x, y;
    int64_t moved_us;
    bool has_rested;
    bool may_rest;  // it has moved, and rests if it stays for some milliseconds
};

// Once a turn.
void lens_subject_follow_cursor(struct lens_subject *s, const struct viewer *v);

// The pixel of a picture of that shape that lens and block panel are about: where the cursor rested
// last, wherever it is now; else the middle.
void lens_subject_place(const struct lens_subject *s, struct planes shape, int *x, int *y);

// has_place: it is the block under the cursor. Of a lab that is not always known; then it is the
// first one.
struct tracing_request lens_subject_block(const struct lens_subject *s, const struct viewer *v,
                                          int side, bool *has_place);

// How long a block is wanted. {0} is a valid beginning. The caller gives the time.
struct lens_wait {
    struct tracing_request block;
    int64_t since_us;
};

// Follows what is wanted, once a turn. False: it is wanted since a moment. Another block of the
// launch may be shown for so long: most blocks are traced by then, and without it the lens would
// turn grey and back each time the cursor rests.
bool lens_wait_is_long(struct lens_wait *wait, const struct tracing_request *now, int64_t now_us);

#endif

// lens_subject.h -- what the memory lens is about: a copy of the stage's picture, the pixel on
// which the cursor rests, and from them what each side wishes to have traced.
//
// It asks for no trace. The copy is there so that a picture can go while it is being traced.
#ifndef LENS_SUBJECT_H
#define LENS_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/image.h"
#include "viewer/lens_wish.h"

struct viewer;

// {0} is a valid beginning.
struct lens_subject {
    struct image picture;
    unsigned picture_version;
    // The picture that was copied.
    const unsigned char *copied_from;
    unsigned copied_version;
    // Where the cursor was seen last, in the window, and since when; and where it rested last, in
    // the picture. It has not rested: the middle counts.
    int seen_x, seen_y, x, y;
    int64_t moved_us;
    bool has_rested;
    bool may_rest;  // it has moved, and rests if it stays for some milliseconds
};

void lens_subject_finish(struct lens_subject *s);

bool lens_subject_has_new_picture(const struct lens_subject *s, const struct viewer *v);
// Copies it. The old copy is gone then, so nobody may read it any more.
void lens_subject_take_picture(struct lens_subject *s, const struct viewer *v);
// Once a turn.
void lens_subject_follow_cursor(struct lens_subject *s, const struct viewer *v);

// The pixel of a picture of that shape that lens and block panel are about: where the cursor rested
// last, wherever it is now; else the middle.
void lens_subject_place(const struct lens_subject *s, struct planes shape, int *x, int *y);

// has_place: it is the block under the cursor. Of a lab that is not always known; then it is the
// first one.
struct lens_wish lens_subject_wish(const struct lens_subject *s, const struct viewer *v, int side,
                                   bool *has_place);

#endif

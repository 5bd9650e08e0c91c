// lens_wish.h -- what the memory lens is to trace: a choice on a picture, and the place of the
// block. A whole launch has no place; it compares with lens_wish_is_same_launch.
//
// A result belongs to the wish that it was asked for with. If what a side shows makes another wish
// now, the result is stale.
#ifndef LENS_WISH_H
#define LENS_WISH_H

#include <stdbool.h>

#include "filter/choice.h"

struct lens_wish {
    struct choice choice;                       // filter NULL: nothing is wanted
    unsigned filters_version, picture_version;  // they count up with each change
    int multiprocessors;                        // as in tracing.h
    int x, y;  // a pixel of the block, or the thread's column and row in a lab
};

bool lens_wish_is_same(const struct lens_wish *a, const struct lens_wish *b);
// The same but for the place.
bool lens_wish_is_same_launch(const struct lens_wish *a, const struct lens_wish *b);

#endif

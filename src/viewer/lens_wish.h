// lens_wish.h -- what the memory lens is to trace: a choice on a picture, and the place of the
// block. A whole launch has no place; it compares with lens_wish_is_same_launch.
//
// A result belongs to the wish that it was asked for with. If what a side shows makes another wish
// now, the result is stale.
#ifndef LENS_WISH_H
#define LENS_WISH_H

#include <stdbool.h>
#include <stdint.h>

#include "filter/choice.h"
#include "lens/tracing.h"

struct lens_wish {
    struct choice choice;                       // filter NULL: nothing is wanted
    unsigned filters_version, picture_version;  // they count up with each change
    int multiprocessors;                        // as in tracing.h
    int x, y;  // a pixel of the block, or the thread's column and row in a lab
};

bool lens_wish_is_same(const struct lens_wish *a, const struct lens_wish *b);
// The same but for the place.
bool lens_wish_is_same_launch(const struct lens_wish *a, const struct lens_wish *b);

struct tracing_request lens_wish_request(const struct lens_wish *wish, struct planes picture);

// How long a wish is there. {0} is a valid beginning. The caller gives the time.
struct lens_wait {
    struct lens_wish wish;
    int64_t since_us;
};

// Follows what is wanted, once a turn. False: it is wanted since a moment. Another block of the
// launch may be shown for so long: most blocks are traced by then, and without it the lens would
// turn grey and back each time the cursor rests.
bool lens_wait_is_long(struct lens_wait *wait, const struct lens_wish *now, int64_t now_us);

#endif

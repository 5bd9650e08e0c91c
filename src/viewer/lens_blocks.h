// lens_blocks.h -- the blocks that the memory lens is asked for: one a side, and one a variant, for
// bars and roofline. They are traced one after the other on a thread of their own, beside the
// picture.
//
// What was found for a slot stays until there is something newer; the caller says with each wish
// whether it is still that one. It knows no cursor, and asks for nothing by itself.
#ifndef LENS_BLOCKS_H
#define LENS_BLOCKS_H

#include <stdbool.h>

#include "app/app.h"
#include "base/planes.h"
#include "lens/lens_result.h"
#include "viewer/lens_wish.h"

// A side's number is its slot. Behind them are the variants of the active side's filter.
enum {
    LENS_BLOCKS_VARIANTS = APP_SIDES,
    LENS_BLOCKS_SLOTS = LENS_BLOCKS_VARIANTS + FILTER_MAX_VARIANTS
};

struct lens_blocks;

struct lens_blocks *lens_blocks_create(const char *include);  // the folder with kernel.h
void lens_blocks_destroy(struct lens_blocks *b);              // accepts NULL

// Once a turn for each slot that is shown: begins what is not there and has not failed. A newer
// wish of the slot takes the place of its older one, and a side's that of a variant; else it waits.
// picture: borrowed, until lens_blocks_drain.
void lens_blocks_want(struct lens_blocks *b, int slot, const struct lens_wish *wish,
                      struct planes picture);
void lens_blocks_stop(struct lens_blocks *b);
// All that was found goes, too, and the device. The next wish begins anew.
void lens_blocks_close(struct lens_blocks *b);
void lens_blocks_drain(struct lens_blocks *b);  // waits until no picture is read, some milliseconds

bool lens_blocks_poll(struct lens_blocks *b);           // true: there is something new to say
bool lens_blocks_is_busy(const struct lens_blocks *b);  // one runs

// The newest, which may be of another wish; NULL: there is none. Valid until the next poll or
// close. Of a variant it has no steps.
const struct lens_result *lens_blocks_result(const struct lens_blocks *b, int slot);
bool lens_blocks_has(const struct lens_blocks *b, int slot, const struct lens_wish *wish);
// Whether there is one of the same launch, wherever its block is.
bool lens_blocks_has_launch(const struct lens_blocks *b, int slot, const struct lens_wish *wish);
// Whether there is one of the kernels as they are read now, so that its lines are those of the
// text.
bool lens_blocks_has_text(const struct lens_blocks *b, int slot, const struct lens_wish *wish);
// Why this wish failed; NULL: it did not.
const char *lens_blocks_failure(const struct lens_blocks *b, int slot,
                                const struct lens_wish *wish);
const char *lens_blocks_state_words(const struct lens_blocks *b, int slot);  // "tracing …"

#endif

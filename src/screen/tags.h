// tags.h -- letters or a few words in rounded boxes, which say which picture is which.
//
//     upper band  ───────────┬───────────       difference:  ───────────────────────
//     in the picture     [A] │ [B]                               [|A − B| ×21]
//                            │ divider
//
// Keys act on the side with the filled box. It does not decide what is shown; overlay.c does.
#ifndef TAGS_H
#define TAGS_H

#include <stdint.h>

#include "draw/paint.h"
#include "screen/overlay.h"

enum tag { TAG_LEFT, TAG_RIGHT, TAG_SHOWN, TAG_COUNT };

// Draws words into a box, as large as its height allows: ink on the colour of text, or text on what
// is below.
void tags_draw_box(const struct paint *paint, const char *text, struct paint_box box,
                   bool is_filled);

// Says where the tags lie; a box without a width is not drawn.
void tags_place(const struct paint *paint, const struct overlay_pair *pair, struct paint_box area,
                struct paint_box boxes[TAG_COUNT]);

// A fingerprint of what the tags say, wherever they lie.
uint64_t tags_hash(const struct overlay_pair *pair);
void tags_draw(const struct paint *paint, const struct overlay_pair *pair, enum tag tag,
               struct paint_box box);

#endif

// block_text.h -- the words of the block panel: the pixel or element under the cursor, its values,
// the block and thread that write it, and the block's cost.
//
// It finds nothing itself, but words the facts of block_info.h. The texts are lines
// for overlay.h's OVERLAY_GRID: "label<tab>value", or a heading. One that does not fit is cut at a
// whole letter. caption.h writes all other words.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "filter/block_info.h"

// Texts of the values at a pixel or element.
struct block_text_values {
    char in[32];         // of the picture; empty: it is a lab's
    char shown[2][112];  // what A and B show there; empty: not known yet
    bool is_pair;        // false: there is only A
};

// "b[12][3]"
void block_text_write_name(char *text, size_t size, const struct block_info *b,
                           const struct filter *lab);

// block NULL: why says why it is not known. values NULL: the text leaves them out.
void block_text_write(char *text, size_t size, const struct block_info *block,
                      const struct block_info_facts *facts, const struct block_text_values *values,
                      const char *why);

// "532 B", or for several passes "pass 1 none, pass 2 1792 B". If there are none, it is empty on a
// CPU, which may not know them.
void block_text_write_shared(char *text, size_t size, const size_t *bytes, int passes, bool is_gpu);

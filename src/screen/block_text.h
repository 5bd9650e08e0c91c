// block_text.h -- the words of the block panel: the pixel or element under the cursor, its values,
// the block and thread that write it, and the block's cost.
//
// It finds nothing itself, but words the facts of block_info.h. The texts are lines
// for overlay.h's OVERLAY_GRID: "label<tab>value", or a heading. One that does not fit is cut at a
// whole letter. caption.h writes all other words.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "filter/block_info.h"

void block_text_write(char *text, size_t size, const struct block_info *b,
                      const struct block_info_facts *facts);

// The pixel alone, and why its block is not known.
void block_text_write_unknown(char *text, size_t size, const struct block_info_facts *facts,
                              const struct error *why);

// An element's values, in one array or in those of two labs that are compared.
struct block_text_values {
    const double *values[2];  // NULL: not known yet
    bool is_absent[2];        // that array has none there
    char names[2][64];        // of another element under the same pixel; empty: it is the same one
    bool is_pair;
};

// "b[12][3]"
void block_text_write_name(char *text, size_t size, const struct block_info *b,
                           const struct filter *lab);

void block_text_write_element(char *text, size_t size, const struct block_info *b,
                              const struct block_info_facts *facts,
                              const struct block_text_values *values);

// "532 B", or for several passes "pass 1 none, pass 2 1792 B". Without any it is empty on a CPU,
// which may not know of them.
void block_text_write_shared(char *text, size_t size, const size_t *bytes, int passes, bool is_gpu);

// touched.h -- what a traced block touches of the picture, for the block panel (block_info.h): the
// pixels that it reads and writes, how often, and its threads that write none.
//
// Words of scratch count as the pixels that they belong to. A pixel of packed bytes counts once all
// its bytes are read. Padding behind a row is no pixel. Of weights and of constants it says
// nothing.
#ifndef TOUCHED_H
#define TOUCHED_H

#include <stdbool.h>

#include "filter/block_info.h"
#include "lens/result.h"

// Fills one for each pass. False: the result is not of one block of a filter.
bool touched_find(struct block_info_touched *touched, const struct lens_result *r);

#endif

// touched.h -- what a traced block touches of the picture, for the block panel (block_info.h): the
// pixels that it reads and writes, how often, its threads that write none, and who writes what.
//
// Words of scratch count as the pixels that they belong to. A pixel of packed bytes counts once all
// its bytes are read. Padding behind a row is no pixel. Of weights and of constants it says
// nothing.
#ifndef TOUCHED_H
#define TOUCHED_H

#include <stdbool.h>

#include "filter/block_info.h"
#include "lens/lens_result.h"

// Fills one for each pass. False: the result is not of one block of a filter.
bool touched_find(struct block_info_touched *touched, const struct lens_result *r);

// Who stores a pixel of the first plane, or an element of an array of a lab, in the last pass of a
// result of one block.
struct block_info_writer touched_pixel_writer(const struct lens_result *r, int x, int y);
struct block_info_writer touched_element_writer(const struct lens_result *r, const char *array,
                                                long long index);

#endif

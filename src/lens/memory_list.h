// memory_list.h -- the pieces of global memory that a launch works on, and which of them its passes
// read and write.
//
// Pure.
#ifndef MEMORY_LIST_H
#define MEMORY_LIST_H

#include <stdbool.h>

#include "frame/frame.h"
#include "lens/lens_result.h"

// Fills the result's memory. The frame must be planned and prepared.
void memory_list_fill(struct lens_result *r, const struct frame *frame,
                      const struct frame_memory *memory);

// Whether no pass writes it: the source and the weights of a filter.
bool memory_list_is_given(const struct lens_memory *m);

// Of one block: whether nothing that a pass reads is written by it or by a later one, so that a
// block of it may run again.
bool memory_list_is_written_once(const struct lens_result *r);

#endif

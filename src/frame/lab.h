// lab.h -- what lab.h in kernels/ does with arrays that are no pictures: it fills and paints them.
//
// frame.c calls all of this; nobody else has to, except to look at an element.
#ifndef LAB_FRAME_H
#define LAB_FRAME_H

#include "frame/frame.h"

// Names of lab.h's own kernels, which follow the file's entries in the module.
enum lab_kernel { LAB_FILL, LAB_PAINT, LAB_KERNELS };
extern const char *const lab_kernels[LAB_KERNELS];

// The picture of an array: rows are rows. Vectors are wrapped at 4096, and rows that are short and
// many stand side by side, in the order of memory. Of sides above 4096 only one
// element in *step is shown, across and down.
struct planes lab_picture(const struct array *a, const struct array_place *place, int *columns,
                          int *step);

bool lab_fill(const struct frame *frame, const struct frame_memory *memory, int array,
              struct error *err);
// Reads an element of the frame's shown array, and waits.
bool lab_read_element(const struct frame *frame, const struct frame_memory *memory, long long index,
                      double *value, struct error *err);
// Paints the frame's shown array into the target.
bool lab_paint(const struct frame *frame, const struct frame_memory *memory, struct error *err);

#endif

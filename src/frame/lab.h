// lab.h -- what a frame of a lab does instead of a filter's: it works on arrays, not on a picture.
//
//     fill ──▶ in ──prepare──▶ scratch ──run──▶ out ──finish──▶ out ──paint──▶ picture
//                                   what is timed                      what is shown
//
// `fill` and `prepare` happen once for all frames of the same params and memory. frame.c calls all
// of this; nobody else has to, except to look at an element.
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

// Where an array lies.
void *lab_array(const struct frame *frame, const struct frame_memory *memory, int array);

bool lab_fill(const struct frame *frame, const struct frame_memory *memory, struct error *err);
bool lab_prepare(const struct frame *frame, const struct frame_memory *memory, struct error *err);
// The bytes behind an array that belong to none, of which there may be 0 to 511: where they begin,
// from the beginning of all arrays, and where they end.
size_t lab_behind(const struct frame *frame, int array, size_t *end);
// The out arrays, and what lies behind each array.
bool lab_poison(const struct frame *frame, const struct frame_memory *memory, struct error *err);
bool lab_run_pass(const struct frame *frame, const struct frame_memory *memory, int pass,
                  const struct trace *trace, struct error *err);

// Reads an element of the frame's shown array, and waits.
bool lab_read_element(const struct frame *frame, const struct frame_memory *memory, long long index,
                      double *value, struct error *err);

// Paints the frame's array into the target, if there is one.
bool lab_finish(const struct frame *frame, const struct frame_memory *memory, struct error *err);

#endif

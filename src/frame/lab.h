// lab.h -- what lab.h in kernels/ does with arrays that are no pictures: it fills and paints them.
//
// frame.c calls all of this; nobody else has to.
#ifndef LAB_FRAME_H
#define LAB_FRAME_H

#include "frame/frame.h"

// Names of lab.h's own kernels, which follow the file's entries in the module.
enum lab_kernel { LAB_FILL, LAB_PAINT, LAB_KERNELS };
extern const char *const lab_kernels[LAB_KERNELS];

// Their argument, which kernels/lab.h has under the same fields.
struct lab_task {
    void *array;
    long long count;
    int type, fill;
    int low, high;
    unsigned int seed;
    int columns, step;
    unsigned char *pixels;
    int width, height, pitch;
};

bool lab_fill(const struct frame *frame, const struct frame_memory *memory, int array,
              struct error *err);
// Paints the frame's shown array into the target.
bool lab_paint(const struct frame *frame, const struct frame_memory *memory, struct error *err);

#endif

// sheet_picture.h -- pictures brought to the size of a sheet's cells; for sheet*.c only.
#ifndef SHEET_PICTURE_H
#define SHEET_PICTURE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "draw/paint.h"

// The size at which a whole picture fits into a box: smaller by any factor, larger only by whole
// ones, so that its pixels stay square and sharp. At least 1x1.
void sheet_fit(struct planes picture, int box_width, int box_height, int *width, int *height);

// Smaller: plain averages of the areas, in the file's values as the filters do it, or (is_max) the
// largest value of each area. Larger: the nearest pixel. `to` has the wanted shape and the same
// planes.
void sheet_scale(struct planes to, struct planes from, bool is_max);

// The picture as cairo draws it; the caller destroys it.
cairo_surface_t *sheet_surface(struct planes picture);

#endif

// tour_drawing.h -- the drawings of a hand-out, as the bytes of PNG files, dark on white. The
// caller owns the bytes.
#ifndef TOUR_DRAWING_H
#define TOUR_DRAWING_H

#include <glib.h>

#include "base/planes.h"
#include "draw/bars.h"
#include "draw/lens_view.h"
#include "draw/plot.h"

enum { TOUR_DRAWING_WIDTH = 760 };  // CSS pixels

GByteArray *tour_drawing_bars(const struct bars *bars);
GByteArray *tour_drawing_plot(const struct plot *plot);
GByteArray *tour_drawing_lens(const struct lens_view *view);

// Shrinks what is too wide or too high for a page. *width: that it wants there.
GByteArray *tour_drawing_picture(struct planes picture, double *width);

#endif

// legend.h -- the scale of an array's picture: a bar of its colours between its two end values.
//
//     -328 ▇▇▇▇▇│▇▇▇▇▇ 328        a tick stands at 0 where that is inside
//     in, sector 12: 4 requests   a note may stand below
#pragma once

#include "base/color_map.h"
#include "draw/paint.h"
#include "filter/choice.h"

struct legend {
    enum color_map map;
    char side[2];            // "A" of two that stand side by side; empty: it is the only one
    char low[26], high[48];  // empty: there is none
    double zero;             // where a line marks 0, as a part of the bar; negative: nowhere
    char note[80];           // below the bar, on a panel; may be empty
};

// For the array that a choice of a lab shows; {0} if its range cannot be computed. scale NULL: the
// array's own.
struct legend legend_of(const struct choice *choice, int array, const struct array_scale *scale);
// For an amplified difference of two such pictures: white is a difference of that many values.
struct legend legend_of_difference(double values);

// From x to the right, about the middle y; about one and a half times as high as the text.
void legend_draw(const struct paint *paint, const struct legend *legend, double size, double x,
                 double y);

// Places the legend on a panel of its own in a corner of the clear area. Returns its box, empty if
// there is no room. *size is that of its text, which is smaller where there is little room.
enum legend_corner {
    LEGEND_LOWER_LEFT,
    LEGEND_LOWER_RIGHT,
    LEGEND_UPPER_LEFT,
    LEGEND_UPPER_RIGHT,
    LEGEND_CORNERS
};
struct paint_box legend_place(const struct paint *paint, const struct legend *legend,
                              struct paint_box clear, enum legend_corner corner, double *size);
void legend_draw_panel(const struct paint *paint, const struct legend *legend, double size,
                       struct paint_box box);

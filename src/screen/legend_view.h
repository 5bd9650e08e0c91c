// legend_view.h -- the legend of an array's picture, on a panel of its own in a corner of the
// picture. It becomes smaller where the text scale leaves no room for it.
#ifndef LEGEND_VIEW_H
#define LEGEND_VIEW_H

#include "draw/legend.h"

enum { LEGEND_VIEW_CORNERS = 4 };  // lower left, lower right, upper left, upper right

// The place in a corner of the free area, and the size of the text there; empty: there is no room.
struct paint_box legend_view_place(const struct paint *paint, const struct legend *legend,
                                   struct paint_box clear, int corner, double *size);
void legend_view_draw(const struct paint *paint, const struct legend *legend, double size,
                      struct paint_box box);

#endif

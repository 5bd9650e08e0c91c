// pointer_view.h -- what draws the eye to a place: a bright frame about a box, or a ring about a
// point, each between dark lines, so that it is seen on any picture.
#pragma once

#include "draw/paint.h"
#include "screen/overlay.h"

// The box that it covers, about the box of what is pointed to.
struct paint_box pointer_view_place(const struct overlay_pointer *p, const struct paint *paint,
                                    struct paint_box about);
void pointer_view_draw(const struct overlay_pointer *p, const struct paint *paint,
                       struct paint_box box);

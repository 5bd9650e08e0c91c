#include "screen/pointer_view.h"

#include <math.h>

static const double ring_radius = 2.6, frame_air = 0.1;  // base sizes of text scale 1

// Of the bright line; the dark ones have half of it.
static double thickness(const struct paint *paint)
{
    return fmax(2, 2 * round(paint->plain / 9));
}

struct paint_box pointer_view_place(const struct overlay_pointer *p, const struct paint *paint,
                                    struct paint_box about)
{
    const bool is_ring = p->kind == OVERLAY_POINTED_SPOT;
    const double air = (is_ring ? ring_radius : frame_air) * paint->plain;
    return paint_inset(about, -ceil(air + 2 * thickness(paint)));
}

void pointer_view_draw(const struct overlay_pointer *p, const struct paint *paint,
                       struct paint_box box)
{
    static const struct paint_color dark = PAINT_RGB(0x000000), bright = PAINT_RGB(0xffe000);
    const double thick = thickness(paint), half = thick / 2;
    const bool is_ring = p->kind == OVERLAY_POINTED_SPOT;
    const double rounding = is_ring ? box.width / 2 : 0.4 * paint->plain;
    paint_stroke_box(paint, box, rounding, half, dark);
    paint_stroke_box(paint, paint_inset(box, half), fmax(0, rounding - half), thick, bright);
    paint_stroke_box(paint, paint_inset(box, half + thick), fmax(0, rounding - half - thick), half,
                     dark);
}

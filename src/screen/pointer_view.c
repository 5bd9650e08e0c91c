#include "screen/overlay_parts.h"

#include <math.h>

// By what is pointed to, in base sizes of text scale 1: the air about it, and half of the bright
// line, which is as much as each dark one has. About a line of code there is little room.
static const struct {
    double air, half;
} looks[] = {
    [OVERLAY_POINTED_NONE] = {0, 0},      [OVERLAY_POINTED_PANEL] = {0.1, 0.11},
    [OVERLAY_POINTED_DOCK] = {0.1, 0.11}, [OVERLAY_POINTED_LINE] = {0, 0.055},
    [OVERLAY_POINTED_SPOT] = {2.6, 0.11},
};

static double half_line(const struct overlay_pointer *p, const struct paint *paint)
{
    return fmax(1, round(looks[p->kind].half * paint->plain));
}

struct paint_box pointer_view_place(const struct overlay_pointer *p, const struct paint *paint,
                                    struct paint_box about)
{
    return paint_inset(about, -ceil(looks[p->kind].air * paint->plain + 4 * half_line(p, paint)));
}

void pointer_view_draw(const struct overlay_pointer *p, const struct paint *paint,
                       struct paint_box box)
{
    static const struct paint_color dark = PAINT_RGB(0x000000), bright = PAINT_RGB(0xffe000);
    const double half = half_line(p, paint), thick = 2 * half;
    const bool is_ring = p->kind == OVERLAY_POINTED_SPOT;
    const double rounding = is_ring ? box.width / 2 : 4 * half;  // square inside
    paint_stroke_box(paint, box, rounding, half, dark);
    paint_stroke_box(paint, paint_inset(box, half), fmax(0, rounding - half), thick, bright);
    paint_stroke_box(paint, paint_inset(box, half + thick), fmax(0, rounding - half - thick), half,
                     dark);
}

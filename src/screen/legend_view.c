#include "screen/legend_view.h"

#include <math.h>

static const double text = 0.85, smallest = 0.6;  // in base sizes, and those of text scale 1
static const double pad = 0.6, height = 1.7;      // in sizes of the text
static const double most = 0.45;                  // of the area's width

// Widths grow with the size of the text.
static double find_size(const struct paint *paint, const struct legend *legend,
                        struct paint_box clear)
{
    const double wanted = text * paint->base;
    const double width = legend_width(paint, legend, wanted) + 2 * pad * wanted;
    const double room = fmin(most * clear.width / width, 0.25 * clear.height / (height * wanted));
    return floor(2 * wanted * fmin(1, room)) / 2;
}

struct paint_box legend_view_place(const struct paint *paint, const struct legend *legend,
                                   struct paint_box clear, int corner, double *size)
{
    const double margin = ceil(0.5 * paint->plain);
    *size = find_size(paint, legend, clear);
    if (*size < smallest * paint->plain * text) return (struct paint_box){0};
    struct paint_box box = {clear.left + margin, clear.top + margin,
                            ceil(legend_width(paint, legend, *size) + 2 * pad * *size),
                            ceil(height * *size)};
    if (corner % 2) box.left = clear.left + clear.width - margin - box.width;
    if (corner < 2) box.top = clear.top + clear.height - margin - box.height;
    return box;
}

void legend_view_draw(const struct paint *paint, const struct legend *legend, double size,
                      struct paint_box box)
{
    paint_fill_box(paint, box, 0.3 * size, paint->theme->panel);
    legend_draw(paint, legend, size, box.left + pad * size, box.top + box.height / 2);
}

#include "draw/legend.h"

#include <glib.h>
#include <math.h>

#include "base/number.h"

// In sizes of the text.
static const double bar_width = 7, bar_height = 0.9, gap = 0.45;
static const double panel_pad = 0.6, panel_height = 1.7, note_height = 1.35;

static const double panel_text = 0.85, smallest = 0.6;  // in base sizes, and those of text scale 1
static const double widest_panel = 0.45;                // of the area's width
// A legend of large text keeps at least this size, for which it may take more of the width.
static const double least_large = 1.3, widest_large = 0.94;

static void write_value(char *text, size_t size, long long value)
{
    g_snprintf(text, size, "%s%lld", value < 0 ? "−" : "", value < 0 ? -value : value);
}

struct legend legend_of(const struct choice *c, int array, const struct array_scale *scale)
{
    const int shown = arrays_shown(c, array);
    struct arrays_layout layout;
    if (filter_has_picture(c->filter)) return (struct legend){0};
    if (!scale && !arrays_plan(&layout, c, (struct planes){0}, NULL)) return (struct legend){0};
    const struct array_scale ends =
        scale ? *scale : (struct array_scale){layout.places[shown].low, layout.places[shown].high};
    struct legend legend = {.map = c->filter->arrays[shown].map, .zero = -1};
    const double low = (double)ends.low, high = (double)ends.high;
    write_value(legend.low, sizeof legend.low, ends.low);
    write_value(legend.high, sizeof legend.high, ends.high);
    if (low < 0 && high > 0) legend.zero = -low / (high - low);
    return legend;
}

struct legend legend_of_difference(double values)
{
    struct legend legend = {.map = COLOR_MAP_GREY, .low = "0", .zero = -1};
    g_strlcpy(legend.high, number_three(values).text, sizeof legend.high);
    return legend;
}

static double side_width(const struct paint *paint, const struct legend *l, double size)
{
    return *l->side ? paint_measure(paint, l->side, size, PAINT_BOLD) + 2 * gap * size : 0;
}

void legend_draw(const struct paint *paint, const struct legend *l, double size, double x, double y)
{
    const struct paint_color color = paint->theme->text;
    if (*l->side) paint_write(paint, l->side, size, PAINT_BOLD, x, y, PAINT_LEFT, color);
    x += side_width(paint, l, size);
    const double low = paint_write(paint, l->low, size, PAINT_NORMAL, x, y, PAINT_LEFT, color);
    const struct paint_box bar = {floor(x + low + gap * size), floor(y - bar_height * size / 2),
                                  floor(bar_width * size), ceil(bar_height * size)};
    const double zero = round(bar.left + l->zero * bar.width);
    const struct color_map_table table = color_map_table(l->map);
    cairo_pattern_t *colors = cairo_pattern_create_linear(bar.left, 0, bar.left + bar.width, 0);
    for (int i = 0; i < COLOR_MAP_STEPS; i += 15) {
        const unsigned char *c = table.colors[i];
        cairo_pattern_add_color_stop_rgb(colors, (double)i / (COLOR_MAP_STEPS - 1), c[0] / 255.0,
                                         c[1] / 255.0, c[2] / 255.0);
    }
    cairo_rectangle(paint->cairo, bar.left, bar.top, bar.width, bar.height);
    cairo_set_source(paint->cairo, colors);
    cairo_fill(paint->cairo);
    cairo_pattern_destroy(colors);
    paint_stroke_box(paint, bar, 0, 1, paint->theme->grey);
    if (l->zero >= 0)
        paint_line(paint, zero, bar.top + bar.height - 0.3 * size, zero,
                   bar.top + bar.height + 0.15 * size, fmax(1, size / 12), color);
    paint_write(paint, l->high, size, PAINT_NORMAL, bar.left + bar.width + gap * size, y,
                PAINT_LEFT, color);
}

// ---- on a panel ----

static double find_height(const struct legend *l)
{
    return panel_height + (*l->note ? note_height : 0);
}

static double find_width(const struct paint *paint, const struct legend *l, double size)
{
    const double note = ceil(paint_measure(paint, l->note, size, PAINT_NORMAL));
    const double scale =
        ceil(side_width(paint, l, size) + paint_measure(paint, l->low, size, PAINT_NORMAL) +
             paint_measure(paint, l->high, size, PAINT_NORMAL) + (bar_width + 2 * gap) * size);
    return fmax(scale, note) + 2 * panel_pad * size;
}

struct paint_box legend_place(const struct paint *paint, const struct legend *l,
                              struct paint_box clear, enum legend_corner corner, double *size)
{
    const double margin = ceil(0.5 * paint->plain), wanted = panel_text * paint->base;
    const double width = find_width(paint, l, wanted);
    const double least = paint->base > paint->plain ? least_large * panel_text * paint->plain : 0;
    const double across = fmax(widest_panel * clear.width / width,
                               fmin(least / wanted, widest_large * clear.width / width));
    const double room = fmin(across, 0.25 * clear.height / (find_height(l) * wanted));
    *size = floor(2 * wanted * fmin(1, room)) / 2;
    if (*size < smallest * paint->plain * panel_text) return (struct paint_box){0};
    struct paint_box box = {clear.left + margin, clear.top + margin,
                            ceil(find_width(paint, l, *size)), ceil(find_height(l) * *size)};
    if (corner == LEGEND_LOWER_RIGHT || corner == LEGEND_UPPER_RIGHT)
        box.left = clear.left + clear.width - margin - box.width;
    if (corner == LEGEND_LOWER_LEFT || corner == LEGEND_LOWER_RIGHT)
        box.top = clear.top + clear.height - margin - box.height;
    return box;
}

void legend_draw_panel(const struct paint *paint, const struct legend *l, double size,
                       struct paint_box box)
{
    paint_fill_box(paint, box, 0.3 * size, paint->theme->panel);
    const double left = box.left + panel_pad * size;
    legend_draw(paint, l, size, left, box.top + panel_height * size / 2);
    paint_write(paint, l->note, size, PAINT_NORMAL, left,
                box.top + (panel_height + note_height / 2 - 0.25) * size, PAINT_LEFT,
                paint->theme->text);
}

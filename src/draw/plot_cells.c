#include "draw/plot_cells.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

// ---- colours ----

// Fast is dark on paper and bright on a screen: it always stands out from the background. One hue,
// so that the order reads without colour.
static const struct paint_color light_scale[] = {{0.945, 0.949, 0.941, 1},
                                                 {0.62, 0.776, 0.878, 1},
                                                 {0.192, 0.510, 0.741, 1},
                                                 {0.03, 0.23, 0.45, 1}};
static const struct paint_color dark_scale[] = {
    {0.11, 0.15, 0.20, 1}, {0.10, 0.33, 0.49, 1}, {0.28, 0.60, 0.80, 1}, {0.80, 0.93, 1.0, 1}};

static const struct paint_color best_on_light = {0.83, 0.30, 0.0, 1};
static const struct paint_color best_on_dark = {1.0, 0.62, 0.25, 1};

static struct paint_color blend(struct paint_color a, struct paint_color b, double t)
{
    return (struct paint_color){a.red + (b.red - a.red) * t, a.green + (b.green - a.green) * t,
                                a.blue + (b.blue - a.blue) * t, 1};
}

// 0: the slowest, 1: the fastest.
struct paint_color plot_cells_color(const struct plot_pen *pen, double speed)
{
    const struct paint_color *scale = pen->paint->theme->is_light ? light_scale : dark_scale;
    const double at = CLAMP(speed, 0, 1) * (G_N_ELEMENTS(light_scale) - 1);
    const int below = MIN((int)at, (int)G_N_ELEMENTS(light_scale) - 2);
    return blend(scale[below], scale[below + 1], at - below);
}

bool plot_cells_is_wrong(const struct plot_heat *h, int cell)
{
    return h->wrong && h->wrong[cell];
}

static bool is_pending(const struct plot_heat *h, int cell)
{
    return h->pending && h->pending[cell];
}

static bool is_settled(const struct plot_heat *h, int cell)
{
    return h->cells[cell] > 0 && !is_pending(h, cell) && !plot_cells_is_wrong(h, cell);
}

// Whether it may yet turn out to be at least as fast as ms.
static bool is_rival(const struct plot_heat *h, int cell, double ms)
{
    return is_pending(h, cell) && !plot_cells_is_wrong(h, cell) && h->cells[cell] <= ms;
}

struct plot_scale plot_cells_scale(const struct plot_heat *heats, int count)
{
    struct plot_scale s = {INFINITY, -INFINITY};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < heats[i].columns * heats[i].rows; k++) {
            if (!is_settled(&heats[i], k)) continue;
            s.low = fmin(s.low, log(heats[i].cells[k]));
            s.high = fmax(s.high, log(heats[i].cells[k]));
        }
    return s;
}

static double speed_of(const struct plot_scale *s, double ms)
{
    return s->high > s->low ? (s->high - log(ms)) / (s->high - s->low) : 1;
}

// Text on a fill: black or white, whichever is farther from its luma.
static struct paint_color ink_on(struct paint_color fill)
{
    const double luma = 0.299 * fill.red + 0.587 * fill.green + 0.114 * fill.blue;
    const double ink = luma > 0.52 ? 0.05 : 1;
    return (struct paint_color){ink, ink, ink, 1};
}

int plot_best_cell(const struct plot_heat *h)
{
    int best = -1;
    for (int i = 0; i < h->columns * h->rows; i++)
        if (is_settled(h, i) && (best < 0 || h->cells[i] < h->cells[best])) best = i;
    for (int i = 0; i < h->columns * h->rows && best >= 0; i++)
        if (is_rival(h, i, h->cells[best])) best = -1;
    return best;
}

bool plot_cells_is_best(const struct plot_heat *h, int best, int cell)
{
    return best >= 0 && (cell == best || (h->alike && h->alike[cell] && is_settled(h, cell)));
}

void plot_write_best(const struct plot_heat *h, int best, char *text, size_t size)
{
    char ms[32];
    int others = 0;
    for (int i = 0; i < h->columns * h->rows; i++)
        others += i != best && plot_cells_is_best(h, best, i);
    number_three(ms, sizeof ms, h->cells[best]);
    g_snprintf(text, size, "%s %s ms at %d×%d", others ? "lowest" : "best", ms,
               h->widths[best % h->columns], h->heights[best / h->columns]);
    if (others) text_append(text, size, ", %d not clearly slower", others);
}

// ---- figures ----

static const double figure_part = 0.92;  // of a cell's width, at most

void plot_cells_write_figure(char *text, size_t size, double ms, bool is_short)
{
    number_three(text, size, ms);
    if (!is_short || ms >= 99.5 || ms < 1e-3) return;
    g_snprintf(text, size, ms < 9.95 ? "%#.2g" : "%.2g", ms);
    if (g_str_has_prefix(text, "0.")) memmove(text, text + 1, strlen(text));
}

// The width of the longest figure, in ems: all digits have one width.
static double widest_figure(const struct plot_pen *pen, const struct plot_heat *h, bool is_short)
{
    char longest[32], text[32];
    g_strlcpy(longest, is_short ? "0.0" : "0.00", sizeof longest);
    for (int i = 0; i < h->columns * h->rows; i++) {
        if (h->cells[i] <= 0) continue;
        plot_cells_write_figure(text, sizeof text, h->cells[i], is_short);
        if (strlen(text) > strlen(longest)) g_strlcpy(longest, text, sizeof longest);
    }
    return paint_measure(pen->paint, longest, pen->em, PAINT_NORMAL) / pen->em;
}

static double figure_size(const struct plot_pen *pen, const struct plot_heat *h,
                          struct paint_box cell, bool is_short)
{
    const double across = figure_part * cell.width / widest_figure(pen, h, is_short);
    const double size = fmin(pen->em, fmin(across, cell.height / 1.5));
    return size < 0.45 * pen->em ? 0 : size;
}

// Two digits that can be read are better than three that cannot.
struct plot_cells_figures plot_cells_choose_figures(const struct plot_pen *pen,
                                                    const struct plot_heat *h,
                                                    struct paint_box cell)
{
    const struct plot_cells_figures three = {figure_size(pen, h, cell, false), false};
    const struct plot_cells_figures two = {figure_size(pen, h, cell, true), true};
    return three.size < 0.8 * pen->em && two.size > three.size ? two : three;
}

// The best is bold if that fits too.
static enum paint_weight figure_weight(const struct plot_pen *pen, const struct plot_heat *h,
                                       int cell, const char *text, double size, double room)
{
    const bool is_bold = plot_cells_is_best(h, plot_best_cell(h), cell) &&
                         paint_measure(pen->paint, text, size, PAINT_BOLD) <= figure_part * room;
    return is_bold ? PAINT_BOLD : PAINT_NORMAL;
}

// ---- drawing ----

void plot_cells_draw_hatching(const struct plot_pen *pen, struct paint_box b)
{
    struct paint_color color = pen->paint->theme->grey;
    color.alpha = 0.55;
    paint_hatch_box(pen->paint, b, 0.5 * pen->em, color);
}

void plot_cells_draw_cross(const struct plot_pen *pen, struct paint_box b)
{
    const struct paint_color color = pen->paint->theme->grey;
    const double thickness = 0.07 * pen->em;
    paint_line(pen->paint, b.left, b.top, b.left + b.width, b.top + b.height, thickness, color);
    paint_line(pen->paint, b.left, b.top + b.height, b.left + b.width, b.top, thickness, color);
}

// The cross leaves out a box in the middle, so that the figure there can be read.
static void draw_crossed_around(const struct plot_pen *pen, struct paint_box b, double width,
                                double height)
{
    cairo_t *cairo = pen->paint->cairo;
    cairo_save(cairo);
    cairo_new_path(cairo);
    cairo_rectangle(cairo, b.left, b.top, b.width, b.height);
    cairo_rectangle(cairo, b.left + (b.width - width) / 2, b.top + (b.height - height) / 2, width,
                    height);
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_clip(cairo);
    plot_cells_draw_cross(pen, b);
    cairo_restore(cairo);
}

// Fills the cell and returns the colour of its figure.
static struct paint_color draw_fill(const struct plot_pen *pen, const struct plot_scale *scale,
                                    const struct plot_heat *h, int cell, struct paint_box b)
{
    const struct paint_theme *t = pen->paint->theme;
    if (!is_settled(h, cell))
        return is_pending(h, cell) || !plot_cells_is_wrong(h, cell) ? t->grey : t->text;
    const struct paint_color fill = plot_cells_color(pen, speed_of(scale, h->cells[cell]));
    paint_fill_box(pen->paint, b, 0, fill);
    return ink_on(fill);
}

// A wrong cell's figure is smaller, which leaves room for its cross.
void plot_cells_draw(const struct plot_pen *pen, const struct plot_scale *scale,
                     const struct plot_heat *h, int cell, struct paint_box b,
                     struct plot_cells_figures figures)
{
    const double size = (plot_cells_is_wrong(h, cell) ? 0.8 : 1) * figures.size,
                 ms = h->cells[cell];
    char text[32] = "–";
    if (ms < 0) {
        plot_cells_draw_hatching(pen, b);
        return;
    }
    const struct paint_color ink = draw_fill(pen, scale, h, cell, b);
    if (ms > 0) plot_cells_write_figure(text, sizeof text, ms, figures.is_short);
    const enum paint_weight weight = figure_weight(pen, h, cell, text, size, b.width);
    if (plot_cells_is_wrong(h, cell)) {
        const double width = paint_measure(pen->paint, text, size, weight);
        draw_crossed_around(pen, b, size > 0 ? width + 0.3 * size : 0, 1.2 * size);
    }
    if (size > 0)
        paint_write(pen->paint, text, size, weight, b.left + b.width / 2, b.top + b.height / 2,
                    PAINT_CENTER, ink);
}

void plot_cells_draw_best(const struct plot_pen *pen, struct paint_box b)
{
    const double thickness = 0.2 * pen->em;
    paint_stroke_box(pen->paint, paint_inset(b, -thickness / 2), 2, thickness,
                     pen->paint->theme->is_light ? best_on_light : best_on_dark);
}

void plot_cells_draw_present(const struct plot_pen *pen, struct paint_box b)
{
    const struct paint_theme *theme = pen->paint->theme;
    const double thin = fmin(0.09 * pen->em, 0.06 * b.height),
                 ear = fmin(0.62 * pen->em, 0.28 * b.height);
    const struct paint_box inside = paint_inset(b, thin);
    paint_stroke_box(pen->paint, b, 0, 2.4 * thin, theme->ink);
    paint_stroke_box(pen->paint, inside, 0, 1.4 * thin, theme->text);
    cairo_new_path(pen->paint->cairo);
    cairo_move_to(pen->paint->cairo, inside.left, inside.top);
    cairo_rel_line_to(pen->paint->cairo, ear, 0);
    cairo_rel_line_to(pen->paint->cairo, -ear, ear);
    cairo_close_path(pen->paint->cairo);
    paint_set_color(pen->paint, theme->text);
    cairo_fill(pen->paint->cairo);
}

// plot_heat.c -- heat maps: their cells, axes and key.
//
//     │ 0.9 │ 0.7 │ a colour by the time, and the time as a figure, which stays in its cell
//     │ ▒▒▒ │  –  │ refused, and not known
//     │  ╳  │ [ ] │ wrong, and the best
#include "draw/plot_parts.h"

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

// 0: the slowest, 1: the fastest.
static struct paint_color color_of(const struct paint *paint, double speed)
{
    const struct paint_color *scale = paint->theme->is_light ? light_scale : dark_scale;
    const double at = CLAMP(speed, 0, 1) * (G_N_ELEMENTS(light_scale) - 1);
    const int below = MIN((int)at, (int)G_N_ELEMENTS(light_scale) - 2);
    const struct paint_color a = scale[below], b = scale[below + 1];
    const double part = at - below;
    return (struct paint_color){a.red + (b.red - a.red) * part,
                                a.green + (b.green - a.green) * part,
                                a.blue + (b.blue - a.blue) * part, 1};
}

static bool is_settled(const struct plot_cell *cell)
{
    return cell->ms > 0 && !cell->is_pending && !cell->is_wrong;
}

// The times of all maps of a plot, as logarithms; low above high: there are none.
struct scale {
    double low, high;
};

int plot_best_cell(const struct plot_heat *h)
{
    int best = -1;
    if (h->is_unranked) return best;
    for (int i = 0; i < h->columns * h->rows; i++)
        if (is_settled(&h->cells[i]) && (best < 0 || h->cells[i].ms < h->cells[best].ms)) best = i;
    for (int i = 0; i < h->columns * h->rows && best >= 0; i++) {
        const struct plot_cell *cell = &h->cells[i];
        if (cell->is_pending && !cell->is_wrong && cell->ms <= h->cells[best].ms) best = -1;
    }
    return best;
}

// best: plot_best_cell(), which may be -1. Cells that are alike are the best, too.
static bool is_best(const struct plot_heat *h, int best, int cell)
{
    const struct plot_cell *c = &h->cells[cell];
    return best >= 0 && (cell == best || (c->is_alike && is_settled(c)));
}

void plot_write_best(const struct plot_heat *h, int best, char *text, size_t size)
{
    int others = 0;
    for (int i = 0; i < h->columns * h->rows; i++) others += i != best && is_best(h, best, i);
    g_snprintf(text, size, "%s %s ms at %d×%d", others ? "lowest" : "best",
               number_three(h->cells[best].ms).text, h->widths[best % h->columns],
               h->heights[best / h->columns]);
    if (others) text_append(text, size, ", %d more not clearly slower", others);
}

// ---- figures ----

static const double figure_part = 0.92;  // of a cell's width, at most

void plot_write_figure(char *text, size_t size, double ms, bool is_short)
{
    g_strlcpy(text, number_three(ms).text, size);
    if (!is_short || ms >= 99.5 || ms < 1e-3) return;
    g_snprintf(text, size, ms < 9.95 ? "%#.2g" : "%.2g", ms);
    if (g_str_has_prefix(text, "0.")) memmove(text, text + 1, strlen(text));
}

// All digits have one width: the longest figure is the widest.
static double figure_size(const struct paint *paint, const struct plot_heat *h,
                          struct paint_box cell, bool is_short)
{
    char longest[32], text[32];
    g_strlcpy(longest, is_short ? "0.0" : "0.00", sizeof longest);
    for (int i = 0; i < h->columns * h->rows; i++) {
        if (h->cells[i].ms <= 0) continue;
        plot_write_figure(text, sizeof text, h->cells[i].ms, is_short);
        if (strlen(text) > strlen(longest)) g_strlcpy(longest, text, sizeof longest);
    }
    const double widest = paint_measure(paint, longest, paint->base, PAINT_NORMAL) / paint->base;
    const double across = figure_part * cell.width / widest;
    const double size = fmin(paint->base, fmin(across, cell.height / 1.2));
    return size < 0.45 * paint->base ? 0 : size;
}

// Two digits that can be read are better than three that cannot.
struct plot_figures plot_choose_figures(const struct paint *paint, const struct plot_heat *h,
                                        struct paint_box cell)
{
    const struct plot_figures three = {figure_size(paint, h, cell, false), false};
    const struct plot_figures two = {figure_size(paint, h, cell, true), true};
    return three.size < 0.6 * paint->base && two.size > three.size ? two : three;
}

// ---- drawing ----

static void draw_hatching(const struct paint *paint, struct paint_box b)
{
    paint_hatch_box(paint, b, 0.5 * paint->base, paint_fade(paint->theme->grey, 0.55));
}

static void draw_cross(const struct paint *paint, struct paint_box b)
{
    const struct paint_color color = paint->theme->grey;
    const double thickness = 0.07 * paint->base;
    paint_line(paint, b.left, b.top, b.left + b.width, b.top + b.height, thickness, color);
    paint_line(paint, b.left, b.top + b.height, b.left + b.width, b.top, thickness, color);
}

// A wrong cell's figure is smaller, which leaves room for its cross. The best one's is bold, if
// that fits, too.
static void draw_cell(const struct paint *paint, const struct scale *scale,
                      const struct plot_heat *h, int cell, struct paint_box b,
                      struct plot_figures figures)
{
    const struct plot_cell *const c = &h->cells[cell];
    const double size = (c->is_wrong ? 0.8 : 1) * figures.size, ms = c->ms;
    char text[32] = "–";
    if (ms < 0) {
        draw_hatching(paint, b);
        return;
    }
    const struct paint_theme *t = paint->theme;
    struct paint_color ink = c->is_pending || !c->is_wrong ? t->grey : t->text;
    if (is_settled(c)) {  // black or white on a fill, whichever is farther from its luma
        const double range = scale->high - scale->low;
        const struct paint_color fill =
            color_of(paint, range > 0 ? (scale->high - log(ms)) / range : 1);
        const double luma = 0.299 * fill.red + 0.587 * fill.green + 0.114 * fill.blue;
        const double shade = luma > 0.52 ? 0.05 : 1;
        paint_fill_box(paint, b, 0, fill);
        ink = (struct paint_color){shade, shade, shade, 1};
    }
    if (ms > 0) plot_write_figure(text, sizeof text, ms, figures.is_short);
    const bool is_bold = is_best(h, plot_best_cell(h), cell) &&
                         paint_measure(paint, text, size, PAINT_BOLD) <= figure_part * b.width;
    const enum paint_weight weight = is_bold ? PAINT_BOLD : PAINT_NORMAL;
    if (c->is_wrong) {
        // The cross leaves out a box in the middle, so that the figure there can be read.
        const double width = paint_measure(paint, text, size, weight);
        const double across = size > 0 ? width + 0.3 * size : 0, down = 1.2 * size;
        cairo_t *cairo = paint->cairo;
        cairo_save(cairo);
        cairo_new_path(cairo);
        cairo_rectangle(cairo, b.left, b.top, b.width, b.height);
        cairo_rectangle(cairo, b.left + (b.width - across) / 2, b.top + (b.height - down) / 2,
                        across, down);
        cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD);
        cairo_clip(cairo);
        draw_cross(paint, b);
        cairo_restore(cairo);
    }
    if (size > 0)
        paint_write(paint, text, size, weight, b.left + b.width / 2, b.top + b.height / 2,
                    PAINT_CENTER, ink);
}

static void draw_best(const struct paint *paint, struct paint_box b)
{
    const double thickness = 0.2 * paint->base;
    paint_stroke_box(paint, paint_inset(b, -thickness / 2), 2, thickness,
                     paint->theme->is_light ? best_on_light : best_on_dark);
}

// The present choice: an outline and a dog-ear, light within dark to be seen over any fill.
static void draw_present(const struct paint *paint, struct paint_box b)
{
    const struct paint_theme *theme = paint->theme;
    const double thin = fmin(0.09 * paint->base, 0.06 * b.height),
                 ear = fmin(0.62 * paint->base, 0.28 * b.height);
    const struct paint_box inside = paint_inset(b, thin);
    paint_stroke_box(paint, b, 0, 2.4 * thin, theme->ink);
    paint_stroke_box(paint, inside, 0, 1.4 * thin, theme->text);
    cairo_new_path(paint->cairo);
    cairo_move_to(paint->cairo, inside.left, inside.top);
    cairo_rel_line_to(paint->cairo, ear, 0);
    cairo_rel_line_to(paint->cairo, -ear, ear);
    cairo_close_path(paint->cairo);
    paint_set_color(paint, theme->text);
    cairo_fill(paint->cairo);
}

// ---- maps ----

int plot_axis_add(int *values, int *count, int value)
{
    int at = 0;
    while (at < *count && values[at] < value) at++;
    if (at < *count && values[at] == value) return at;
    memmove(values + at + 1, values + at, (size_t)(*count - at) * sizeof *values);
    values[at] = value;
    ++*count;
    return at;
}

static struct paint_box cell_box(const struct plot_heat *h, struct paint_box grid, int cell)
{
    const double width = grid.width / h->columns, height = grid.height / h->rows, gap = 1;
    const int column = cell % h->columns, row = cell / h->columns;
    return paint_inset((struct paint_box){grid.left + column * width,
                                          grid.top + grid.height - (row + 1) * height, width,
                                          height},
                       gap);
}

static void draw_axes(const struct paint *paint, const struct plot_heat *h, struct paint_box grid,
                      bool is_compact)
{
    const struct paint_theme *theme = paint->theme;
    const double em = paint->base, width = grid.width / h->columns, height = grid.height / h->rows;
    const double size = fmin(em, fmin(width / (is_compact ? 2.8 : 2.2), height / 1.1));
    char text[32];
    for (int i = 0; i < h->columns; i++) {
        g_snprintf(text, sizeof text, "%d", h->widths[i]);
        paint_write(paint, text, size, PAINT_NORMAL, grid.left + (i + 0.5) * width,
                    grid.top + grid.height + 0.9 * em, PAINT_CENTER, theme->text);
    }
    for (int i = 0; i < h->rows; i++) {
        g_snprintf(text, sizeof text, "%d", h->heights[i]);
        paint_write(paint, text, size, PAINT_NORMAL, grid.left - 0.5 * em,
                    grid.top + grid.height - (i + 0.5) * height, PAINT_RIGHT, theme->text);
    }
}

// Returns where its cells are.
static struct paint_box draw_panel(const struct paint *paint, const struct plot_heat *h,
                                   const struct scale *scale, struct paint_box box, bool is_compact)
{
    const double em = paint->base, top = is_compact ? 0.2 : 1.8;
    const double left = is_compact ? 3.4 : 2.6, right = is_compact ? 0 : 0.4;
    const struct paint_box grid = {box.left + left * em, box.top + top * em,
                                   box.width - (left + right) * em, box.height - (top + 1.8) * em};
    const int best = plot_best_cell(h), count = h->columns * h->rows;
    char words[96], title[192];
    bool is_hopeless = false;
    for (int i = 0; i < count; i++) is_hopeless |= h->cells[i].is_wrong;
    g_strlcpy(words, is_hopeless ? "no right result" : "nothing measured", sizeof words);
    if (best >= 0) plot_write_best(h, best, words, sizeof words);
    g_snprintf(title, sizeof title, "%s: %s", h->title, words);
    if (is_compact) {
        // A compact map's axes have names; on paper the key explains them.
        paint_write(paint, "width", 0.9 * em, PAINT_NORMAL, grid.left - 0.5 * em,
                    grid.top + grid.height + 0.9 * em, PAINT_RIGHT, paint->theme->text);
        cairo_save(paint->cairo);
        cairo_translate(paint->cairo, grid.left - 2.9 * em, grid.top + grid.height / 2);
        cairo_rotate(paint->cairo, -G_PI / 2);
        paint_write(paint, "height", 0.9 * em, PAINT_NORMAL, 0, 0, PAINT_CENTER,
                    paint->theme->text);
        cairo_restore(paint->cairo);
    } else {
        paint_write_within(paint, title, em, PAINT_SEMIBOLD, grid.left, box.top + 0.8 * em,
                           grid.width, paint->theme->text);
    }
    const struct plot_figures figures =
        count > 0 ? plot_choose_figures(paint, h, cell_box(h, grid, 0)) : (struct plot_figures){0};
    for (int i = 0; i < count; i++) draw_cell(paint, scale, h, i, cell_box(h, grid, i), figures);
    draw_axes(paint, h, grid, is_compact);
    for (int i = 0; i < count; i++)
        if (is_best(h, best, i)) draw_best(paint, cell_box(h, grid, i));
    const struct plot_marks none = {-1, -1, NULL}, *m = h->marks ? h->marks : &none;
    if (m->present >= 0 && m->present < count) draw_present(paint, cell_box(h, grid, m->present));
    if (m->cursor >= 0 && m->cursor < count)
        paint_stroke_box(paint, cell_box(h, grid, m->cursor), 0, 0.12 * em, paint->theme->text);
    return grid;
}

// ---- the key below ----

static double draw_key_scale(const struct paint *paint, const struct scale *scale, double x,
                             double y, bool is_compact)
{
    const double em = paint->base, width = (is_compact ? 5 : 9) * em, height = 0.9 * em;
    enum { STEPS = 48 };
    if (scale->low > scale->high) return x;
    x += paint_write(paint, number_three(exp(scale->low)).text, 0.9 * em, PAINT_NORMAL, x, y,
                     PAINT_LEFT, paint->theme->text);
    x += 0.4 * em;
    for (int i = 0; i < STEPS; i++)  // each a little over the next: no seams
        paint_fill_box(paint,
                       (struct paint_box){x + width * i / STEPS, y - height / 2,
                                          i + 1 < STEPS ? 2 * width / STEPS : width / STEPS,
                                          height},
                       0, color_of(paint, 1 - (i + 0.5) / STEPS));
    x += width + 0.4 * em;
    char text[40];
    g_snprintf(text, sizeof text, "%s ms", number_three(exp(scale->high)).text);
    x += paint_write(paint, text, 0.9 * em, PAINT_NORMAL, x, y, PAINT_LEFT, paint->theme->text);
    return x + 1.6 * em;
}

// Draws one entry of the key, unless it does not fit.
static double draw_key_box(const struct paint *paint, const char *text,
                           void draw(const struct paint *, struct paint_box), double x, double y,
                           double right)
{
    const double em = paint->base;
    const struct paint_box b = {x, y - 0.5 * em, 1.4 * em, em};
    const double label = x + b.width + 0.5 * em;
    const double width = paint_measure(paint, text, 0.9 * em, PAINT_NORMAL);
    if (label + width > right) return x;
    draw(paint, b);
    paint_write(paint, text, 0.9 * em, PAINT_NORMAL, label, y, PAINT_LEFT, paint->theme->text);
    return label + width + 1.6 * em;
}

static void draw_key(const struct paint *paint, const struct scale *scale, const struct plot *plot,
                     bool has_crosses, struct paint_box box)
{
    const bool is_compact = plot->is_compact;
    const double em = paint->base, y = box.top + box.height - 0.7 * em;
    const double right = box.left + box.width;
    double x = draw_key_scale(paint, scale, box.left + (is_compact ? 0 : 2.6) * em, y, is_compact);
    if (is_compact) x = draw_key_box(paint, "now", draw_present, x, y, right);
    if (!plot->heat_count || !plot->heats->is_unranked)
        x = draw_key_box(paint, "best", draw_best, x, y, right);
    x = draw_key_box(paint, "refused", draw_hatching, x, y, right);
    if (has_crosses) x = draw_key_box(paint, "wrong", draw_cross, x, y, right);
    if (is_compact) return;
    paint_write_within(paint, "across: block width, up: block height, in threads", 0.9 * em,
                       PAINT_NORMAL, x, y, right - x, paint->theme->text);
}

struct plot_places plot_draw_heats(const struct paint *paint, struct paint_box box,
                                   const struct plot *plot)
{
    const struct plot_heat *const heats = plot->heats;
    const int count = plot->heat_count;
    struct scale scale = {INFINITY, -INFINITY};
    const double em = paint->base, key = 1.8 * em;
    const int columns = (int)ceil(sqrt(count)), rows = (count + columns - 1) / MAX(columns, 1);
    struct plot_places places = {.columns = 0};
    bool has_crosses = false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < heats[i].columns * heats[i].rows; k++) {
            const struct plot_cell *cell = &heats[i].cells[k];
            has_crosses |= cell->is_wrong;
            if (!is_settled(cell)) continue;
            scale.low = fmin(scale.low, log(cell->ms));
            scale.high = fmax(scale.high, log(cell->ms));
        }
    for (int i = 0; i < count; i++) {
        const double width = box.width / columns, height = (box.height - key) / rows;
        const struct paint_box cells =
            draw_panel(paint, &heats[i], &scale,
                       (struct paint_box){box.left + i % columns * width,
                                          box.top + i / columns * height, width, height},
                       plot->is_compact);
        if (!i)
            places = (struct plot_places){.left = cells.left,
                                          .top = cells.top,
                                          .right = cells.left + cells.width,
                                          .bottom = cells.top + cells.height,
                                          .columns = heats[i].columns,
                                          .rows = heats[i].rows};
    }
    // The note becomes smaller, then takes two lines, before it is cut.
    const char *note = count && heats[0].marks ? heats[0].marks->note : NULL;
    const double bottom = box.top + box.height;
    if (!note || !*note)
        draw_key(paint, &scale, plot, has_crosses, box);
    else if (paint_measure(paint, note, 0.75 * em, PAINT_SEMIBOLD) <= box.width)
        paint_write_fitting(paint, note, em, PAINT_SEMIBOLD, box.left, bottom - 0.7 * em, box.width,
                            0.75, paint->theme->text);
    else
        paint_write_lines(paint, note, 0.7 * em, PAINT_SEMIBOLD, box.left, bottom - 1.75 * em,
                          box.width, 2, paint->theme->text);
    return places;
}

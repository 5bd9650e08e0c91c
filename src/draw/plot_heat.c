#include "draw/plot_parts.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "draw/plot_cells.h"

static bool has_wrong(const struct plot_heat *heats, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < heats[i].columns * heats[i].rows; k++)
            if (plot_cells_is_wrong(&heats[i], k)) return true;
    return false;
}

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

static void draw_axes(const struct plot_pen *pen, const struct plot_heat *h, struct paint_box grid)
{
    const struct paint_theme *theme = pen->paint->theme;
    const double em = pen->em, width = grid.width / h->columns, height = grid.height / h->rows;
    const double size = fmin(em, fmin(width / (pen->is_compact ? 2.8 : 2.2), height / 1.1));
    char text[32];
    for (int i = 0; i < h->columns; i++) {
        g_snprintf(text, sizeof text, "%d", h->widths[i]);
        paint_write(pen->paint, text, size, PAINT_NORMAL, grid.left + (i + 0.5) * width,
                    grid.top + grid.height + 0.9 * em, PAINT_CENTER, theme->text);
    }
    for (int i = 0; i < h->rows; i++) {
        g_snprintf(text, sizeof text, "%d", h->heights[i]);
        paint_write(pen->paint, text, size, PAINT_NORMAL, grid.left - 0.5 * em,
                    grid.top + grid.height - (i + 0.5) * height, PAINT_RIGHT, theme->text);
    }
}

static void draw_marks(const struct plot_pen *pen, const struct plot_heat *h, struct paint_box grid)
{
    const struct plot_marks *m = h->marks;
    if (!m) return;
    const int count = h->columns * h->rows;
    if (m->present >= 0 && m->present < count)
        plot_cells_draw_present(pen, cell_box(h, grid, m->present));
    if (m->cursor >= 0 && m->cursor < count)
        paint_stroke_box(pen->paint, cell_box(h, grid, m->cursor), 0, 0.12 * pen->em,
                         pen->paint->theme->text);
}

static void draw_panel_title(const struct plot_pen *pen, const struct plot_heat *h, int best,
                             double x, double y, double room)
{
    char title[192], words[96];
    if (best >= 0) {
        plot_write_best(h, best, words, sizeof words);
        g_snprintf(title, sizeof title, "%s: %s", h->title, words);
    } else {
        g_snprintf(title, sizeof title, "%s: %s", h->title,
                   has_wrong(h, 1) ? "no right result" : "nothing measured");
    }
    paint_write_within(pen->paint, title, pen->em, PAINT_SEMIBOLD, x, y, room,
                       pen->paint->theme->text);
}

// On a screen the axes have their names beside them, on paper they are explained in the key.
static void draw_axis_names(const struct plot_pen *pen, struct paint_box grid)
{
    const struct paint_color color = pen->paint->theme->text;
    const double size = 0.9 * pen->em;
    paint_write(pen->paint, "width", size, PAINT_NORMAL, grid.left - 0.5 * pen->em,
                grid.top + grid.height + 0.9 * pen->em, PAINT_RIGHT, color);
    cairo_save(pen->paint->cairo);
    cairo_translate(pen->paint->cairo, grid.left - 2.9 * pen->em, grid.top + grid.height / 2);
    cairo_rotate(pen->paint->cairo, -G_PI / 2);
    paint_write(pen->paint, "height", size, PAINT_NORMAL, 0, 0, PAINT_CENTER, color);
    cairo_restore(pen->paint->cairo);
}

// Returns where its cells are.
static struct paint_box draw_panel(const struct plot_pen *pen, const struct plot_heat *h,
                                   const struct plot_scale *scale, struct paint_box box)
{
    const double em = pen->em, top = pen->is_compact ? 0.2 : 1.8;
    const double left = pen->is_compact ? 3.4 : 2.6, right = pen->is_compact ? 0 : 0.4;
    const struct paint_box grid = {box.left + left * em, box.top + top * em,
                                   box.width - (left + right) * em, box.height - (top + 1.8) * em};
    const int best = plot_best_cell(h), count = h->columns * h->rows;
    if (pen->is_compact)
        draw_axis_names(pen, grid);
    else
        draw_panel_title(pen, h, best, grid.left, box.top + 0.8 * em, grid.width);
    const struct plot_cells_figures figures =
        count > 0 ? plot_cells_choose_figures(pen, h, cell_box(h, grid, 0))
                  : (struct plot_cells_figures){0};
    for (int i = 0; i < count; i++)
        plot_cells_draw(pen, scale, h, i, cell_box(h, grid, i), figures);
    draw_axes(pen, h, grid);
    for (int i = 0; i < count; i++)
        if (plot_cells_is_best(h, best, i)) plot_cells_draw_best(pen, cell_box(h, grid, i));
    draw_marks(pen, h, grid);
    return grid;
}

// ---- the key below ----

static double draw_key_scale(const struct plot_pen *pen, const struct plot_scale *scale, double x,
                             double y)
{
    const double em = pen->em, width = (pen->is_compact ? 5 : 9) * em, height = 0.9 * em;
    enum { STEPS = 48 };
    char text[40];
    if (scale->low > scale->high) return x;
    number_three(text, sizeof text, exp(scale->low));
    x += paint_write(pen->paint, text, 0.9 * em, PAINT_NORMAL, x, y, PAINT_LEFT,
                     pen->paint->theme->text);
    x += 0.4 * em;
    for (int i = 0; i < STEPS; i++)  // each a little over the next: no seams
        paint_fill_box(pen->paint,
                       (struct paint_box){x + width * i / STEPS, y - height / 2,
                                          i + 1 < STEPS ? 2 * width / STEPS : width / STEPS,
                                          height},
                       0, plot_cells_color(pen, 1 - (i + 0.5) / STEPS));
    x += width + 0.4 * em;
    number_three(text, sizeof text, exp(scale->high));
    g_strlcat(text, " ms", sizeof text);
    x += paint_write(pen->paint, text, 0.9 * em, PAINT_NORMAL, x, y, PAINT_LEFT,
                     pen->paint->theme->text);
    return x + 1.6 * em;
}

// Left out where it would not fit.
static double draw_key_box(const struct plot_pen *pen, const char *text,
                           void draw(const struct plot_pen *, struct paint_box), double x, double y,
                           double right)
{
    const double em = pen->em;
    const struct paint_box b = {x, y - 0.5 * em, 1.4 * em, em};
    const double label = x + b.width + 0.5 * em;
    const double width = paint_measure(pen->paint, text, 0.9 * em, PAINT_NORMAL);
    if (label + width > right) return x;
    draw(pen, b);
    paint_write(pen->paint, text, 0.9 * em, PAINT_NORMAL, label, y, PAINT_LEFT,
                pen->paint->theme->text);
    return label + width + 1.6 * em;
}

static void draw_key(const struct plot_pen *pen, const struct plot_scale *scale, bool has_crosses,
                     struct paint_box box)
{
    const double em = pen->em, y = box.top + box.height - 0.7 * em;
    const double right = box.left + box.width;
    double x = draw_key_scale(pen, scale, box.left + (pen->is_compact ? 0 : 2.6) * em, y);
    if (pen->is_compact) x = draw_key_box(pen, "now", plot_cells_draw_present, x, y, right);
    x = draw_key_box(pen, "best", plot_cells_draw_best, x, y, right);
    x = draw_key_box(pen, "refused", plot_cells_draw_hatching, x, y, right);
    if (has_crosses) x = draw_key_box(pen, "wrong", plot_cells_draw_cross, x, y, right);
    if (pen->is_compact) return;
    paint_write_within(pen->paint, "across: block width, up: block height, in threads", 0.9 * em,
                       PAINT_NORMAL, x, y, right - x, pen->paint->theme->text);
}

static void draw_note_line(const struct plot_pen *pen, const char *text, double size, double y,
                           struct paint_box box)
{
    size = paint_fit(pen->paint, text, size, PAINT_SEMIBOLD, box.width, 0.75);
    paint_write_within(pen->paint, text, size, PAINT_SEMIBOLD, box.left, y, box.width,
                       pen->paint->theme->text);
}

// Smaller, then in two lines, before it is cut.
static void draw_note(const struct plot_pen *pen, const char *note, struct paint_box box)
{
    const double em = pen->em, bottom = box.top + box.height;
    char *first = g_strdup(note), *second = NULL;
    const size_t middle = strlen(first) / 2;
    for (char *at = strchr(first, ' '); at && (!second || at <= first + middle);
         at = strchr(at + 1, ' '))
        second = at;
    if (!second || paint_measure(pen->paint, note, 0.75 * em, PAINT_SEMIBOLD) <= box.width) {
        draw_note_line(pen, note, em, bottom - 0.7 * em, box);
    } else {
        *second++ = '\0';
        draw_note_line(pen, first, 0.8 * em, bottom - 1.4 * em, box);
        draw_note_line(pen, second, 0.8 * em, bottom - 0.5 * em, box);
    }
    g_free(first);
}

struct plot_places plot_draw_heats(const struct plot_pen *pen, struct paint_box box,
                                   const struct plot_heat *heats, int count)
{
    const struct plot_scale scale = plot_cells_scale(heats, count);
    const double em = pen->em, key = 1.8 * em;
    const int columns = (int)ceil(sqrt(count)), rows = (count + columns - 1) / MAX(columns, 1);
    struct plot_places places = {.columns = 0};
    for (int i = 0; i < count; i++) {
        const double width = box.width / columns, height = (box.height - key) / rows;
        const struct paint_box cells =
            draw_panel(pen, &heats[i], &scale,
                       (struct paint_box){box.left + i % columns * width,
                                          box.top + i / columns * height, width, height});
        if (!i)
            places = (struct plot_places){
                .area = cells, .columns = heats[i].columns, .rows = heats[i].rows};
    }
    if (count && heats[0].marks && heats[0].marks->note && *heats[0].marks->note)
        draw_note(pen, heats[0].marks->note, box);
    else
        draw_key(pen, &scale, has_wrong(heats, count), box);
    return places;
}

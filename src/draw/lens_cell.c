// lens_cell.c -- the cells of a lens's rows (lanes, banks, sectors) with their numbers.
#include <glib.h>
#include <math.h>

#include "draw/lens_parts.h"

// Fills under dark letters, on both themes.
static const struct paint_color fills[] = {PAINT_RGB(0x86ccff), PAINT_RGB(0xffb17a),
                                           PAINT_RGB(0x9be58b), PAINT_RGB(0xf5a3cb),
                                           PAINT_RGB(0xcbaeff), PAINT_RGB(0xffe08a)};
static const struct paint_color conflict_fill = PAINT_RGB(0xff7b72), ink = PAINT_RGB(0x0b0f15);

// In base sizes: smaller numbers are not read from the back of a lecture hall.
static const double least_number = 0.42;

struct paint_color lens_cell_color(const struct lens_canvas *c, int number)
{
    return c->view->is_stale ? c->paint->theme->edge : fills[number % (int)G_N_ELEMENTS(fills)];
}

// The size of a number that has as much width as it wants.
static double number_size(const struct lens_canvas *c, struct paint_box cell)
{
    return fmin(0.85 * c->em, 1.06 * cell.height);
}

// False: numbers would be too small in all cells of the row, and a few larger ones are written.
static bool has_numbers(const struct lens_canvas *c, struct paint_box cell)
{
    return 0.62 * c->pitch >= fmin(number_size(c, cell), least_number * c->paint->base);
}

// A hatch tells every second number from its neighbours.
static void fill_cell(const struct lens_canvas *c, struct paint_box box, int number,
                      bool is_conflict)
{
    const bool is_red = is_conflict && !c->view->is_stale;
    paint_fill_box(c->paint, box, 0, is_red ? conflict_fill : lens_cell_color(c, number));
    if (is_conflict || number % 2)
        paint_hatch_box(c->paint, box, fmax(4, 0.4 * c->em), paint_fade(ink, 0.28));
}

void lens_cell_draw(const struct lens_canvas *c, struct paint_box box, int number, const char *text,
                    bool is_conflict)
{
    fill_cell(c, box, number, is_conflict);
    const double size = fmin(number_size(c, box), 0.62 * c->pitch);
    if (size < 5 || !has_numbers(c, box)) return;
    const double fitted = paint_fit(c->paint, text, size, PAINT_SEMIBOLD, 0.94 * box.width, 0.6);
    paint_write(c->paint, text, fitted, PAINT_SEMIBOLD, box.left + box.width / 2,
                box.top + box.height / 2, PAINT_CENTER, ink);
}

bool lens_cell_is_numbered(int column)
{
    return column % 8 == 0 || column == MODEL_LANES - 1;
}

// The number stands on a wider cell of the same colour.
void lens_cell_label(const struct lens_canvas *c, struct paint_box cell, int number,
                     const char *text, bool is_conflict)
{
    const double size = number_size(c, cell);
    if (has_numbers(c, cell) || size < 5) return;
    const double width =
        fmax(cell.width, ceil(paint_measure(c->paint, text, size, PAINT_SEMIBOLD) + 0.2 * size));
    const double left = round(cell.left + (cell.width - width) / 2);
    cell.left = fmax(c->left, fmin(left, c->right - width));
    cell.width = width;
    fill_cell(c, cell, number, is_conflict);
    paint_write(c->paint, text, size, PAINT_SEMIBOLD, cell.left + width / 2,
                cell.top + cell.height / 2, PAINT_CENTER, ink);
}

void lens_cell_draw_empty(const struct lens_canvas *c, struct paint_box box)
{
    paint_stroke_box(c->paint, box, 0, fmax(1, c->em / 20), c->paint->theme->edge);
}

struct paint_box lens_cell_of(struct paint_box row, int index)
{
    const double left = round(row.left + row.width * index / MODEL_LANES);
    const double right = round(row.left + row.width * (index + 1) / MODEL_LANES);
    return (struct paint_box){left, row.top, right - left - 1, row.height};
}

void lens_cell_write_numbers(struct lens_canvas *c, struct paint_box row)
{
    const double size = 0.75 * c->em;
    const bool has_all = row.width / MODEL_LANES >= 1.6 * size;
    for (int i = 0; i < MODEL_LANES; i++) {
        if (!has_all && !lens_cell_is_numbered(i)) continue;
        const struct paint_box cell = lens_cell_of(row, i);
        char text[8];
        g_snprintf(text, sizeof text, "%d", i);
        paint_write(c->paint, text, has_all ? size : 0.95 * c->em, PAINT_NORMAL,
                    cell.left + cell.width / 2, c->top + 0.5 * c->em, PAINT_CENTER,
                    c->paint->theme->grey);
    }
    c->top += LENS_NUMBER_HEIGHT * c->em;
}

// band_draw.c -- draws the parts of the bands.
#include <math.h>

#include "screen/band_parts.h"
#include "screen/tags.h"

// The middle of a row's capital letters, in base sizes below its top.
static const double row_middles[BAND_ROWS] = {
    [BAND_TITLE] = 1.15,  [BAND_TIME] = 1.20,    [BAND_SPEED] = 0.60,
    [BAND_DETAIL] = 0.70, [BAND_VERDICT] = 0.72, [BAND_STATUS] = 0.90,
};

static void draw_badge(const struct bands *b, const struct paint *paint, int side, int cell,
                       double middle)
{
    const struct cell_state *s = &b->cells[side][cell];
    const struct paint_theme *t = paint->theme;
    const double size = s->size, baseline = middle + PAINT_HALF_CAPITAL * size;
    const struct paint_box pill = {s->x, middle - 0.85 * size, s->width, 1.7 * size};
    double symbol_x = s->x + 0.55 * size, text_x = s->x + bands_symbol_width(b, side, cell, size);
    struct paint_color color = t->text;
    switch (cell_badge(b->content, side, cell)) {
    case OVERLAY_BADGE_NONE:
        break;
    case OVERLAY_BADGE_PENDING:
        color = t->grey;
        paint_symbol(paint, PAINT_DOTS, symbol_x, middle, size, t->grey);
        break;
    case OVERLAY_BADGE_GOOD:
        paint_symbol(paint, PAINT_CHECK, symbol_x, middle, 1.2 * size, t->good);
        break;
    case OVERLAY_BADGE_BAD:
        color = t->ink;
        symbol_x = *pango_layout_get_text(s->layout) ? s->x + size : s->x + s->width / 2;
        text_x -= 0.6 * size;
        paint_fill_box(paint, pill, 0.85 * size, t->bad);
        paint_symbol(paint, PAINT_CROSS, symbol_x, middle, 0.75 * size, t->ink);
        break;
    }
    paint_text_at_baseline(paint, s->layout, text_x, baseline, color);
}

static void draw_cell(const struct bands *b, const struct paint *paint, int side, int cell,
                      double baseline)
{
    const struct cell_state *s = &b->cells[side][cell];
    const bool is_grey = cell_kinds[cell].is_figure && !b->content->sides[side].is_settled;
    const struct paint_color color = is_grey ? paint->theme->grey : paint->theme->text;
    paint_text_at_baseline(paint, s->layout, s->x, baseline, color);
    if (cell != TIME || !is_grey) return;
    const double room = bands_symbol_width(b, side, TIME, s->size);
    paint_symbol(paint, PAINT_CLOCK, s->x + s->width - room / 2,
                 baseline - PAINT_HALF_CAPITAL * s->size, 0.48 * room, color);
}

static bool has_badge(int cell)
{
    return cell == BADGE || cell == DIFFERENCE || cell == RATIO;
}

// The largest text of a row gives the baseline of both columns.
static double largest_size(const struct bands *b, enum band row)
{
    double largest = 0;
    for (int i = 0; i < 2 * CELL_COUNT; i++) {
        const struct cell_state *s = &b->cells[i % 2][i / 2];
        if (bands_has_cell(b, i % 2, row, i / 2) && s->width > 0 && !has_badge(i / 2))
            largest = fmax(largest, s->size);
    }
    return largest;
}

// Draws the line between the columns.
static void draw_line(const struct paint *paint, struct paint_box box)
{
    box.width = fmax(1, round(paint->base / 14));
    paint_fill_box(paint, box, 0, paint->theme->edge);
}

static void draw_letter(const struct bands *b, const struct paint *paint, int side)
{
    static const char *const letters[] = {"A", "B"};
    const bool is_active = b->content->pair.active == side;
    const double base = b->upper_base;
    const struct paint_box box = b->boxes[BAND_LETTER + side];
    const bool has_keys = box.height > 4 * base;
    const double stack = b->letter_side + (has_keys ? 1.6 * base : 0);
    struct paint_box letter = {round(box.left + BAND_MARGIN * base),
                               round(box.top + (box.height - stack) / 2), b->letter_side,
                               b->letter_side};
    paint_fill_box(paint, box, 0, paint->theme->band);
    if (side) draw_line(paint, box);
    tags_draw_box(paint, letters[side], letter, is_active);
    if (!has_keys || !is_active) return;
    letter.top = round(letter.top + letter.height + 0.4 * base);
    letter.height = round(1.2 * base);
    const struct paint_theme *t = paint->theme;
    const double size = fmin(0.72 * b->upper_base, letter.width / 2.9);
    paint_fill_box(paint, letter, 0.25 * letter.height, t->cap);
    paint_stroke_box(paint, letter, 0.25 * letter.height, fmax(1, paint->base / 20), t->edge);
    paint_write(paint, "keys", size, PAINT_MEDIUM, letter.left + letter.width / 2,
                letter.top + letter.height / 2 - 0.05 * size, PAINT_CENTER, t->text);
}

static void draw_row(const struct bands *b, const struct paint *paint, enum band row, int side)
{
    const struct paint_box box = b->boxes[band_part(row, side)];
    const double middle = box.top + row_middles[row] * bands_base(b, row);
    const double baseline = middle + PAINT_HALF_CAPITAL * largest_size(b, row);
    paint_fill_box(paint, box, 0, paint->theme->band);
    if (side && !bands_is_beside_letter(b, row)) draw_line(paint, box);
    for (int i = 0; i < CELL_COUNT; i++) {
        if (!bands_has_cell(b, side, row, i) || b->cells[side][i].width <= 0) continue;
        if (has_badge(i))
            draw_badge(b, paint, side, i, middle);
        else
            draw_cell(b, paint, side, i, baseline);
    }
}

void bands_draw(const struct bands *b, const struct paint *paint, int part)
{
    if (part >= BAND_LETTER)
        draw_letter(b, paint, part - BAND_LETTER);
    else
        draw_row(b, paint, (enum band)(part / 2), part % 2);
}

#include "band.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// In base sizes: how high a band's row is and where in it the middle of its capitals lies.
static const struct {
    double height, middle;
} rows[BAND_COUNT] = {
    [BAND_TITLE] = {1.95, 1.15},
    [BAND_TIME] = {2.35, 1.20},
    [BAND_DETAIL] = {1.75, 0.70},
    [BAND_STATUS] = {1.80, 0.90},
};

// One text in a band. Cells of a band stand from left to right in this order, those at the right
// against the right edge. To add one: a row in the table and a place in cut_order.
enum cell { TITLE, DEVICE, TIME, SPREAD, SPEED, BADGE, DETAIL, STATUS, HINT, CELL_COUNT };

static const struct cell_kind {
    enum band band;
    size_t text;  // offset in struct overlay_content
    double size;  // of the font, in base sizes
    double gap;   // to the cell before it, in base sizes
    PangoWeight weight;
    bool is_right, is_figure;  // figures are grey until settled
} cells[CELL_COUNT] = {
#define TEXT(field) offsetof(struct overlay_content, field)
    [TITLE] = {BAND_TITLE, TEXT(title), 1.00, 0.0, PANGO_WEIGHT_MEDIUM, false, false},
    [DEVICE] = {BAND_TITLE, TEXT(device), 0.90, 1.5, PANGO_WEIGHT_NORMAL, true, false},
    [TIME] = {BAND_TIME, TEXT(time), 2.00, 0.0, PANGO_WEIGHT_BOLD, false, true},
    [SPREAD] = {BAND_TIME, TEXT(spread), 0.85, 0.0, PANGO_WEIGHT_NORMAL, false, true},
    [SPEED] = {BAND_TIME, TEXT(speed), 1.00, 1.4, PANGO_WEIGHT_MEDIUM, false, true},
    [BADGE] = {BAND_TIME, TEXT(badge_text), 1.00, 1.4, PANGO_WEIGHT_BOLD, true, false},
    [DETAIL] = {BAND_DETAIL, TEXT(detail), 0.82, 0.0, PANGO_WEIGHT_NORMAL, false, false},
    [STATUS] = {BAND_STATUS, TEXT(status), 0.85, 0.0, PANGO_WEIGHT_NORMAL, false, false},
    [HINT] = {BAND_STATUS, TEXT(hint), 0.85, 1.5, PANGO_WEIGHT_MEDIUM, true, false},
#undef TEXT
};

// Who is ellipsized, then left out, first to last, in a band that does not fit at its smallest.
static const enum cell cut_order[CELL_COUNT] = {DEVICE, SPREAD, SPEED, STATUS, HINT,
                                                BADGE,  DETAIL, TITLE, TIME};

static const double margin = 0.9;           // left and right, in base sizes
static const double smallest_factor = 0.6;  // a font shrinks to that, but not below smallest_font
static const double smallest_font = 9;      // pixels
static const double clock_room = 2.2;       // after the time, in base sizes, so nothing moves

struct cell_state {
    PangoLayout *layout;
    double size, x, width;  // as drawn, pixels; width includes symbols, 0: not drawn
};

struct bands {
    const struct overlay_content *content;
    double time_factor;  // of the fonts beside the time
    struct cell_state cells[CELL_COUNT];
};

struct bands *bands_create(PangoContext *context, const struct overlay_content *content)
{
    struct bands *b = g_new0(struct bands, 1);
    b->content = content;
    b->time_factor = 1;
    for (int i = 0; i < CELL_COUNT; i++) b->cells[i].layout = paint_text_create(context);
    return b;
}

void bands_destroy(struct bands *b)
{
    if (!b) return;
    for (int i = 0; i < CELL_COUNT; i++) g_object_unref(b->cells[i].layout);
    g_free(b);
}

static const char *text_of(const struct overlay_content *content, int cell)
{
    return (const char *)content + cells[cell].text;
}

unsigned bands_compare(const struct overlay_content *a, const struct overlay_content *b)
{
    unsigned changed = 0;
    for (int i = 0; i < CELL_COUNT; i++)
        if (strcmp(text_of(a, i), text_of(b, i)) != 0) changed |= 1u << cells[i].band;
    if (a->is_settled != b->is_settled || a->badge != b->badge) changed |= 1u << BAND_TIME;
    return changed;
}

bool bands_has_text(const struct bands *b, enum band band)
{
    for (int i = 0; i < CELL_COUNT; i++)
        if (cells[i].band == band && *text_of(b->content, i)) return true;
    return band == BAND_TIME && b->content->badge != OVERLAY_BADGE_NONE;
}

int bands_height(enum band band, double base)
{
    return (int)lround(rows[band].height * base);
}

// --- placing ---

static double symbol_width(const struct bands *b, int cell, double size)
{
    static const double badges[] = {
        // in font sizes, with the air around them
        [OVERLAY_BADGE_NONE] = 0,
        [OVERLAY_BADGE_PENDING] = 1.45,
        [OVERLAY_BADGE_GOOD] = 1.55,
        [OVERLAY_BADGE_BAD] = 2.4,
    };
    if (cell == TIME) return clock_room / cells[TIME].size * size;
    return cell == BADGE ? badges[b->content->badge] * size : 0;
}

// Sets a cell's text at that factor of its full size.
static void set_cell(struct bands *b, int cell, double base, double factor)
{
    struct cell_state *state = &b->cells[cell];
    const char *text = text_of(b->content, cell);
    const double full = cells[cell].size * base;
    state->size = fmax(full * factor, fmin(full, smallest_font));
    state->width = 0;
    if (!*text && !(cell == BADGE && b->content->badge != OVERLAY_BADGE_NONE)) return;
    paint_text_set(state->layout, text,
                   (struct paint_font){state->size, cells[cell].weight, false});
    state->width = paint_text_width(state->layout) + symbol_width(b, cell, state->size);
}

// The band's width. Its largest text, the time, may keep its size longer than the rest.
static double set_cells(struct bands *b, enum band band, double base, double factor,
                        double time_factor)
{
    double width = 0;
    for (int i = 0; i < CELL_COUNT; i++) {
        if (cells[i].band != band) continue;
        set_cell(b, i, base, i == TIME ? time_factor : factor);
        if (b->cells[i].width <= 0) continue;
        width += b->cells[i].width + (width > 0 ? cells[i].gap * base * factor : 0);
    }
    return width;
}

static void cut_cells(struct bands *b, enum band band, double base, double excess)
{
    for (int i = 0; i < CELL_COUNT && excess > 0; i++) {
        struct cell_state *state = &b->cells[cut_order[i]];
        const struct cell_kind *kind = &cells[cut_order[i]];
        if (kind->band != band || state->width <= 0) continue;
        const double room = state->width - symbol_width(b, cut_order[i], state->size) - excess;
        if (room < 3 * state->size) {  // not even a word and an ellipsis
            excess -= state->width + kind->gap * base * smallest_factor;
            state->width = 0;
        } else {
            paint_text_cut(state->layout, room);
            state->width -= excess;
            excess = 0;
        }
    }
}

static void place_cells(struct bands *b, enum band band, const struct paint *paint, double factor)
{
    const double first = margin * paint->base;
    double left = first;
    for (int i = 0; i < CELL_COUNT; i++) {
        struct cell_state *state = &b->cells[i];
        if (cells[i].band != band || state->width <= 0) continue;
        if (cells[i].is_right) {
            state->x = paint->width - first - state->width;
            continue;
        }
        if (left > first) left += cells[i].gap * paint->base * factor;
        state->x = left;
        left += state->width;
    }
}

// Shrinks step by step, first all but the time, then the time too; cuts what then still sticks out.
// The details never become larger than the more important figures above them.
bool bands_place(struct bands *b, const struct paint *paint, enum band band)
{
    const double room = paint->width - 2 * margin * paint->base, step = 0.08;
    const double equal = b->time_factor * cells[SPEED].size / cells[DETAIL].size;
    const double time_factor_before = b->time_factor;
    double factor = band == BAND_DETAIL ? fmin(1, equal) : 1, time_factor = 1;
    double width = set_cells(b, band, paint->base, factor, time_factor);
    while (width > room && time_factor > smallest_factor) {
        double *next = factor > smallest_factor ? &factor : &time_factor;
        *next = fmax(smallest_factor, *next - step);
        width = set_cells(b, band, paint->base, factor, time_factor);
    }
    cut_cells(b, band, paint->base, width - room);
    place_cells(b, band, paint, factor);
    if (band == BAND_TIME) b->time_factor = factor;
    return b->time_factor != time_factor_before;
}

// --- drawing ---

static void draw_badge(const struct bands *b, const struct paint *paint, double middle)
{
    const struct cell_state *s = &b->cells[BADGE];
    const struct paint_theme *t = paint->theme;
    const double size = s->size, baseline = middle + PAINT_HALF_CAPITAL * size;
    const struct paint_box pill = {s->x, middle - 0.85 * size, s->width, 1.7 * size};
    double symbol_x = s->x + 0.55 * size, text_x = s->x + symbol_width(b, BADGE, size);
    struct paint_color color = t->text;
    switch (b->content->badge) {
    case OVERLAY_BADGE_NONE:
        break;
    case OVERLAY_BADGE_PENDING:
        color = t->grey;
        paint_symbol(paint->cairo, PAINT_DOTS, symbol_x, middle, size, t->grey, t->ink);
        break;
    case OVERLAY_BADGE_GOOD:
        paint_symbol(paint->cairo, PAINT_CHECK, symbol_x, middle, 1.2 * size, t->good, t->ink);
        break;
    case OVERLAY_BADGE_BAD:
        color = t->ink;
        symbol_x += 0.45 * size;
        text_x -= 0.6 * size;
        paint_fill_box(paint->cairo, pill, 0.85 * size, t->bad);
        paint_symbol(paint->cairo, PAINT_CROSS, symbol_x, middle, 0.75 * size, t->ink, t->ink);
        break;
    }
    paint_text_at_baseline(paint->cairo, s->layout, text_x, baseline, color);
}

static void draw_cell(const struct bands *b, const struct paint *paint, int cell, double baseline)
{
    const struct cell_state *s = &b->cells[cell];
    const bool is_grey = cells[cell].is_figure && !b->content->is_settled;
    const struct paint_color color = is_grey ? paint->theme->grey : paint->theme->text;
    paint_text_at_baseline(paint->cairo, s->layout, s->x, baseline, color);
    if (cell != TIME || !is_grey) return;
    const double room = symbol_width(b, TIME, s->size);
    paint_symbol(paint->cairo, PAINT_CLOCK, s->x + s->width - room / 2,
                 baseline - PAINT_HALF_CAPITAL * s->size, 0.48 * room, color, color);
}

static double largest_size(const struct bands *b, enum band band)
{
    double largest = 0;
    for (int i = 0; i < CELL_COUNT; i++)
        if (cells[i].band == band && b->cells[i].width > 0 && i != BADGE)
            largest = fmax(largest, b->cells[i].size);
    return largest;
}

void bands_draw(const struct bands *b, const struct paint *paint, enum band band, int top)
{
    const struct paint_box box = {0, top, paint->width, bands_height(band, paint->base)};
    const double middle = top + rows[band].middle * paint->base;
    const double baseline = middle + PAINT_HALF_CAPITAL * largest_size(b, band);
    paint_fill_box(paint->cairo, box, 0, paint->theme->band);
    for (int i = 0; i < CELL_COUNT; i++) {
        if (cells[i].band != band || b->cells[i].width <= 0) continue;
        if (i == BADGE)
            draw_badge(b, paint, middle);
        else
            draw_cell(b, paint, i, baseline);
    }
}

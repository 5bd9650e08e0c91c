// This file is long because all of it places or draws the same cells.

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "screen/overlay_parts.h"

// A cell is one text in a row. The cells of a row stand from left to right in this order, or
// against the right edge; the first are cut before the others, then left out, in a row that does
// not fit at its smallest. Before that, the last lose parts. To add one: add it here and to
// cell_kinds.
enum cell {
    DEVICE,
    TITLE,
    TIME,
    BADGE,
    SPREAD,
    SPEED,
    DETAIL,
    BOUND,
    DIFFERENCE,
    RATIO,
    STATUS,
    HINT,
    CELL_COUNT
};

// How the rows are made up: for one picture or two, in a window that is wide for its type or not.
enum form { FORM_ONE, FORM_PAIR, FORM_NARROW_ONE, FORM_NARROW_PAIR, FORM_COUNT };

struct cell_spot {
    enum band row;
    bool is_right;
};

enum { CELL_EACH = 2 };  // column: either picture has such a text

struct cell_kind {
    size_t text;  // offset in struct overlay_side or overlay_content
    int column;   // left (0), right (1) or CELL_EACH
    struct cell_spot spots[FORM_COUNT];
    double size;  // of the font, in base sizes
    double gap;   // to the cell before it, in base sizes
    enum paint_weight weight;
    bool is_figure;  // grey until settled
    int kept;        // parts of the text that stay, and end in an ellipsis where they do not fit.
                     // A figure loses whole parts: half a number is wrong
};

#define OF_SIDE(field) offsetof(struct overlay_side, field), CELL_EACH
#define OF_BOTH(field) offsetof(struct overlay_content, field)
// clang-format off
#define LEFT(row) {BAND_##row, false}
#define RIGHT(row) {BAND_##row, true}
#define EVERYWHERE(spot) {spot, spot, spot, spot}
#define MEDIUM PAINT_MEDIUM
#define NORMAL PAINT_NORMAL
#define BOLD   PAINT_BOLD

// The spots are those of FORM_ONE, FORM_PAIR, FORM_NARROW_ONE and FORM_NARROW_PAIR.
static const struct cell_kind cell_kinds[CELL_COUNT] = {
    [TITLE] = {OF_SIDE(title), EVERYWHERE(LEFT(TITLE)), 1.00, 0.0, MEDIUM, false, 1},
    [DEVICE] = {OF_BOTH(device), 0, {RIGHT(TITLE), LEFT(STATUS), LEFT(STATUS), LEFT(STATUS)},
                0.90, 1.5, NORMAL, false, 1},
    [TIME] = {OF_SIDE(time), EVERYWHERE(LEFT(TIME)), 2.00, 0.0, BOLD, true, 1},
    [SPREAD] = {OF_SIDE(spread), {LEFT(TIME), LEFT(DETAIL), LEFT(TIME), LEFT(TIME)},
                0.85, 0.0, NORMAL, true, 0},
    [SPEED] = {OF_SIDE(speed), {LEFT(TIME), LEFT(TIME), LEFT(SPEED), LEFT(SPEED)},
               1.00, 1.4, MEDIUM, true, 0},
    [BADGE] = {OF_SIDE(badge_text), {RIGHT(TIME), RIGHT(TITLE), RIGHT(TIME), RIGHT(TIME)},
               1.00, 1.4, BOLD, false, 0},
    [DETAIL] = {OF_SIDE(detail), EVERYWHERE(LEFT(DETAIL)), 0.82, 1.2, NORMAL, false, 0},
    [BOUND] = {OF_SIDE(bound), EVERYWHERE(RIGHT(DETAIL)), 0.82, 1.2, MEDIUM, false, 1},
    [DIFFERENCE] = {OF_BOTH(pair.difference), 0, EVERYWHERE(RIGHT(VERDICT)),
                    1.15, 0.0, BOLD, false, 0},
    [RATIO] = {OF_BOTH(pair.ratio), 1, EVERYWHERE(LEFT(VERDICT)), 1.15, 0.0, BOLD, false, 0},
    [STATUS] = {OF_BOTH(status), 0, EVERYWHERE(LEFT(STATUS)), 0.85, 1.2, NORMAL, false, 3},
    [HINT] = {OF_BOTH(hint), 0, EVERYWHERE(RIGHT(STATUS)), 0.85, 1.5, MEDIUM, false, 1},
};
// clang-format on

static const char *cell_text(const struct overlay_content *c, int side, int cell)
{
    const struct cell_kind *kind = &cell_kinds[cell];
    const void *owner = kind->column == CELL_EACH ? (const void *)&c->sides[side] : c;
    return (const char *)owner + kind->text;
}

static enum overlay_badge cell_badge(const struct overlay_content *c, int side, int cell)
{
    if (cell == BADGE) return c->sides[side].badge;
    if (cell == DIFFERENCE) return c->pair.verdict;
    if (cell == RATIO && c->pair.is_ratio_pending) return OVERLAY_BADGE_PENDING;
    return OVERLAY_BADGE_NONE;
}

static bool cell_is_shown(const struct overlay_content *c, int side, int cell)
{
    return *cell_text(c, side, cell) || cell_badge(c, side, cell) != OVERLAY_BADGE_NONE;
}

// ---- state and sizes ----

struct cell_state {
    PangoLayout *layout;
    double size, x, width;  // as drawn, pixels; width includes symbols. 0: not drawn
};

// How much the fonts of a row shrink; the time, its largest text, shrinks after the rest.
struct factors {
    double time, rest;
};

struct bands {
    const struct overlay_content *content;
    enum form form;
    double base, upper_base;  // of the type in the status row, and in the others
    double plain;             // the window's base at text scale 1, or at a smaller one
    int dropped[2];           // parts of a column's texts, in the row in hand
    struct factors factors[BAND_ROWS];
    uint64_t hashes[BAND_ROWS];  // of what each row was placed with
    struct paint_box boxes[BAND_PARTS];
    struct cell_state cells[2][CELL_COUNT];
    double letter_side;  // pixels
};

#define BAND_MARGIN 0.9  // left and right, in base sizes

// The heights of rows, in base sizes.
static const double row_heights[BAND_ROWS] = {
    [BAND_TITLE] = 1.95,  [BAND_TIME] = 2.35,    [BAND_SPEED] = 1.45,
    [BAND_DETAIL] = 1.75, [BAND_VERDICT] = 1.75, [BAND_STATUS] = 1.80,
};

// The order in which a low window loses rows.
static const enum band drop_order[BAND_ROWS] = {BAND_DETAIL,  BAND_SPEED, BAND_STATUS,
                                                BAND_VERDICT, BAND_TITLE, BAND_TIME};

static const double small_factor = 0.6;   // the rest of a row shrinks to that before the time does
static const double detail_least = 0.72;  // of the details: they lose parts rather than shrink more
static const double detail_growth = 1.3;  // the same in large text
static const double smallest_font = 9;    // pixels; no larger font shrinks below it
static const double clock_room = 2.2;     // kept free after the time, in base sizes

// The width in base sizes below which one picture's speed gets a row of its own.
static const double narrow_one = 44;
// The window's sides in base sizes up to which the type follows the text scale. Beyond that, it
// grows by a part only, so that the picture keeps half of the window and no row loses a figure.
static const double full_width = 36, full_height = 18, full_narrow_height = 24;
static const double slow_growth = 0.15;
// In base sizes: two columns are set smaller in a window narrower than the first, and lose their
// details in one narrower than the second.
static const double full_pair = 58, least_detail = 32;
// A column's letter: its side in base sizes, its largest part of the column, and the gap after it.
static const double letter_side = 2.9, letter_part = 0.17, letter_gap = 0.7;

// The middle of a row's capital letters, in base sizes below its top.
static const double row_middles[BAND_ROWS] = {
    [BAND_TITLE] = 1.15,  [BAND_TIME] = 1.20,    [BAND_SPEED] = 0.60,
    [BAND_DETAIL] = 0.70, [BAND_VERDICT] = 0.72, [BAND_STATUS] = 0.90,
};

struct bands *bands_create(PangoContext *context, const struct overlay_content *content)
{
    struct bands *b = g_new0(struct bands, 1);
    b->content = content;
    for (int i = 0; i < 2 * CELL_COUNT; i++)
        b->cells[i % 2][i / 2].layout = paint_text_create(context);
    return b;
}

void bands_destroy(struct bands *b)
{
    if (!b) return;
    for (int i = 0; i < 2 * CELL_COUNT; i++) g_object_unref(b->cells[i % 2][i / 2].layout);
    g_free(b);
}

// ---- where parts lie ----

static double base_of(const struct bands *b, enum band row)
{
    return row == BAND_STATUS ? b->base : b->upper_base;
}

static int height_of(const struct bands *b, enum band row)
{
    return (int)lround(row_heights[row] * base_of(b, row));
}

// True if the column at a side has the cell in that row; one picture has only the left column.
static bool has_cell(const struct bands *b, int side, enum band row, int cell)
{
    const struct cell_kind *kind = &cell_kinds[cell];
    const bool is_of_side = kind->column == CELL_EACH || kind->column == side;
    return is_of_side && (b->content->is_comparing || side == 0) && kind->spots[b->form].row == row;
}

static bool is_beside_letter(const struct bands *b, enum band row)
{
    return b->content->is_comparing &&
           row < (b->form == FORM_NARROW_PAIR ? BAND_DETAIL : BAND_VERDICT);
}

static bool has_text(const struct bands *b, enum band row)
{
    for (int i = 0; i < 2 * CELL_COUNT; i++)
        if (has_cell(b, i % 2, row, i / 2) && cell_is_shown(b->content, i % 2, i / 2)) return true;
    return false;
}

// One picture has one column, which is as wide as the window.
static void arrange_columns(struct bands *b, int width, double height)
{
    const bool is_pair = b->content->is_comparing;
    const int middle = is_pair ? width / 2 : width;
    const double base = b->upper_base;
    const double room = height - (height > 4 * base ? 2.2 : 0.4) * base;  // "keys" below the letter
    b->letter_side = floor(fmax(0, fmin(fmin(letter_side * base, letter_part * middle), room)));
    const double letter = b->letter_side + (BAND_MARGIN + letter_gap) * base;
    const int start = is_pair ? MIN(middle, (int)ceil(letter)) : 0;
    for (int part = 0; part < band_part(BAND_STATUS, 0); part++) {
        const int left = part % 2 ? middle : 0, right = part % 2 ? width : middle;
        const int inside = is_beside_letter(b, (enum band)(part / 2)) ? left + start : left;
        b->boxes[part].left = inside;
        b->boxes[part].width = right - inside;
    }
    for (int i = 0; i < 2; i++)
        b->boxes[BAND_LETTER + i] = (struct paint_box){i * middle, 0, start, height};
}

// Decides which parts the window shows and where.
static void arrange(struct bands *b, const struct paint *paint)
{
    const bool is_pair = b->content->is_comparing;
    double top = 0, column = 0;
    if (is_pair)
        b->form = paint->width < full_pair * paint->base ? FORM_NARROW_PAIR : FORM_PAIR;
    else
        b->form = paint->width < narrow_one * paint->base ? FORM_NARROW_ONE : FORM_ONE;
    // Beyond a limit the type grows slowly. That of two pictures also shrinks with the window.
    const bool is_narrow = b->form == FORM_NARROW_ONE || b->form == FORM_NARROW_PAIR;
    const double low = is_narrow ? full_narrow_height : full_height;
    const double full = fmin(paint->width / full_width, paint->height / low);
    const double limit = fmax(b->plain, full);
    b->base = fmin(paint->base, limit) + slow_growth * fmax(0, paint->base - limit);
    b->upper_base = b->base;
    if (is_pair) {
        const double smallest = fmax(small_factor * b->plain, fmin(b->base, smallest_font));
        b->upper_base = fmin(b->base, fmax(smallest, paint->width / full_pair));
    }
    // The upper band keeps all its rows as long as one of them has a text, so that it does not
    // jump. One bit a row.
    const bool has_upper =
        has_text(b, BAND_TITLE) || has_text(b, BAND_TIME) || has_text(b, BAND_DETAIL);
    unsigned shown = has_upper || is_pair ? 1u << BAND_TITLE | 1u << BAND_TIME : 0;
    int total = 0;
    if (shown && is_narrow) shown |= 1u << BAND_SPEED;
    if (is_pair) shown |= 1u << BAND_VERDICT;
    if (is_pair ? paint->width >= least_detail * b->upper_base : has_upper)
        shown |= 1u << BAND_DETAIL;
    if (has_text(b, BAND_STATUS)) shown |= 1u << BAND_STATUS;
    for (int i = 0; i < BAND_ROWS; i++)
        if (shown & 1u << i) total += height_of(b, (enum band)i);
    for (int i = 0; i < BAND_ROWS && total > paint->height; i++) {
        if (!(shown & 1u << drop_order[i])) continue;
        shown &= ~(1u << drop_order[i]);
        total -= height_of(b, drop_order[i]);
    }
    for (int row = 0; row < BAND_STATUS; row++) {
        const int height = shown & 1u << row ? height_of(b, (enum band)row) : 0;
        for (int side = 0; side < 2; side++)
            b->boxes[band_part((enum band)row, side)] = (struct paint_box){0, top, 0, height};
        top += height;
        if (is_beside_letter(b, (enum band)row)) column = top;
    }
    arrange_columns(b, paint->width, column);
    const int status = shown & 1u << BAND_STATUS ? height_of(b, BAND_STATUS) : 0;
    b->boxes[band_part(BAND_STATUS, 0)] =
        (struct paint_box){0, paint->height - status, paint->width, status};
}

// The place of a part's text: its start and its largest width.
static struct paint_box room_of(const struct bands *b, enum band row, int side)
{
    struct paint_box box = b->boxes[band_part(row, side)];
    const double air = BAND_MARGIN * base_of(b, row);
    const double left = is_beside_letter(b, row) ? 0 : air;
    box.left += left;
    box.width = fmax(0, box.width - left - air);
    return box;
}

// ---- setting texts ----

static double symbol_width(const struct bands *b, int side, int cell, double size)
{
    static const double badges[] = {
        // in font sizes, with the air around them
        [OVERLAY_BADGE_NONE] = 0,
        [OVERLAY_BADGE_PENDING] = 1.45,
        [OVERLAY_BADGE_GOOD] = 1.55,
        [OVERLAY_BADGE_BAD] = 2.4,
    };
    if (cell == TIME) {  // counts need no clock
        const double room = b->content->sides[side].has_counts_first ? 0.25 : 1;
        return room * clock_room / cell_kinds[TIME].size * size;
    }
    return badges[cell_badge(b->content, side, cell)] * size;
}

// Sets the texts of a part and returns its width. Parts are dropped from the last cell on, as far
// as they may be.
static double set_cells(struct bands *b, enum band row, int side, struct factors f)
{
    const double base = base_of(b, row);
    double width = 0, gap = 0;
    int drop = b->dropped[side];
    for (int i = CELL_COUNT; i-- > 0;) {
        if (!has_cell(b, side, row, i)) continue;
        struct cell_state *state = &b->cells[side][i];
        const struct cell_kind *kind = &cell_kinds[i];
        const double full = kind->size * base;
        state->size = fmax(full * (i == TIME ? f.time : f.rest), fmin(full, smallest_font));
        state->width = 0;
        if (!cell_is_shown(b->content, side, i)) continue;
        const char *const between = row == BAND_DETAIL ? " · " : "   ";
        g_auto(GStrv) parts =
            g_strsplit(cell_text(b->content, side, i), i == STATUS ? "\n" : between, -1);
        const int count = (int)g_strv_length(parts), lost = CLAMP(count - kind->kept, 0, drop);
        drop -= lost;
        for (int k = count - lost; k < count; k++) g_clear_pointer(&parts[k], g_free);
        g_autofree char *text = g_strjoinv(i == STATUS ? " · " : between, parts);
        paint_text_set(state->layout, text, (struct paint_font){state->size, kind->weight, false});
        state->width = paint_text_width(state->layout) + symbol_width(b, side, i, state->size);
        if (state->width <= 0) continue;
        gap = kind->gap * base * f.rest;
        width += state->width + gap;
    }
    b->dropped[side] -= drop;
    return width - gap;  // there is none before the first
}

// Sets a row's texts and returns by how much the wider part exceeds its room.
static double set_row(struct bands *b, enum band row, struct factors f)
{
    double excess = -1;
    for (int side = 0; side <= b->content->is_comparing; side++)
        excess = fmax(excess, set_cells(b, row, side, f) - room_of(b, row, side).width);
    return excess;
}

// Cuts what may be cut; what has no room for even a word and an ellipsis is left out.
static void cut_cells(struct bands *b, enum band row, int side, double excess, double factor)
{
    for (int i = 0; i < CELL_COUNT && excess > 0.01; i++) {  // pixels
        struct cell_state *state = &b->cells[side][i];
        if (!has_cell(b, side, row, i) || state->width <= 0 || !cell_kinds[i].kept) continue;
        const double before = state->width, gap = cell_kinds[i].gap * base_of(b, row);
        const double symbol = symbol_width(b, side, i, state->size);
        const double room = before - symbol - excess;
        state->width = room < 3 * state->size ? 0 : room + symbol;
        paint_text_cut(state->layout, room);
        excess -= before - state->width + (state->width > 0 ? 0 : gap * factor);
    }
    if (excess > 0.01)  // not even the symbols
        for (int i = 0; i < CELL_COUNT; i++)
            if (has_cell(b, side, row, i)) b->cells[side][i].width = 0;
}

// The next smaller fonts of a row: first the rest shrinks, then the time. Returns false if there
// are none.
static bool shrink(struct factors *f, double least)
{
    const double step = 0.08;
    double *next = f->rest > least ? &f->rest : &f->time;
    if (*next <= least) return false;
    *next = fmax(least, *next - step);
    return true;
}

// How far a row shrinks: from `most` to `least` before it loses parts, then to `smallest` before it
// is cut.
struct limits {
    double most, least, smallest;
};

static struct limits limits_of(const struct bands *b, enum band row)
{
    const double plain = fmin(1, b->plain / base_of(b, row));  // as at text scale 1
    const double smallest = small_factor * plain;
    if (row == BAND_STATUS) return (struct limits){1, small_factor, smallest};
    if (row != BAND_DETAIL) return (struct limits){1, smallest, smallest};
    // In large text a good deal larger than at text scale 1, but never larger than the more
    // important figures above.
    const enum band above = cell_kinds[SPEED].spots[b->form].row;
    const double most = b->factors[above].rest * cell_kinds[SPEED].size / cell_kinds[DETAIL].size;
    const double growth = b->base / b->plain;
    const double least = growth > 1 ? fmin(detail_growth, growth) * plain : detail_least;
    return (struct limits){fmin(fmax(1, least), most), fmin(least, most), fmin(least, most)};
}

// Shrinks a row's texts, drops parts, and cuts what still does not fit. After a part was dropped,
// the others begin at their full size again.
static void place_row(struct bands *b, enum band row, struct limits limits)
{
    struct factors f;
    bool has_dropped;
    memset(b->dropped, 0, sizeof b->dropped);
    do {
        f = (struct factors){1, limits.most};
        while (set_row(b, row, f) > 0 && shrink(&f, limits.least)) continue;
        has_dropped = false;
        for (int side = 0; side <= b->content->is_comparing; side++) {
            if (set_cells(b, row, side, f) <= room_of(b, row, side).width) continue;
            const int before = b->dropped[side]++;
            set_cells(b, row, side, f);
            has_dropped |= b->dropped[side] > before;
        }
    } while (has_dropped);
    while (set_row(b, row, f) > 0 && shrink(&f, limits.smallest)) continue;
    for (int side = 0; side <= b->content->is_comparing; side++) {
        const struct paint_box room = room_of(b, row, side);
        double left = room.left;
        cut_cells(b, row, side, set_cells(b, row, side, f) - room.width, f.rest);
        for (int i = 0; i < CELL_COUNT; i++) {
            struct cell_state *state = &b->cells[side][i];
            if (!has_cell(b, side, row, i) || state->width <= 0) continue;
            if (cell_kinds[i].spots[b->form].is_right) {
                state->x = room.left + room.width - state->width;
                continue;
            }
            if (left > room.left) left += cell_kinds[i].gap * base_of(b, row) * f.rest;
            state->x = left;
            left += state->width;
        }
    }
    b->factors[row] = f;
}

void bands_place(struct bands *b, const struct paint *paint, struct paint_box boxes[BAND_PARTS])
{
    b->plain = paint->plain;
    arrange(b, paint);
    for (enum band row = 0; row < BAND_ROWS; row++) {
        const struct limits limits = limits_of(b, row);
        const double sizes[] = {base_of(b, row), b->plain, limits.most, limits.least};
        const uint64_t kind = HASH_VALUE(HASH_VALUE(0, sizes), b->form);
        uint64_t hash = hash_bytes(kind, &b->boxes[band_part(row, 0)], 2 * sizeof *b->boxes);
        for (int i = 0; i < 2 * CELL_COUNT; i++) {
            const int side = i % 2, cell = i / 2;
            if (!has_cell(b, side, row, cell)) continue;
            const enum overlay_badge badge = cell_badge(b->content, side, cell);
            hash = HASH_VALUE(hash_text(hash, cell_text(b->content, side, cell)), badge);
            if (cell_kinds[cell].is_figure)
                hash = HASH_VALUE(hash, b->content->sides[side].is_settled);
            hash = HASH_VALUE(hash, b->content->sides[side].has_counts_first);
        }
        if (hash != b->hashes[row]) place_row(b, row, limits);
        b->hashes[row] = hash;
    }
    memcpy(boxes, b->boxes, sizeof b->boxes);
}

uint64_t bands_hash(const struct bands *b, int part)
{
    const uint64_t side = HASH_VALUE(HASH_VALUE(0, b->letter_side), b->upper_base);
    if (part < BAND_LETTER) return b->hashes[part / 2];
    return HASH_VALUE(side, b->content->pair.active);
}

// ---- drawing ----

static void draw_badge(const struct bands *b, const struct paint *paint, int side, int cell,
                       double middle)
{
    const struct cell_state *s = &b->cells[side][cell];
    const struct paint_theme *t = paint->theme;
    const double size = s->size, baseline = middle + PAINT_HALF_CAPITAL * size;
    const struct paint_box pill = {s->x, middle - 0.85 * size, s->width, 1.7 * size};
    double symbol_x = s->x + 0.55 * size, text_x = s->x + symbol_width(b, side, cell, size);
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

static bool has_badge(int cell)
{
    return cell == BADGE || cell == DIFFERENCE || cell == RATIO;
}

static void draw_line_between_columns(const struct paint *paint, struct paint_box box)
{
    box.width = fmax(1, round(paint->base / 14));
    paint_fill_box(paint, box, 0, paint->theme->edge);
}

static void draw_row(const struct bands *b, const struct paint *paint, enum band row, int side)
{
    const struct paint_box box = b->boxes[band_part(row, side)];
    const double middle = box.top + row_middles[row] * base_of(b, row);
    double largest = 0;  // text of a row, which gives the baseline of both columns
    for (int i = 0; i < 2 * CELL_COUNT; i++) {
        const struct cell_state *s = &b->cells[i % 2][i / 2];
        if (has_cell(b, i % 2, row, i / 2) && s->width > 0 && !has_badge(i / 2))
            largest = fmax(largest, s->size);
    }
    const double baseline = middle + PAINT_HALF_CAPITAL * largest;
    paint_fill_box(paint, box, 0, paint->theme->band);
    if (side && !is_beside_letter(b, row)) draw_line_between_columns(paint, box);
    for (int i = 0; i < CELL_COUNT; i++) {
        if (!has_cell(b, side, row, i) || b->cells[side][i].width <= 0) continue;
        if (has_badge(i)) {
            draw_badge(b, paint, side, i, middle);
        } else {
            const struct cell_state *s = &b->cells[side][i];
            const struct overlay_side *of = &b->content->sides[side];
            const bool is_unsettled = of->has_counts_first ? i == SPEED : !of->is_settled;
            const bool is_grey = cell_kinds[i].is_figure && is_unsettled;
            const struct paint_color color = is_grey ? paint->theme->grey : paint->theme->text;
            paint_text_at_baseline(paint, s->layout, s->x, baseline, color);
            if (i == TIME && is_grey) {
                const double room = symbol_width(b, side, TIME, s->size);
                paint_symbol(paint, PAINT_CLOCK, s->x + s->width - room / 2,
                             baseline - PAINT_HALF_CAPITAL * s->size, 0.48 * room, color);
            }
        }
    }
}

void bands_draw(const struct bands *b, const struct paint *paint, int part)
{
    if (part < BAND_LETTER) {
        draw_row(b, paint, (enum band)(part / 2), part % 2);
        return;
    }
    const int side = part - BAND_LETTER;
    static const char *const letters[] = {"A", "B"};
    const bool is_active = b->content->pair.active == side;
    const double base = b->upper_base;
    const struct paint_box box = b->boxes[BAND_LETTER + side];
    const bool has_keys = box.height > 4 * base;
    const double stack = b->letter_side + (has_keys ? 1.6 * base : 0);
    const struct paint_box letter = {round(box.left + BAND_MARGIN * base),
                                     round(box.top + (box.height - stack) / 2), b->letter_side,
                                     b->letter_side};
    paint_fill_box(paint, box, 0, paint->theme->band);
    if (side) draw_line_between_columns(paint, box);
    tags_draw_box(paint, letters[side], letter, is_active);
    if (!has_keys || !is_active) return;
    const double size = fmin(0.8 * base, letter.width / 2.9);
    const double width = paint_keycap_width(paint, "keys", size);
    paint_keycap(paint, "keys", size, letter.left + (letter.width - width) / 2,
                 letter.top + letter.height + base);
}

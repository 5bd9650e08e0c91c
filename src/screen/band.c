#include "screen/band.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "screen/band_parts.h"

// The heights of rows, in base sizes.
static const double row_heights[BAND_ROWS] = {
    [BAND_TITLE] = 1.95,  [BAND_TIME] = 2.35,    [BAND_SPEED] = 1.45,
    [BAND_DETAIL] = 1.75, [BAND_VERDICT] = 1.75, [BAND_STATUS] = 1.80,
};

// The order in which cells are cut, then left out, in a row that does not fit at its smallest.
static const enum cell cut_order[CELL_COUNT] = {DEVICE, SPREAD, SPEED, STATUS, HINT,       BADGE,
                                                DETAIL, BOUND,  TITLE, TIME,   DIFFERENCE, RATIO};

// The order in which a low window loses rows.
static const enum band drop_order[BAND_ROWS] = {BAND_DETAIL,  BAND_SPEED, BAND_STATUS,
                                                BAND_VERDICT, BAND_TITLE, BAND_TIME};

static const double small_factor = 0.6;  // the rest of a row shrinks to that before the time does
static const double smallest_font = 9;   // pixels; of what is larger, no font becomes smaller
static const double clock_room = 2.2;    // kept free after the time, in base sizes

// The status loses its last parts, down to the first of these counts, before its type becomes
// smaller than small_factor, and down to the second before a cell is cut.
static const int wanted_parts = 4, least_parts = 3;

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

// ---- where ----

double bands_base(const struct bands *b, enum band row)
{
    return row == BAND_STATUS ? b->base : b->upper_base;
}

static int height_of(const struct bands *b, enum band row)
{
    return (int)lround(row_heights[row] * bands_base(b, row));
}

static bool is_narrow(const struct bands *b)
{
    return b->form == FORM_NARROW_ONE || b->form == FORM_NARROW_PAIR;
}

// Beyond a limit the type grows slowly. That of two pictures also shrinks with the window.
static void find_bases(struct bands *b, const struct paint *paint)
{
    const double height = is_narrow(b) ? full_narrow_height : full_height;
    const double full = fmin(paint->width / full_width, paint->height / height);
    const double limit = fmax(b->plain, full);
    b->base = fmin(paint->base, limit) + slow_growth * fmax(0, paint->base - limit);
    b->upper_base = b->base;
    if (!b->content->is_comparing) return;
    const double smallest = fmax(small_factor * b->plain, fmin(b->base, smallest_font));
    b->upper_base = fmin(b->base, fmax(smallest, paint->width / full_pair));
}

bool bands_has_cell(const struct bands *b, int side, enum band row, int cell)
{
    const struct cell_kind *kind = &cell_kinds[cell];
    const bool is_of_side = kind->column == CELL_EACH || kind->column == side;
    return is_of_side && (b->content->is_comparing || side == 0) && kind->spots[b->form].row == row;
}

bool bands_is_beside_letter(const struct bands *b, enum band row)
{
    return b->content->is_comparing &&
           row < (b->form == FORM_NARROW_PAIR ? BAND_DETAIL : BAND_VERDICT);
}

static bool has_text(const struct bands *b, enum band row)
{
    for (int i = 0; i < 2 * CELL_COUNT; i++)
        if (bands_has_cell(b, i % 2, row, i / 2) && cell_is_shown(b->content, i % 2, i / 2))
            return true;
    return false;
}

// The upper band keeps all its rows as long as one of them has a text, so that it does not jump.
// Returns one bit a row.
static unsigned find_wanted_rows(const struct bands *b, int width)
{
    const bool is_pair = b->content->is_comparing;
    const bool has_upper =
        has_text(b, BAND_TITLE) || has_text(b, BAND_TIME) || has_text(b, BAND_DETAIL);
    unsigned wanted = has_upper || is_pair ? 1u << BAND_TITLE | 1u << BAND_TIME : 0;
    if (wanted && is_narrow(b)) wanted |= 1u << BAND_SPEED;
    if (is_pair) wanted |= 1u << BAND_VERDICT;
    if (is_pair ? width >= least_detail * b->upper_base : has_upper) wanted |= 1u << BAND_DETAIL;
    return has_text(b, BAND_STATUS) ? wanted | 1u << BAND_STATUS : wanted;
}

static unsigned find_shown_rows(const struct bands *b, int width, int height)
{
    unsigned shown = find_wanted_rows(b, width);
    int total = 0;
    for (int i = 0; i < BAND_ROWS; i++)
        if (shown & 1u << i) total += height_of(b, (enum band)i);
    for (int i = 0; i < BAND_ROWS && total > height; i++) {
        if (!(shown & 1u << drop_order[i])) continue;
        shown &= ~(1u << drop_order[i]);
        total -= height_of(b, drop_order[i]);
    }
    return shown;
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
        const int inside = bands_is_beside_letter(b, (enum band)(part / 2)) ? left + start : left;
        b->boxes[part].left = inside;
        b->boxes[part].width = right - inside;
    }
    for (int i = 0; i < 2; i++)
        b->boxes[BAND_LETTER + i] = (struct paint_box){i * middle, 0, start, height};
}

// Decides which parts the window shows and where.
static void arrange(struct bands *b, const struct paint *paint)
{
    double top = 0, column = 0;
    if (b->content->is_comparing)
        b->form = paint->width < full_pair * paint->base ? FORM_NARROW_PAIR : FORM_PAIR;
    else
        b->form = paint->width < narrow_one * paint->base ? FORM_NARROW_ONE : FORM_ONE;
    find_bases(b, paint);
    const unsigned shown = find_shown_rows(b, paint->width, paint->height);
    for (int row = 0; row < BAND_STATUS; row++) {
        const int height = shown & 1u << row ? height_of(b, (enum band)row) : 0;
        for (int side = 0; side < 2; side++)
            b->boxes[band_part((enum band)row, side)] = (struct paint_box){0, top, 0, height};
        top += height;
        if (bands_is_beside_letter(b, (enum band)row)) column = top;
    }
    arrange_columns(b, paint->width, column);
    const int status = shown & 1u << BAND_STATUS ? height_of(b, BAND_STATUS) : 0;
    b->boxes[band_part(BAND_STATUS, 0)] =
        (struct paint_box){0, paint->height - status, paint->width, status};
}

// The place of a part's text: its start and its largest width.
struct room {
    double left, width;
};

static struct room room_of(const struct bands *b, enum band row, int side)
{
    const struct paint_box box = b->boxes[band_part(row, side)];
    const double air = BAND_MARGIN * bands_base(b, row);
    const double left = bands_is_beside_letter(b, row) ? 0 : air;
    return (struct room){box.left + left, fmax(0, box.width - left - air)};
}

// ---- placing ----

double bands_symbol_width(const struct bands *b, int side, int cell, double size)
{
    static const double badges[] = {
        // in font sizes, with the air around them
        [OVERLAY_BADGE_NONE] = 0,
        [OVERLAY_BADGE_PENDING] = 1.45,
        [OVERLAY_BADGE_GOOD] = 1.55,
        [OVERLAY_BADGE_BAD] = 2.4,
    };
    if (cell == TIME) return clock_room / cell_kinds[TIME].size * size;
    return badges[cell_badge(b->content, side, cell)] * size;
}

// ---- the status ----

// Takes one part from the status if it has more than the least.
static bool loses_part(struct bands *b, enum band row, int least)
{
    if (row != BAND_STATUS || b->status_parts <= least) return false;
    b->status_parts--;
    return true;
}

// ---- cells ----

// The spaces before a text's last part; NULL: it has only one part.
static char *last_part(const char *text)
{
    return g_strrstr(text, "   ");
}

// The caller frees it.
static char *shown_text(const struct bands *b, int side, int cell)
{
    const struct overlay_content *c = b->content;
    if (cell == STATUS && b->status_parts)
        return g_strndup(c->status, (gsize)c->status_ends[b->status_parts - 1]);
    char *text = g_strdup(cell_text(b->content, side, cell)), *last;
    for (int i = 0; cell_kinds[cell].is_unbroken && i < b->dropped[side]; i++)
        if ((last = last_part(text))) *last = '\0';
    return text;
}

// Sets a cell's text at that factor of its full size.
static void set_cell(struct bands *b, int side, int cell, double base, double factor)
{
    struct cell_state *state = &b->cells[side][cell];
    const double full = cell_kinds[cell].size * base;
    state->size = fmax(full * factor, fmin(full, smallest_font));
    state->width = 0;
    if (!cell_is_shown(b->content, side, cell)) return;
    char *const text = shown_text(b, side, cell);
    paint_text_set(state->layout, text,
                   (struct paint_font){state->size, cell_kinds[cell].weight, false});
    g_free(text);
    state->width = paint_text_width(state->layout) + bands_symbol_width(b, side, cell, state->size);
}

// Sets the texts of a part and returns its width.
static double set_cells(struct bands *b, enum band row, int side, struct factors f)
{
    const double base = bands_base(b, row);
    double width = 0;
    for (int i = 0; i < CELL_COUNT; i++) {
        if (!bands_has_cell(b, side, row, i)) continue;
        set_cell(b, side, i, base, i == TIME ? f.time : f.rest);
        if (b->cells[side][i].width <= 0) continue;
        width += b->cells[side][i].width + (width > 0 ? cell_kinds[i].gap * base * f.rest : 0);
    }
    return width;
}

// Sets a row's texts and returns by how much the wider part exceeds its room.
static double set_row(struct bands *b, enum band row, struct factors f)
{
    double excess = -1;
    for (int side = 0; side <= b->content->is_comparing; side++)
        excess = fmax(excess, set_cells(b, row, side, f) - room_of(b, row, side).width);
    return excess;
}

// Cuts a cell's text to that room, and returns its width; 0: it has no room at all.
static double cut_cell(struct bands *b, int side, int cell, double room)
{
    const struct cell_state *state = &b->cells[side][cell];
    if (cell_kinds[cell].is_unbroken) {  // it loses parts from the end until the rest fits
        char *text = g_strdup(pango_layout_get_text(state->layout)), *last;
        while (paint_text_width(state->layout) > room && (last = last_part(text))) {
            *last = '\0';
            pango_layout_set_text(state->layout, text, -1);
        }
        g_free(text);
        const double width = paint_text_width(state->layout);
        return width > room ? 0 : width;
    }
    if (room < 3 * state->size) return 0;  // not even a word and an ellipsis
    paint_text_cut(state->layout, room);
    return room;
}

static void cut_cells(struct bands *b, enum band row, int side, double excess, double factor)
{
    for (int i = 0; i < CELL_COUNT && excess > 0.01; i++) {  // pixels
        const int cell = cut_order[i];
        struct cell_state *state = &b->cells[side][cell];
        if (!bands_has_cell(b, side, row, cell) || state->width <= 0) continue;
        const double before = state->width, gap = cell_kinds[cell].gap * bands_base(b, row);
        const double symbol = bands_symbol_width(b, side, cell, state->size);
        state->width = cut_cell(b, side, cell, before - symbol - excess);
        if (state->width > 0) {
            state->width += symbol;
        } else {
            pango_layout_set_text(state->layout, "", -1);
            state->width = cell == TIME ? 0 : symbol;
        }
        excess -= before - state->width + (state->width > 0 ? 0 : gap * factor);
    }
    if (excess > 0.01)  // not even the symbols
        for (int i = 0; i < CELL_COUNT; i++)
            if (bands_has_cell(b, side, row, i)) b->cells[side][i].width = 0;
}

static void place_cells(struct bands *b, enum band row, int side, double factor)
{
    const struct room room = room_of(b, row, side);
    double left = room.left;
    for (int i = 0; i < CELL_COUNT; i++) {
        struct cell_state *state = &b->cells[side][i];
        if (!bands_has_cell(b, side, row, i) || state->width <= 0) continue;
        if (cell_kinds[i].spots[b->form].is_right) {
            state->x = room.left + room.width - state->width;
            continue;
        }
        if (left > room.left) left += cell_kinds[i].gap * bands_base(b, row) * factor;
        state->x = left;
        left += state->width;
    }
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

// Makes a row that does not fit a little narrower; false: it is as narrow as it can be.
static bool give_in(struct bands *b, enum band row, struct factors *f, double smallest)
{
    return shrink(f, fmax(small_factor, smallest)) || loses_part(b, row, wanted_parts) ||
           shrink(f, smallest) || loses_part(b, row, least_parts);
}

static bool has_last_part(const struct bands *b, enum band row, int side)
{
    bool has_one = false;
    for (int i = 0; i < CELL_COUNT; i++) {
        if (!cell_kinds[i].is_unbroken || !bands_has_cell(b, side, row, i)) continue;
        char *text = shown_text(b, side, i);
        has_one |= last_part(text) != NULL;
        g_free(text);
    }
    return has_one;
}

// Drops the last part of each column that is still too wide; false: there is none to drop.
static bool drop_parts(struct bands *b, enum band row, struct factors f)
{
    bool has_dropped = false;
    for (int side = 0; side <= b->content->is_comparing; side++) {
        if (set_cells(b, row, side, f) <= room_of(b, row, side).width) continue;
        if (!has_last_part(b, row, side)) continue;
        b->dropped[side]++;
        has_dropped = true;
    }
    return has_dropped;
}

// Gives in step by step, and cuts what still does not fit. After a part was dropped, the others
// begin at their full size again.
static void place_row(struct bands *b, enum band row, double rest)
{
    const double smallest =
        small_factor * fmin(1, b->plain / bands_base(b, row));  // at text scale 1
    struct factors f;
    if (row == BAND_STATUS) b->status_parts = b->content->status_parts;
    b->dropped[0] = b->dropped[1] = 0;
    do {
        f = (struct factors){1, rest};
        while (set_row(b, row, f) > 0 && give_in(b, row, &f, smallest)) continue;
    } while (drop_parts(b, row, f));
    for (int side = 0; side <= b->content->is_comparing; side++) {
        const double room = room_of(b, row, side).width;
        cut_cells(b, row, side, set_cells(b, row, side, f) - room, f.rest);
        place_cells(b, row, side, f.rest);
    }
    b->factors[row] = f;
}

static uint64_t hash_row(const struct bands *b, enum band row, double rest)
{
    const struct paint_box *boxes = &b->boxes[band_part(row, 0)];
    const double sizes[] = {bands_base(b, row), b->plain, rest};
    const uint64_t kind = HASH_VALUE(HASH_VALUE(0, sizes), b->form);
    uint64_t hash = hash_bytes(kind, boxes, 2 * sizeof *boxes);
    for (int i = 0; i < 2 * CELL_COUNT; i++) {
        const int side = i % 2, cell = i / 2;
        if (!bands_has_cell(b, side, row, cell)) continue;
        const enum overlay_badge badge = cell_badge(b->content, side, cell);
        hash = HASH_VALUE(hash_text(hash, cell_text(b->content, side, cell)), badge);
        if (cell_kinds[cell].is_figure) hash = HASH_VALUE(hash, b->content->sides[side].is_settled);
    }
    return hash;
}

// The details never become larger than the more important figures above them.
void bands_place(struct bands *b, const struct paint *paint, struct paint_box boxes[BAND_PARTS])
{
    const double equal = cell_kinds[SPEED].size / cell_kinds[DETAIL].size;
    b->plain = paint->plain;
    arrange(b, paint);
    const enum band above = cell_kinds[SPEED].spots[b->form].row;
    for (int row = 0; row < BAND_ROWS; row++) {
        const double rest = row == BAND_DETAIL ? fmin(1, equal * b->factors[above].rest) : 1;
        const uint64_t hash = hash_row(b, (enum band)row, rest);
        if (hash != b->hashes[row]) place_row(b, (enum band)row, rest);
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

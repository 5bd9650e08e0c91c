#include "draw/lens_view.h"

#include <glib.h>
#include <math.h>

#include "base/hash.h"

// In ems of the text.
static const double padding = 0.7, title_height = 2.1, line_height = 1.5, row_height = 1.55,
                    number_height = 1.1;

// Fills under dark letters, on both themes.
static const struct paint_color fills[] = {PAINT_RGB(0x86ccff), PAINT_RGB(0xffb17a),
                                           PAINT_RGB(0x9be58b), PAINT_RGB(0xf5a3cb),
                                           PAINT_RGB(0xcbaeff), PAINT_RGB(0xffe08a)};
static const struct paint_color conflict_fill = PAINT_RGB(0xff7b72), ink = PAINT_RGB(0x0b0f15);

uint64_t lens_view_hash(const struct lens_view *view)
{
    return view ? HASH_VALUE(0, *view) : 0;
}

// A view that is being drawn; top is where the next row begins.
struct canvas {
    const struct lens_view *view;
    const struct paint *paint;
    struct lens_place *place;
    double em, left, right, top, bottom;
};

static struct paint_color text_color(const struct canvas *c)
{
    return c->view->is_stale ? c->paint->theme->grey : c->paint->theme->text;
}

// Words that are too long for one line get a second one, if they may have it.
static void write_words(struct canvas *c, const char *text, enum paint_weight weight,
                        struct paint_color color, int lines)
{
    const double width = c->right - c->left, room = c->bottom - c->top;
    const double step = line_height * c->em;
    if (paint_measure(c->paint, text, 0.85 * c->em, weight) <= width || room < 2 * step) lines = 1;
    if (lines == 2)
        paint_write_lines(c->paint, text,
                          paint_fit(c->paint, text, c->em, weight, 1.85 * width, 0.62), weight,
                          c->left, c->top + 0.3 * c->em, width, lines, color);
    else if (room >= step)
        paint_write_fitting(c->paint, text, c->em, weight, c->left, c->top + step / 2, width, 0.62,
                            color);
    c->top += lines * step;
}

static void write_line(struct canvas *c, const char *text, enum paint_weight weight)
{
    write_words(c, text, weight, text_color(c), 1);
}

// There is room for so many lines above the lanes.
static bool has_room(const struct canvas *c, int lines)
{
    return c->top + (lines * line_height + number_height + row_height) * c->em <= c->bottom;
}

// The request's place stands behind the title or, without room there, above the request's words.
static bool has_where_in_title(const struct canvas *c)
{
    const struct lens_view *v = c->view;
    const double title = paint_measure(c->paint, v->title, 1.1 * c->em, PAINT_BOLD);
    const double where = paint_measure(c->paint, v->where, 0.7 * c->em, PAINT_MEDIUM);
    return title + 2 * c->em + where <= c->right - c->left;
}

// ---- cells ----

static struct paint_color fill_of(const struct canvas *c, int number)
{
    return c->view->is_stale ? c->paint->theme->edge : fills[number % (int)G_N_ELEMENTS(fills)];
}

// A hatch tells every second number from its neighbours.
static void draw_cell(const struct canvas *c, struct paint_box box, int number, const char *text,
                      bool is_conflict)
{
    const bool is_red = is_conflict && !c->view->is_stale;
    paint_fill_box(c->paint, box, 0, is_red ? conflict_fill : fill_of(c, number));
    if (is_conflict || number % 2)
        paint_hatch_box(c->paint, box, fmax(4, 0.4 * c->em), paint_fade(ink, 0.28));
    const double size = fmin(0.85 * c->em, 0.62 * box.width);
    if (size < 5) return;
    const double fitted = paint_fit(c->paint, text, size, PAINT_SEMIBOLD, 0.94 * box.width, 0.6);
    paint_write(c->paint, text, fitted, PAINT_SEMIBOLD, box.left + box.width / 2,
                box.top + box.height / 2, PAINT_CENTER, ink);
}

static void draw_empty_cell(const struct canvas *c, struct paint_box box)
{
    paint_stroke_box(c->paint, box, 0, fmax(1, c->em / 20), c->paint->theme->edge);
}

static struct paint_box cell_of(struct paint_box row, int index)
{
    const double left = round(row.left + row.width * index / MODEL_LANES);
    const double right = round(row.left + row.width * (index + 1) / MODEL_LANES);
    return (struct paint_box){left, row.top, right - left - 1, row.height};
}

// Numbers over 32 columns, as many as there is room for.
static void write_numbers(struct canvas *c, struct paint_box row)
{
    const double size = 0.75 * c->em;
    const int step = row.width / MODEL_LANES >= 1.6 * size ? 1 : 4;
    for (int i = 0; i < MODEL_LANES; i += step) {
        const struct paint_box cell = cell_of(row, i);
        char text[8];
        g_snprintf(text, sizeof text, "%d", i);
        paint_write(c->paint, text, size, PAINT_NORMAL, cell.left + cell.width / 2,
                    c->top + 0.5 * c->em, PAINT_CENTER, c->paint->theme->grey);
    }
    c->top += number_height * c->em;
}

// ---- lanes ----

// Draws each lane with the number of its sector, wavefront or word.
static void draw_lanes(struct canvas *c, const signed char *number_of)
{
    struct paint_box row = {c->left, c->top, c->right - c->left, 1.7 * c->em};
    write_numbers(c, row);
    row.top = c->top;
    c->place->lanes = row;
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        const struct paint_box cell = cell_of(row, lane);
        char text[8];
        g_snprintf(text, sizeof text, "%d", number_of[lane] + 1);
        if (c->view->request.active & 1u << lane && number_of[lane] >= 0)
            draw_cell(c, cell, number_of[lane], text, false);
        else
            draw_empty_cell(c, cell);
        if (lane == c->view->lane)
            paint_stroke_box(c->paint, paint_inset(cell, -2), 0, fmax(2, 0.15 * c->em),
                             c->paint->theme->text);
    }
    c->top += row.height + 0.4 * c->em;
}

// ---- lines of 128 bytes ----

enum { SECTORS_A_LINE = MODEL_LINE_BYTES / MODEL_SECTOR_BYTES };

// The sectors [first, last) of one line.
struct line {
    unsigned long long number;  // address / 128
    int first, last;
};

// Draws a strip below a sector, which has the sector's colour where lanes want its bytes.
static void draw_used_bytes(const struct canvas *c, struct paint_box strip, unsigned int used,
                            struct paint_color fill)
{
    paint_fill_box(c->paint, strip, 0, paint_fade(c->paint->theme->panel, 1));
    paint_stroke_box(c->paint, strip, 0, fmax(1, c->em / 20), c->paint->theme->edge);
    for (int byte = 0; byte < MODEL_SECTOR_BYTES; byte++) {
        int end = byte;
        while (end < MODEL_SECTOR_BYTES && used & 1u << end) end++;
        if (end == byte) continue;
        const double width = strip.width / MODEL_SECTOR_BYTES;
        const struct paint_box run = {strip.left + byte * width, strip.top, (end - byte) * width,
                                      strip.height};
        paint_fill_box(c->paint, run, 0, fill);
        byte = end;
    }
}

// Draws a line's address and its four sectors, and below each the bytes of it that lanes want.
static void draw_line(const struct canvas *c, const struct lens_sectors *sectors,
                      const struct line *line, struct paint_box box)
{
    const double label = fmin(0.36 * box.width, 8 * c->em);
    const double width = (box.width - label) / SECTORS_A_LINE;
    const unsigned long long address = line->number * MODEL_LINE_BYTES;
    const double room = label - 0.4 * c->em;
    char words[64];
    if (*c->view->memory)
        g_snprintf(words, sizeof words, "%s + %llu", c->view->memory, address - c->view->beginning);
    else
        g_snprintf(words, sizeof words, "0x%llx", address);
    paint_write_fitting(c->paint, words, 0.85 * c->em, PAINT_NORMAL, box.left,
                        box.top + box.height / 2, room, 0.7, c->paint->theme->grey);
    for (int i = 0; i < SECTORS_A_LINE; i++)
        draw_empty_cell(
            c, (struct paint_box){box.left + label + i * width, box.top, width - 1, box.height});
    for (int s = line->first; s < line->last; s++) {
        const int at = (int)(sectors->number[s] % SECTORS_A_LINE);
        struct paint_box cell = {box.left + label + at * width, box.top, width - 1,
                                 0.62 * box.height};
        char text[8];
        g_snprintf(text, sizeof text, "%d", s + 1);
        draw_cell(c, cell, s, text, false);
        cell.top += cell.height;
        cell.height = box.height - cell.height;
        draw_used_bytes(c, cell, sectors->used[s], fill_of(c, s));
    }
}

// Takes as few columns as show all lines, else as many as can be read.
static void draw_lines(struct canvas *c, const struct lens_sectors *sectors)
{
    struct line lines[MODEL_MAX_SECTORS];
    int count = 0;
    for (int i = 0; i < sectors->count; i++) {
        const unsigned long long number = sectors->number[i] / SECTORS_A_LINE;
        if (!count || lines[count - 1].number != number)
            lines[count++] = (struct line){number, i, i};
        lines[count - 1].last = i + 1;
    }
    const double height = row_height * c->em, width = c->right - c->left;
    const int rows = MAX(0, (int)((c->bottom - c->top) / height));
    const int most = MAX(1, (int)(width / (17 * c->em)));
    const int columns = CLAMP((count + rows - 1) / MAX(rows, 1), 1, most);
    const int room = rows * columns, shown = count <= room ? count : MAX(0, room - 1);
    for (int i = 0; i < shown; i++)
        draw_line(c, sectors, &lines[i],
                  (struct paint_box){
                      c->left + i % columns * width / columns, c->top + i / columns * height,
                      width / columns - (columns > 1 ? c->em : 0), height - 0.25 * c->em});
    if (shown == count || !room) return;
    char more[64];
    g_snprintf(more, sizeof more, "and %d more lines of 128 bytes", count - shown);
    paint_write_within(c->paint, more, c->em, PAINT_MEDIUM,
                       c->left + shown % columns * width / columns,
                       c->top + (shown / columns + 0.45) * height, width / columns, text_color(c));
}

// ---- banks ----

// Writes into each bank the first lane that this wavefront serves there, with a plus for others.
static void draw_wavefront(const struct canvas *c, const struct lens_turns *turns, int turn,
                           bool is_conflict, struct paint_box row)
{
    int lanes[MODEL_BANKS], first[MODEL_BANKS] = {0};
    for (int bank = 0; bank < MODEL_BANKS; bank++) lanes[bank] = 0;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        for (int i = 0; i < model_banks_a_lane(&c->view->request); i++) {
            if (turns->of_lane[lane] != turn) continue;
            const int bank = (model_bank(&c->view->request, lane) + i) % MODEL_BANKS;
            if (!lanes[bank]++) first[bank] = lane;
        }
    for (int bank = 0; bank < MODEL_BANKS; bank++) {
        char text[16];
        g_snprintf(text, sizeof text, lanes[bank] > 1 ? "%d+" : "%d", first[bank]);
        if (lanes[bank])
            draw_cell(c, cell_of(row, bank), 0, text, is_conflict);
        else
            draw_empty_cell(c, cell_of(row, bank));
    }
}

static void draw_banks(struct canvas *c)
{
    struct lens_turns turns;
    bool is_conflict[MODEL_LANES * 4] = {false};
    model_turns(&c->view->request, &turns);
    // A wavefront is a conflict's if an earlier one already served its group of lanes. Where groups
    // are merged, the last ones are taken.
    const int group = MODEL_LANES / model_banks_a_lane(&c->view->request);
    unsigned int served = 0;
    int found = 0;
    for (int t = 0; t < turns.count; t++) {
        int first = 0;
        while (first < MODEL_LANES - 1 && turns.of_lane[first] != t) first++;
        is_conflict[t] = served & 1u << first / group;
        served |= 1u << first / group;
        found += is_conflict[t];
    }
    for (int t = 0; t < turns.count && found != turns.count - turns.ideal; t++)
        is_conflict[t] = t >= turns.ideal;
    const double label = 6 * c->em;
    struct paint_box row = {c->left + label, c->top, c->right - c->left - label,
                            (row_height - 0.15) * c->em};
    paint_write(c->paint, "banks", 0.85 * c->em, PAINT_NORMAL, c->left, c->top + 0.5 * c->em,
                PAINT_LEFT, c->paint->theme->grey);
    write_numbers(c, row);
    const int rows = MAX(0, (int)((c->bottom - c->top) / (row_height * c->em)));
    const int shown = turns.count <= rows ? turns.count : MAX(0, rows - 1);
    for (int t = 0; t < shown; t++) {
        row.top = c->top;
        paint_write_within(c->paint, is_conflict[t] ? "conflict" : "wavefront", 0.85 * c->em,
                           PAINT_NORMAL, c->left, row.top + row.height / 2, label, text_color(c));
        draw_wavefront(c, &turns, t, is_conflict[t], row);
        c->top += row_height * c->em;
    }
    if (shown == turns.count || !rows) return;
    char more[64];
    g_snprintf(more, sizeof more, "and %d more wavefronts", turns.count - shown);
    write_line(c, more, PAINT_MEDIUM);
}

// ---- all of it ----

void lens_view_draw(const struct lens_view *view, const struct paint *paint,
                    struct lens_place *place)
{
    const struct paint_box box = place->box;
    const double em = place->em, air = padding * em;
    struct canvas c = {view,           paint,
                       place,          em,
                       box.left + air, box.left + box.width - air,
                       box.top,        box.top + box.height - air / 2};
    place->lanes = (struct paint_box){0, 0, 0, 0};
    paint_fill_box(paint, box, 0, paint_fade(paint->theme->panel, 1));
    paint_clip(paint, box);
    paint_line(paint, box.left, box.top, box.left + box.width, box.top, fmax(2, em / 8),
               paint->theme->edge);
    const bool has_where = has_where_in_title(&c);
    const struct paint_box heading = {c.left, c.top, c.right - c.left, title_height * em};
    paint_heading(paint, heading, em, view->title, has_where ? view->where : "", view->is_active,
                  text_color(&c));
    c.top += (title_height + 0.2) * em;
    if (*view->message) {
        const struct paint_font font = {.size = em, .weight = PAINT_MEDIUM};
        paint_text_wrap(paint->layout, view->message, font, c.right - c.left);
        paint_text_limit(paint->layout, c.bottom - c.top);
        paint_text_at_top(paint, paint->layout, c.left, c.top, paint->theme->text);
        paint_text_limit(paint->layout, -1);
    } else {
        if (*view->totals) {  // in two lines, unless lanes and memory below need the room
            g_autofree char *all =
                g_strconcat(view->totals, *view->conflicts ? " · " : "", view->conflicts, NULL);
            const int below = 2 + 2 * !!*view->fault + !!*view->caveat + !has_where;
            const bool has_two = *view->conflicts || has_room(&c, 2 + below);
            write_words(&c, all, PAINT_SEMIBOLD, text_color(&c), has_two ? 2 : 1);
        }
        if (*view->fault)
            write_words(&c, view->fault, PAINT_SEMIBOLD,
                        view->is_stale ? paint->theme->grey : paint->theme->bad, 2);
        if (*view->caveat)
            write_words(&c, view->caveat, PAINT_NORMAL, text_color(&c),
                        has_room(&c, 4 + !has_where) ? 2 : 1);
        if (view->has_request) {
            if (!has_where && has_room(&c, 2)) write_line(&c, view->where, PAINT_MEDIUM);
            write_line(&c, view->request_words, PAINT_NORMAL);
            struct lens_sectors sectors;
            struct lens_turns turns;
            switch ((enum trace_space)view->request.space) {
            case TRACE_GLOBAL:
            case TRACE_TEXTURE:
                model_sectors(&view->request, &sectors);
                draw_lanes(&c, sectors.of_lane);
                draw_lines(&c, &sectors);
                break;
            case TRACE_SHARED:
                draw_banks(&c);
                break;
            case TRACE_CONSTANT:
                model_turns(&view->request, &turns);
                draw_lanes(&c, turns.of_lane);
                break;
            }
        }
    }
    cairo_restore(paint->cairo);
}

int lens_view_lane_at(const struct lens_place *place, double x, double y)
{
    if (!paint_has_point(place->lanes, x, y)) return -1;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        if (x < cell_of(place->lanes, lane).left + cell_of(place->lanes, lane).width + 1)
            return lane;
    return MODEL_LANES - 1;
}

// lens_request.c -- a request of a lens as the memory sees it: lanes and their sectors, or banks.
// This file is long because all of it draws rows of the same cells.
//
// A full lens has the same cells in another geometry: all wavefronts, with brackets about those
// that need the same banks again, or one strip of all sectors, with a line from each lane to its
// bytes.
#include <glib.h>
#include <math.h>

#include "draw/lens_parts.h"

struct paint_color lens_request_text_color(const struct lens_canvas *c)
{
    return c->view->is_stale ? c->paint->theme->grey : c->paint->theme->text;
}

// ---- cells: lanes, banks and sectors with their numbers ----

// Fills under dark letters, on both themes.
static const struct paint_color fills[] = {PAINT_RGB(0x86ccff), PAINT_RGB(0xffb17a),
                                           PAINT_RGB(0x9be58b), PAINT_RGB(0xf5a3cb),
                                           PAINT_RGB(0xcbaeff), PAINT_RGB(0xffe08a)};
static const struct paint_color conflict_fill = PAINT_RGB(0xff7b72), ink = PAINT_RGB(0x0b0f15);

// In base sizes: smaller numbers are not read from the back of a lecture hall.
static const double least_number = 0.42;

static struct paint_color cell_color(const struct lens_canvas *c, int number)
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
    paint_fill_box(c->paint, box, 0, is_red ? conflict_fill : cell_color(c, number));
    if (is_conflict || number % 2)
        paint_hatch_box(c->paint, box, fmax(4, 0.4 * c->em), paint_fade(ink, 0.28));
}

static void draw_cell(const struct lens_canvas *c, struct paint_box box, int number,
                      const char *text, bool is_conflict)
{
    fill_cell(c, box, number, is_conflict);
    const double size = fmin(number_size(c, box), 0.62 * c->pitch);
    if (size < 5 || !has_numbers(c, box)) return;
    const double fitted = paint_fit(c->paint, text, size, PAINT_SEMIBOLD, 0.94 * box.width, 0.6);
    paint_write(c->paint, text, fitted, PAINT_SEMIBOLD, box.left + box.width / 2,
                box.top + box.height / 2, PAINT_CENTER, ink);
}

// The columns whose numbers are written large where a row has no room for all.
static bool is_numbered(int column)
{
    return column % 8 == 0 || column == MODEL_LANES - 1;
}

// The large numbers of a row, none of which lies on another one.
struct labels {
    struct paint_box boxes[MODEL_BANKS];
    int count;
};

// Writes such a number on a wider cell of the same colour, over cells that were drawn before.
static void label_cell(const struct lens_canvas *c, struct labels *labels, struct paint_box cell,
                       int number, const char *text, bool is_conflict)
{
    const double size = number_size(c, cell);
    if (has_numbers(c, cell) || size < 5) return;
    const double width =
        fmax(cell.width, ceil(paint_measure(c->paint, text, size, PAINT_SEMIBOLD) + 0.2 * size));
    const double left = round(cell.left + (cell.width - width) / 2);
    cell.left = fmax(c->left, fmin(left, c->right - width));
    cell.width = width;
    for (int i = 0; i < labels->count; i++)
        if (paint_has_overlap(labels->boxes[i], cell)) return;
    labels->boxes[labels->count++] = cell;
    fill_cell(c, cell, number, is_conflict);
    paint_write(c->paint, text, size, PAINT_SEMIBOLD, cell.left + width / 2,
                cell.top + cell.height / 2, PAINT_CENTER, ink);
}

// A cell that no lane wants.
static void draw_empty(const struct lens_canvas *c, struct paint_box box)
{
    paint_stroke_box(c->paint, box, 0, fmax(1, c->em / 20), c->paint->theme->edge);
}

// A cell of one of 32 columns.
static struct paint_box cell_of(struct paint_box row, int index)
{
    const double left = round(row.left + row.width * index / MODEL_LANES);
    const double right = round(row.left + row.width * (index + 1) / MODEL_LANES);
    return (struct paint_box){left, row.top, right - left - 1, row.height};
}

// Writes the columns' numbers above a row: all of them or, without room for these, a few larger
// ones.
static void write_numbers(struct lens_canvas *c, struct paint_box row)
{
    const double size = 0.75 * c->em;
    const bool has_all = row.width / MODEL_LANES >= 1.6 * size;
    for (int i = 0; i < MODEL_LANES; i++) {
        if (!has_all && !is_numbered(i)) continue;
        const struct paint_box cell = cell_of(row, i);
        char text[8];
        g_snprintf(text, sizeof text, "%d", i);
        paint_write(c->paint, text, has_all ? size : 0.95 * c->em, PAINT_NORMAL,
                    cell.left + cell.width / 2, c->top + 0.5 * c->em, PAINT_CENTER,
                    c->paint->theme->grey);
    }
    c->top += LENS_NUMBER_HEIGHT * c->em;
}

// The least height of a wavefront in a full lens, in heights of the lens: words give way to it.
static const double least_row = 1.0 / 48;

// ---- lanes ----

static const double lane_height = 1.7, lane_gap = 0.4;  // in ems

// Draws each lane with the number of its sector, wavefront or word.
static void draw_lanes(struct lens_canvas *c, const signed char *number_of)
{
    struct paint_box row = {c->left, c->top, c->right - c->left, lane_height * c->em};
    write_numbers(c, row);
    row.top = c->top;
    c->pitch = row.width / MODEL_LANES;
    c->place->lanes = row;
    struct labels labels = {.count = 0};
    // Large numbers come after the cells that they overlap.
    for (int i = 0; i < 2 * MODEL_LANES; i++) {
        const int lane = i % MODEL_LANES;
        const struct paint_box cell = cell_of(row, lane);
        const bool is_active = c->view->request.active & 1u << lane && number_of[lane] >= 0;
        char text[8];
        g_snprintf(text, sizeof text, "%d", number_of[lane] + 1);
        if (i >= MODEL_LANES && is_active && is_numbered(lane))
            label_cell(c, &labels, cell, number_of[lane], text, false);
        else if (i < MODEL_LANES && is_active)
            draw_cell(c, cell, number_of[lane], text, false);
        else if (i < MODEL_LANES)
            draw_empty(c, cell);
    }
    if (c->view->lane >= 0)
        paint_stroke_box(c->paint, paint_inset(cell_of(row, c->view->lane), -2), 0,
                         fmax(2, 0.15 * c->em), c->paint->theme->text);
    c->top += row.height + lane_gap * c->em;
}

// ---- sectors ----

enum { SECTORS_A_LINE = MODEL_LINE_BYTES / MODEL_SECTOR_BYTES };

// The sectors [first, last) of one line of 128 bytes.
struct line {
    unsigned long long number;  // address / 128
    int first, last;
};

static int find_lines(const struct lens_sectors *sectors, struct line lines[MODEL_MAX_SECTORS])
{
    int count = 0;
    for (int i = 0; i < sectors->count; i++) {
        const unsigned long long number = sectors->number[i] / SECTORS_A_LINE;
        if (!count || lines[count - 1].number != number)
            lines[count++] = (struct line){number, i, i};
        lines[count - 1].last = i + 1;
    }
    return count;
}

void lens_view_write_address(const struct lens_view *view, unsigned long long address, char *text,
                             size_t size)
{
    const unsigned long long offset = address - view->beginning;
    if (!*view->memory)
        g_snprintf(text, size, "0x%llx", address);
    else if (view->element_bytes && offset % (unsigned)view->element_bytes == 0)
        g_snprintf(text, size, "%s[%llu]", view->memory, offset / (unsigned)view->element_bytes);
    else
        g_snprintf(text, size, "byte %llu of %s", offset, view->memory);
}

// Returns the width.
static double write_address(const struct lens_canvas *c, const struct line *line, double left,
                            double middle, double room)
{
    char words[64];
    lens_view_write_address(c->view, line->number * MODEL_LINE_BYTES, words, sizeof words);
    return paint_write_fitting(c->paint, words, 0.85 * c->em, PAINT_NORMAL, left, middle, room, 0.7,
                               c->paint->theme->grey);
}

// Draws a sector's number and its bytes.
static void draw_sector(const struct lens_canvas *c, const struct lens_sectors *sectors, int sector,
                        struct paint_box number, struct paint_box bytes)
{
    char text[8];
    g_snprintf(text, sizeof text, "%d", sector + 1);
    draw_cell(c, number, sector, text, false);
    // Bytes have its colour where lanes want them, and are hatched where they are only fetched.
    paint_fill_box(c->paint, bytes, 0, paint_fade(c->paint->theme->panel, 1));
    paint_hatch_box(c->paint, bytes, fmax(4, 0.3 * c->em), paint_fade(c->paint->theme->grey, 0.6));
    paint_stroke_box(c->paint, bytes, 0, fmax(1, c->em / 20), c->paint->theme->edge);
    for (int byte = 0; byte < MODEL_SECTOR_BYTES; byte++) {
        int end = byte;
        while (end < MODEL_SECTOR_BYTES && sectors->used[sector] & 1u << end) end++;
        if (end == byte) continue;
        const double width = bytes.width / MODEL_SECTOR_BYTES;
        const struct paint_box run = {bytes.left + byte * width, bytes.top, (end - byte) * width,
                                      bytes.height};
        paint_fill_box(c->paint, run, 0, cell_color(c, sector));
        byte = end;
    }
}

// ---- lines of 128 bytes, in a dock ----

// Draws a line's address and its four sectors, those that are touched with their bytes.
static void draw_line(struct lens_canvas *c, const struct lens_sectors *sectors,
                      const struct line *line, struct paint_box box)
{
    const double label = fmin(0.36 * box.width, 8 * c->em);
    const double width = (box.width - label) / SECTORS_A_LINE;
    c->pitch = width;
    write_address(c, line, box.left, box.top + box.height / 2, label - 0.4 * c->em);
    for (int i = 0; i < SECTORS_A_LINE; i++)
        draw_empty(
            c, (struct paint_box){box.left + label + i * width, box.top, width - 1, box.height});
    for (int s = line->first; s < line->last; s++) {
        const int at = (int)(sectors->number[s] % SECTORS_A_LINE);
        const struct paint_box cell = {box.left + label + at * width, box.top, width - 1,
                                       0.62 * box.height};
        draw_sector(c, sectors, s, cell,
                    (struct paint_box){cell.left, cell.top + cell.height, cell.width,
                                       box.height - cell.height});
    }
}

// Takes as few columns as show all lines, else as many as can be read.
static void draw_lines(struct lens_canvas *c, const struct lens_sectors *sectors)
{
    struct line lines[MODEL_MAX_SECTORS];
    const int count = find_lines(sectors, lines);
    const double height = LENS_ROW_HEIGHT * c->em, width = c->right - c->left;
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
    paint_write_within(
        c->paint, more, c->em, PAINT_MEDIUM, c->left + shown % columns * width / columns,
        c->top + (shown / columns + 0.45) * height, width / columns, lens_request_text_color(c));
}

// ---- a strip of sectors, in a full lens ----

// In ems: of its bytes, of the numbers below them, of the addresses, and of the large words.
static const double bytes_height = 2, sector_height = 1.15, address_height = 1.3,
                    moved_height = 2.2;
static const double least_links = 3.5;

struct strip {
    double left[MODEL_MAX_SECTORS], width;  // of a sector
};

// Draws a line from each lane to the bytes that it wants, down to that height.
static void draw_links(const struct lens_canvas *c, const struct lens_sectors *sectors,
                       const struct strip *strip, double bottom)
{
    const struct lens_request *q = &c->view->request;
    const struct paint_box row = c->place->lanes;
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        const int sector = sectors->of_lane[lane];
        if (sector < 0) continue;
        const struct paint_box cell = cell_of(row, lane);
        const int offset = (int)(q->address[lane] % MODEL_SECTOR_BYTES);
        const double middle = offset + MIN(q->bytes, MODEL_SECTOR_BYTES - offset) / 2.0;
        const double to = strip->left[sector] + middle * strip->width / MODEL_SECTOR_BYTES;
        const bool is_pointed = lane == c->view->lane;
        // Pale colours are not seen on a light ground.
        const struct paint_color color = is_pointed                  ? c->paint->theme->text
                                         : c->paint->theme->is_light ? c->paint->theme->grey
                                                                     : cell_color(c, sector);
        paint_line(c->paint, cell.left + cell.width / 2, row.top + row.height, to, bottom,
                   fmax(1, c->em / (is_pointed ? 5 : 14)), color);
    }
}

static void draw_strip(struct lens_canvas *c, const struct lens_sectors *sectors)
{
    struct line lines[MODEL_MAX_SECTORS];
    struct strip strip;
    const int count = find_lines(sectors, lines);
    if (!count) return;
    // All sectors side by side, with a gap between lines.
    const double width = c->right - c->left;
    const double gap = count > 1 ? fmin(0.8 * c->em, 0.12 * width / count) : 0;
    strip.width = (width - gap * (count - 1)) / lines[count - 1].last;
    for (int i = 0; i < count; i++)
        for (int s = lines[i].first; s < lines[i].last; s++)
            strip.left[s] = c->left + s * strip.width + i * gap;
    const double below = (sector_height + address_height + moved_height) * c->em;
    const double height = fmax(bytes_height * c->em, 0.16 * (c->bottom - c->top));
    const double top = fmax(c->top, c->bottom - below - height);
    draw_links(c, sectors, &strip, top);
    c->pitch = strip.width;
    const struct paint_box row = {c->left, top + height, c->right - c->left,
                                  (sector_height - 0.1) * c->em};
    for (int s = 0; s < sectors->count; s++)
        draw_sector(c, sectors, s,
                    (struct paint_box){strip.left[s], row.top, strip.width - 1, row.height},
                    (struct paint_box){strip.left[s], top, strip.width - 1, height});
    struct labels labels = {.count = 0};
    for (int s = 0; s < sectors->count; s++) {
        char text[8];
        g_snprintf(text, sizeof text, "%d", s + 1);
        if (is_numbered(s) || s == sectors->count - 1)
            label_cell(c, &labels,
                       (struct paint_box){strip.left[s], row.top, strip.width - 1, row.height}, s,
                       text, false);
    }
    c->top = top + height + sector_height * c->em;
    double end = c->left - c->em;
    for (int i = 0; i < count; i++) {
        const double left = strip.left[lines[i].first];
        const double room = c->right - left;
        if (left < end + c->em || (i && room < 7 * c->em)) continue;
        end = left + write_address(c, &lines[i], left, c->top + address_height * c->em / 2, room);
    }
    c->top += address_height * c->em;
}

// ---- banks ----

// Writes into each bank the first lane that this wavefront serves there, with a plus for others.
static void draw_wavefront(const struct lens_canvas *c, const struct lens_turns *turns, int turn,
                           struct paint_box row)
{
    const bool is_conflict = turns->is_conflict[turn];
    int lanes[MODEL_BANKS], first[MODEL_BANKS] = {0};
    for (int bank = 0; bank < MODEL_BANKS; bank++) lanes[bank] = 0;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        for (int i = 0; i < model_banks_a_lane(&c->view->request); i++) {
            if (turns->of_lane[lane] != turn) continue;
            const int bank = (model_bank(&c->view->request, lane) + i) % MODEL_BANKS;
            if (!lanes[bank]++) first[bank] = lane;
        }
    struct labels labels = {.count = 0};
    char text[MODEL_BANKS][16];
    for (int bank = 0; bank < MODEL_BANKS; bank++) {
        g_snprintf(text[bank], sizeof text[bank], lanes[bank] > 1 ? "%d+" : "%d", first[bank]);
        if (lanes[bank])
            draw_cell(c, cell_of(row, bank), 0, text[bank], is_conflict);
        else
            draw_empty(c, cell_of(row, bank));
    }
    // The labels of low lanes come first: another one may find no room beside them.
    for (int lane = 0; lane < MODEL_LANES; lane++)
        for (int bank = 0; bank < MODEL_BANKS && is_numbered(lane); bank++)
            if (lanes[bank] && first[bank] == lane)
                label_cell(c, &labels, cell_of(row, bank), 0, text[bank], is_conflict);
}

struct lens_rows lens_request_rows(int count, double room, double em, bool is_full)
{
    const double usual = LENS_ROW_HEIGHT * em;
    const int rows = MAX(0, (int)(room / usual));
    if (is_full && count) return (struct lens_rows){fmin(LENS_FULL_ROW * em, room / count), count};
    return (struct lens_rows){usual, count <= rows ? count : MAX(0, rows - 1)};
}

// Draws a bracket about each run of wavefronts that need the same banks, and how many these are.
static void draw_runs(struct lens_canvas *c, const struct lens_turns *turns, double top,
                      double step, double left)
{
    struct lens_run runs[MODEL_LANES];
    const int count = model_runs(&c->view->request, turns, runs);
    const struct paint_color color = lens_request_text_color(c);
    const double thick = fmax(2, 0.12 * c->em), tick = 0.4 * c->em, air = fmin(2, 0.1 * step);
    for (int i = 0; i < count; i++) {
        const double begin = top + runs[i].first * step + air;
        const double end = top + (runs[i].first + runs[i].count) * step - air;
        if (runs[i].count < 2) continue;
        char text[8];
        g_snprintf(text, sizeof text, "%d×", runs[i].count);
        paint_line(c->paint, left, begin, left + tick, begin, thick, color);
        paint_line(c->paint, left, end, left + tick, end, thick, color);
        paint_line(c->paint, left + tick, begin, left + tick, end, thick, color);
        paint_write_fitting(c->paint, text, fmin(2.2 * c->em, 0.9 * (end - begin)), PAINT_BOLD,
                            left + 2 * tick, (begin + end) / 2, c->right - left - 2 * tick, 0.4,
                            color);
        c->place->repeats = MAX(c->place->repeats, runs[i].count);
    }
}

// Each row has a name in a dock, and a number in a full lens, where runs have brackets at the
// right.
static void draw_banks(struct lens_canvas *c, const struct lens_turns *turns)
{
    const bool is_full = c->place->is_full;
    const double label = (is_full ? 2.6 : 6) * c->em, beside = is_full ? 5.5 * c->em : 0;
    struct paint_box row = {c->left + label, c->top, c->right - c->left - label - beside, 0};
    paint_write_within(c->paint, is_full ? "bank" : "banks", 0.85 * c->em, PAINT_NORMAL, c->left,
                       c->top + 0.5 * c->em, label, c->paint->theme->grey);
    write_numbers(c, row);
    c->pitch = row.width / MODEL_BANKS;
    const double top = c->top;
    const struct lens_rows rows =
        lens_request_rows(turns->count, c->bottom - c->top, c->em, is_full);
    const double size = fmin(0.85 * c->em, 1.06 * rows.step);
    row.height = rows.step - fmax(1, fmin(0.15 * c->em, 0.1 * rows.step));
    c->place->rows = turns->count;
    c->place->shown_rows = rows.shown;
    c->place->row_height = rows.step;
    for (int t = 0; t < rows.shown; t++) {
        char number[8];
        g_snprintf(number, sizeof number, "%d", t + 1);
        row.top = top + t * rows.step;
        paint_write_within(c->paint,
                           is_full                 ? number
                           : turns->is_conflict[t] ? "conflict"
                                                   : "wavefront",
                           size, PAINT_NORMAL, c->left, row.top + row.height / 2, label,
                           lens_request_text_color(c));
        draw_wavefront(c, turns, t, row);
    }
    c->top += rows.shown * rows.step;
    if (is_full) draw_runs(c, turns, top, rows.step, row.left + row.width + 0.4 * c->em);
    if (rows.shown == turns->count || c->bottom - c->top < rows.step) return;
    char more[64];
    g_snprintf(more, sizeof more, "and %d more wavefronts", turns->count - rows.shown);
    paint_write_within(c->paint, more, c->em, PAINT_MEDIUM, c->left, c->top + rows.step / 2,
                       c->right - c->left, lens_request_text_color(c));
}

// ---- all of it ----

double lens_request_room(const struct lens_canvas *c)
{
    const double lanes = LENS_NUMBER_HEIGHT + lane_height + lane_gap;
    if (!c->place->is_full) return (LENS_NUMBER_HEIGHT + LENS_ROW_HEIGHT) * c->em;
    if (c->view->request.space == TRACE_SHARED) {
        struct lens_turns turns;
        model_turns(&c->view->request, &turns);
        return LENS_NUMBER_HEIGHT * c->em + turns.count * least_row * c->place->box.height;
    }
    if (c->view->request.space == TRACE_CONSTANT) return (lanes + moved_height) * c->em;
    return (lanes + least_links + bytes_height + sector_height + address_height + moved_height) *
           c->em;
}

void lens_request_draw(struct lens_canvas *c)
{
    struct lens_sectors sectors;
    struct lens_turns turns;
    const bool is_full = c->place->is_full;
    model_sectors(&c->view->request, &sectors);
    model_turns(&c->view->request, &turns);
    if (c->view->request.space == TRACE_SHARED) {
        draw_banks(c, &turns);
    } else if (c->view->request.space == TRACE_CONSTANT) {
        draw_lanes(c, turns.of_lane);
    } else {
        draw_lanes(c, sectors.of_lane);
        (is_full ? draw_strip : draw_lines)(c, &sectors);
    }
    if (is_full && c->bottom - c->top > (moved_height - 0.1) * c->em)
        paint_write_fitting(c->paint, c->view->moved, 1.7 * c->em, PAINT_BOLD, c->left,
                            c->top + moved_height * c->em / 2, c->right - c->left, 0.4,
                            lens_request_text_color(c));
}

int lens_view_lane_at(const struct lens_place *place, double x, double y)
{
    if (!paint_has_point(place->lanes, x, y)) return -1;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        if (x < cell_of(place->lanes, lane).left + cell_of(place->lanes, lane).width + 1)
            return lane;
    return MODEL_LANES - 1;
}

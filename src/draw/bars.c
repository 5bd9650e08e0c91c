#include "draw/bars.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "draw/plot.h"

// Lengths in sizes of normal text.
static const double title_height = 1.8, row_height = 1.62;
static const double arrow_room = 1.25, gap = 0.7;
static const double least_part = 0.6;  // of a text's size, before it is cut
static const double least_bar = 4;     // room for the longest one

// Columns of texts at the right of the bars. BESIDE has the counts, or the time that they replace.
enum column { CHANGE, BESIDE, SPEED, COLUMNS };

enum { BLOCKS = 1, MEMORY = 2 };  // what gives way

// Where a row's parts are, in pixels from the left.
struct places {
    double key, name, block, bar, bar_room;
    double rights[COLUMNS], widths[COLUMNS];  // no width: there is no such column
    unsigned parts;
};

// Bars in the making.
struct pen {
    const struct paint *paint;
    const struct bars *bars;
    double em, row;  // of a row's text; a row's height
    struct places places;
    double longest;  // ms, or sectors
    int best;
};

double bars_height(int count)
{
    return title_height + row_height * count;
}

static double row_height_in(struct paint_box box, double base, int count)
{
    return fmax(1, fmin(row_height * base, (box.height - title_height * base) / MAX(count, 1)));
}

int bars_find(struct paint_box box, double base, const struct bars *bars, double x, double y)
{
    const double row = row_height_in(box, base, bars->count);
    const double at = (y - box.top - title_height * base) / row;
    if (x < box.left || x >= box.left + box.width || at < 0 || at >= bars->count) return -1;
    return (int)at;
}

// A settled time of what is chosen now, though its result may be wrong.
static bool is_current(const struct bar *b)
{
    return (b->state == BARS_DONE || b->state == BARS_WRONG) && !b->is_stale && !b->is_pending &&
           b->ms > 0;
}

// The value that the bar's length shows; 0: not known.
static double amount_of(const struct bars *bars, const struct bar *b)
{
    return bars->is_by_sectors ? b->sectors : b->ms;
}

// True if the length is final. Counts are.
static bool is_final(const struct bars *bars, const struct bar *b)
{
    return bars->is_by_sectors || is_current(b);
}

static const char *write_amount(const struct bars *bars, const struct bar *b, char *text)
{
    if (bars->is_by_sectors) return b->memory;
    g_strlcpy(text, number_three(b->ms).text, 32);
    return text;
}

static bool has_old_settings(const struct bars *bars, const struct bar *b)
{
    return b->is_stale && strcmp(b->settings, bars->settings) != 0;
}

static bool is_known(const struct bar *b)
{
    return b->state == BARS_DONE && is_current(b);
}

int bars_best(const struct bars *bars)
{
    int best = -1, known = 0;
    if (bars->is_by_sectors) return -1;
    for (int i = 0; i < bars->count; i++) {
        const struct bar *b = &bars->rows[i];
        if (!is_known(b) || b->is_floor) continue;
        known++;
        if (best < 0 || b->ms < bars->rows[best].ms) best = i;
    }
    for (int i = 0; i < bars->count && best >= 0; i++) {
        const struct bar *b = &bars->rows[i];
        const bool may_win = b->is_stale || b->state == BARS_UNKNOWN ||
                             (b->state == BARS_MEASURING && b->ms <= bars->rows[best].ms);
        if (may_win && !b->is_floor) return -1;
    }
    return known > 1 ? best : -1;
}

// ---- columns ----

static void widen(const struct pen *p, double *width, const char *text, double size)
{
    *width = fmax(*width, paint_measure(p->paint, text, size, PAINT_BOLD));
}

// is_short: "sectors" for "sectors per pixel".
static const char *write_head(const struct bars *bars, enum column column, bool is_short,
                              char text[BARS_UNIT])
{
    text[0] = '\0';
    if (column == CHANGE && bars->has_baseline)
        g_strlcpy(text, bars->is_by_sectors ? "± on this CPU" : "± baseline", BARS_UNIT);
    if (column == SPEED && *bars->naive_block)
        g_snprintf(text, BARS_UNIT, "× naive %s", bars->naive_block);
    if (column == BESIDE)
        g_strlcpy(text, bars->is_by_sectors ? "ms on this CPU" : bars->memory_unit, BARS_UNIT);
    char *per = is_short ? strstr(text, " per ") : NULL;
    if (per) *per = '\0';
    return text;
}

static const char *write_cell(const struct bars *bars, const struct bar *b, enum column column,
                              char text[32])
{
    if (column == CHANGE) return bars->has_baseline ? b->change : "";
    if (column == BESIDE && !bars->is_by_sectors) return b->memory;
    if (column == SPEED && b->state == BARS_WRONG) return "wrong";
    const double number = column == BESIDE ? b->ms : b->over_naive;
    g_strlcpy(text, number > 0 ? number_three(number).text : "", 32);
    return text;
}

static double size_of(enum column column, double em)
{
    return column == SPEED ? em : 0.8 * em;
}

enum { NAME = 48 };
static const char *shown_name(const struct bar *b, char *text)
{
    g_snprintf(text, NAME, "%s%s", b->name,
               b->is_expert  ? " (expert)"
               : b->is_floor ? " (floor)"
                             : "");
    return text;
}

// parts: the optional ones that are shown.
static struct places place_parts(const struct pen *p, struct paint_box box, unsigned parts)
{
    const struct bars *bars = p->bars;
    const double em = p->em, small = 0.8 * em;
    double names = 0, blocks = 0, figures = 0, settings = 0;
    struct places at = {.key = box.left + arrow_room * em, .parts = parts};
    for (const struct bar *b = bars->rows; b < bars->rows + bars->count; b++) {
        char amount[32], name[NAME];
        widen(p, &names, shown_name(b, name), em);
        if (parts & BLOCKS) widen(p, &blocks, b->block, small);
        widen(p, &figures, write_amount(bars, b, amount), em);
        if (has_old_settings(bars, b)) widen(p, &settings, b->settings, small);
    }
    at.name = at.key + paint_measure(p->paint, "8", em, PAINT_BOLD) + 0.5 * em;
    at.block = at.name + fmin(names, 0.3 * box.width) + gap * em;
    at.bar = at.block + (blocks > 0 ? blocks + gap * em : 0);
    double end = box.left + box.width - 0.3 * em;
    for (int i = COLUMNS; i-- > 0;) {
        const enum column column = (enum column)i;
        char head[BARS_UNIT], text[32];
        if (column == BESIDE && !(parts & MEMORY)) continue;
        at.rights[i] = end;
        at.widths[i] =
            paint_measure(p->paint, write_head(bars, column, true, head), small, PAINT_NORMAL);
        for (const struct bar *b = bars->rows; b < bars->rows + bars->count; b++)
            widen(p, &at.widths[i], write_cell(bars, b, column, text), size_of(column, em));
        if (at.widths[i] > 0) end -= at.widths[i] + 1.2 * em;
    }
    at.bar_room = fmax(0, end - at.bar - figures - 1.7 * em - settings);
    return at;
}

// ---- a row ----

// The bar of an unsettled time is hollow as well as grey, that of a wrong result is hatched.
static void draw_bar(const struct pen *p, const struct bar *b, double middle, double length,
                     int index)
{
    const struct paint_theme *t = p->paint->theme;
    const double height = round(0.6 * p->row), rounding = fmin(0.16 * p->em, length / 2);
    const struct paint_box box = {round(p->places.bar), round(middle - height / 2), length, height};
    if (b->state != BARS_WRONG && is_final(p->bars, b)) {
        paint_fill_box(p->paint, box, rounding, plot_style_color(p->paint->theme->is_light, index));
        return;
    }
    if (b->state == BARS_WRONG) {
        paint_hatch_box(p->paint, box, 0.3 * p->em, t->text);
        paint_stroke_box(p->paint, box, 0, fmax(1, p->em / 14), t->text);
        return;
    }
    paint_fill_box(p->paint, box, rounding, paint_fade(t->grey, 0.25));
    paint_stroke_box(p->paint, box, rounding, fmax(1, p->em / 14), t->grey);
}

// The bar, its figure, and a symbol for what the figure is worth.
static void draw_amount(const struct pen *p, const struct bar *b, double middle, int index)
{
    const struct paint_theme *t = p->paint->theme;
    const double em = p->em, part = fmin(1, amount_of(p->bars, b) / p->longest);
    const double length = fmax(fmax(2, em / 8), round(part * p->places.bar_room));
    const bool is_wrong = b->state == BARS_WRONG;
    const bool has_star = p->best >= 0 && (index == p->best || (is_known(b) && b->is_alike));
    const struct paint_color color = is_final(p->bars, b) ? t->text : t->grey;
    char text[32];
    draw_bar(p, b, middle, length, index);
    double x = p->places.bar + length + 0.5 * em;
    x += 0.95 * em + paint_write(p->paint, write_amount(p->bars, b, text), em,
                                 has_star || b->is_present ? PAINT_BOLD : PAINT_MEDIUM, x, middle,
                                 PAINT_LEFT, color);
    if (!is_final(p->bars, b)) {
        paint_symbol(p->paint, PAINT_CLOCK, x, middle, 0.95 * em, t->grey);
        if (has_old_settings(p->bars, b))
            paint_write(p->paint, b->settings, 0.8 * em, PAINT_NORMAL, x + 0.8 * em, middle,
                        PAINT_LEFT, t->grey);
    } else if (is_wrong) {
        paint_symbol(p->paint, PAINT_CROSS, x, middle, 0.8 * em, t->text);
    } else if (has_star) {
        paint_symbol(p->paint, PAINT_STAR, x, middle, 1.15 * em, t->text);
    }
}

static void draw_row(const struct pen *p, const struct bar *b, struct paint_box row, int index)
{
    const struct places *at = &p->places;
    const struct paint_theme *t = p->paint->theme;
    const double em = p->em, middle = row.top + row.height / 2;
    const struct paint_color ink = b->state == BARS_REFUSED ? t->grey : t->text;
    const enum paint_weight weight = b->is_present ? PAINT_BOLD : PAINT_MEDIUM;
    char name[NAME];
    if (b->is_present) {
        paint_fill_box(p->paint, row, 0.3 * em, t->cap);
        paint_symbol(p->paint, PAINT_ARROW, row.left + 0.62 * em, middle, 0.8 * em, t->text);
    }
    paint_write(p->paint, b->key, em, PAINT_NORMAL, at->key, middle, PAINT_LEFT, ink);
    paint_write_within(p->paint, shown_name(b, name), em, weight, at->name, middle,
                       at->block - at->name - 0.2 * em, ink);
    if (at->parts & BLOCKS)
        paint_write(p->paint, b->block, 0.8 * em, PAINT_NORMAL, at->block, middle, PAINT_LEFT,
                    t->grey);
    if (b->state == BARS_REFUSED) {  // the reason becomes smaller before it is cut
        const double x = at->bar + 1.4 * em, room = row.left + row.width - x - 0.3 * em;
        paint_symbol(p->paint, PAINT_BARRED, at->bar + 0.5 * em, middle, 0.9 * em, t->grey);
        paint_write_fitting(p->paint, b->reason, 0.86 * em, PAINT_NORMAL, x, middle, room,
                            least_part, t->grey);
        return;
    }
    if (amount_of(p->bars, b) > 0)
        draw_amount(p, b, middle, index);
    else if (p->bars->is_by_sectors && *b->memory)  // why there is none
        paint_write(p->paint, b->memory, 0.86 * em, PAINT_NORMAL, at->bar, middle, PAINT_LEFT,
                    t->grey);
    else
        paint_symbol(p->paint, PAINT_DOTS, at->bar + 0.6 * em, middle, 0.9 * em, t->grey);
    const bool is_settled[COLUMNS] = {is_current(b), !p->bars->is_by_sectors, is_final(p->bars, b)};
    for (int i = 0; i < COLUMNS; i++) {
        char text[32];
        if (at->widths[i] > 0)
            paint_write(p->paint, write_cell(p->bars, b, (enum column)i, text),
                        size_of((enum column)i, em), i == SPEED ? PAINT_MEDIUM : PAINT_NORMAL,
                        at->rights[i], middle, PAINT_RIGHT, is_settled[i] ? t->text : t->grey);
    }
}

// ---- the whole ----

// Heads end where their columns do. A unit is written in full where there is room.
static void draw_title(const struct pen *p, struct paint_box box)
{
    const struct places *at = &p->places;
    const struct paint_theme *t = p->paint->theme;
    const double base = p->paint->base, middle = box.top + 0.7 * base, size = 0.8 * p->em;
    const double title = paint_measure(p->paint, p->bars->title, 1.05 * base, PAINT_BOLD);
    double end = box.left + box.width;
    for (int i = COLUMNS; i-- > 0;) {
        char head[BARS_UNIT];
        const double left = i == BESIDE && at->widths[CHANGE] > 0 ? at->rights[CHANGE] + gap * p->em
                                                                  : box.left + title + base;
        write_head(p->bars, (enum column)i, false, head);
        if (paint_measure(p->paint, head, size, PAINT_NORMAL) > at->rights[i] - left)
            write_head(p->bars, (enum column)i, true, head);
        if (*head && at->widths[i] > 0)
            end = at->rights[i] - paint_write(p->paint, head, size, PAINT_NORMAL, at->rights[i],
                                              middle, PAINT_RIGHT, t->grey);
    }
    const double room = end - base - box.left;
    if (least_part * title <= room || room <= 2 * base)
        paint_write_fitting(p->paint, p->bars->title, 1.05 * base, PAINT_BOLD, box.left, middle,
                            room, least_part, t->text);
    else  // a long title of a recording, beside all columns
        paint_write_lines(
            p->paint, p->bars->title,
            paint_fit(p->paint, p->bars->title, 0.72 * base, PAINT_BOLD, 1.85 * room, least_part),
            PAINT_BOLD, box.left, box.top, room, 2, t->text);
}

void bars_draw(const struct paint *paint, struct paint_box box, const struct bars *bars)
{
    const double row = row_height_in(box, paint->base, bars->count);
    struct pen pen = {.paint = paint,
                      .bars = bars,
                      .em = fmin(paint->base, 0.72 * row),
                      .row = row,
                      .longest = 1e-9,
                      .best = bars_best(bars)};
    for (int i = 0; i < bars->count; i++)
        pen.longest = fmax(pen.longest, amount_of(bars, &bars->rows[i]));
    // Where the bars have no room, the text becomes smaller first. Then the blocks go (the caption
    // repeats that of the present variant), then the lens's figures, which a click on the row
    // shows.
    static const struct {
        unsigned parts;
        double size;
    } tries[] = {{BLOCKS | MEMORY, 1}, {BLOCKS | MEMORY, 0.9}, {BLOCKS | MEMORY, 0.8}, {MEMORY, 1},
                 {MEMORY, 0.9},        {MEMORY, 0.8},          {BLOCKS, 0.8},          {0, 0.8}};
    const double em = pen.em;
    for (size_t i = 0; i < G_N_ELEMENTS(tries); i++) {
        pen.em = tries[i].size * em;
        pen.places = place_parts(&pen, box, tries[i].parts);
        if (pen.places.bar_room >= least_bar * pen.em) break;
    }
    draw_title(&pen, box);
    for (int i = 0; i < bars->count; i++)
        draw_row(&pen, &bars->rows[i],
                 (struct paint_box){box.left, box.top + title_height * paint->base + i * row,
                                    box.width, row},
                 i);
}

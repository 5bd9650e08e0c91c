#include "screen/menu_view.h"

#include <glib.h>
#include <math.h>

#include "base/hash.h"

static const struct {
    double row, title, foot;  // heights
    double padding, arrow, number_gap;
    double foot_font, title_font, place_font, why_font, head_gap;
} em = {.row = 1.75,
        .title = 2.1,
        .foot = 1.8,
        .padding = 1.1,
        .arrow = 1.5,
        .number_gap = 0.9,
        .foot_font = 0.8,
        .title_font = 1.1,
        .place_font = 0.9,
        .why_font = 0.9,
        .head_gap = 0.45};

static const int fewest_rows = 5;  // for which larger text becomes smaller

uint64_t menu_view_hash(const struct menu_view *m)
{
    if (!m) return 0;
    const int numbers[] = {m->count, m->row, m->now};
    uint64_t hash = HASH_VALUE(hash_text(hash_text(0, m->title), m->foot), numbers);
    hash = hash_text(hash, m->why ? m->why : "");
    for (int i = 0; i < m->count; i++) hash = hash_text(hash, m->rows[i]);
    return hash;
}

static enum paint_weight weight_of(const struct menu_view *m, int row)
{
    return row == m->now ? PAINT_BOLD : PAINT_NORMAL;
}

// "3 of 21": how much there is above and below the rows that fit. Empty: there are no rows.
static void write_place(const struct menu_view *m, char *text, size_t size)
{
    text[0] = '\0';
    if (m->count) g_snprintf(text, size, "%d of %d", m->row + 1, m->count);
}

static double frame_height(void)
{
    return 2 * em.padding + em.title + em.head_gap + em.foot;
}

static double find_width(struct menu_place *place, const struct paint *paint,
                         const struct menu_view *m)
{
    const struct menu_view last = {.row = m->count - 1, .count = m->count};
    char number[16], widest_place[32];
    double widest = 0;
    g_snprintf(number, sizeof number, "%d", m->count);
    write_place(&last, widest_place, sizeof widest_place);
    place->numbers = paint_measure(paint, number, place->em, PAINT_BOLD);
    place->counted = paint_measure(paint, widest_place, em.place_font * place->em, PAINT_MEDIUM);
    if (m->count) place->counted += em.number_gap * place->em;
    for (int i = 0; i < m->count; i++)
        widest = fmax(widest, paint_measure(paint, m->rows[i], place->em, weight_of(m, i)));
    const double why =
        m->why ? paint_measure(paint, m->why, em.why_font * place->em, PAINT_MEDIUM) : 0;
    const double rows = widest + place->numbers + (em.arrow + em.number_gap) * place->em;
    const double title =
        paint_measure(paint, m->title, em.title_font * place->em, PAINT_BOLD) + place->counted;
    const double foot = paint_measure(paint, m->foot, em.foot_font * place->em, PAINT_MEDIUM);
    return fmax(fmax(rows, why), fmax(title, foot)) + (2 * em.padding + 0.5) * place->em;
}

void menu_view_place(struct menu_place *place, const struct paint *paint, const struct menu_view *m,
                     struct paint_box area)
{
    // The text is as large as the screen's, or smaller where few rows fit.
    const double few = frame_height() + em.row * MIN(m->count, fewest_rows);
    place->em = fmin(1.05 * paint->base, fmax(area.height / few, 0.6 * paint->plain));
    const double frame = frame_height() * place->em, row = em.row * place->em;
    place->shown = CLAMP((int)floor((area.height - frame) / row), 1, MAX(1, m->count));
    place->first = CLAMP(m->row - place->shown / 2, 0, MAX(0, m->count - place->shown));
    const double width = ceil(fmin(find_width(place, paint, m), area.width));
    const double height = ceil(fmin(frame + place->shown * row, area.height));
    place->box = (struct paint_box){round(area.left + (area.width - width) / 2),
                                    round(area.top + (area.height - height) / 2), width, height};
}

static void draw_row(const struct menu_place *p, const struct paint *paint,
                     const struct menu_view *m, int i, double top)
{
    const struct paint_theme *t = paint->theme;
    const double size = p->em, height = em.row * size, middle = top + height / 2;
    const double left = p->box.left + em.padding * size, right = p->box.left + p->box.width;
    const double numbers = left + em.arrow * size + p->numbers;
    const double text = numbers + em.number_gap * size;
    char number[16];
    if (i == m->row) {
        const struct paint_box box = {p->box.left + 0.4 * size, round(top),
                                      p->box.width - 0.8 * size, round(height)};
        paint_fill_box(paint, box, 0.3 * size, t->cap);
        paint_stroke_box(paint, box, 0.3 * size, fmax(1, size / 16), t->edge);
        paint_symbol(paint, PAINT_ARROW, left + 0.4 * size, middle, 0.9 * size, t->text);
    }
    g_snprintf(number, sizeof number, "%d", i + 1);
    paint_write(paint, number, size, weight_of(m, i), numbers, middle, PAINT_RIGHT, t->text);
    paint_write_within(paint, m->rows[i], size, weight_of(m, i), text, middle,
                       right - text - 0.6 * em.padding * size, t->text);
}

void menu_view_draw(const struct menu_place *p, const struct paint *paint,
                    const struct menu_view *m)
{
    const struct paint_theme *t = paint->theme;
    const double size = p->em, line = fmax(1, size / 16);
    const double left = p->box.left + em.padding * size,
                 room = p->box.width - 2 * em.padding * size;
    struct paint_color background = t->panel;
    double y = p->box.top + em.padding * size;
    background.alpha = 1;  // words lie below
    paint_fill_box(paint, p->box, 0.6 * size, background);
    paint_stroke_box(paint, p->box, 0.6 * size, line, t->edge);
    const double middle = y + em.title / 2 * size - line;
    char place[32];
    const double words = room - p->counted;
    const double title = paint_fit(paint, m->title, em.title_font * p->em, PAINT_BOLD, words, 0.7);
    write_place(m, place, sizeof place);
    paint_write_within(paint, m->title, title, PAINT_BOLD, left, middle, words, paint->theme->text);
    paint_write(paint, place, em.place_font * p->em, PAINT_MEDIUM, left + room, middle, PAINT_RIGHT,
                paint->theme->text);
    y += em.title * size;
    paint_fill_box(paint, (struct paint_box){round(left), round(y), round(room), line}, 0, t->edge);
    y += em.head_gap * size;
    if (m->why) {  // smaller, before it is cut
        const double why = paint_fit(paint, m->why, em.why_font * size, PAINT_MEDIUM, room, 0.6);
        paint_write_within(paint, m->why, why, PAINT_MEDIUM, left, y + em.row / 2 * size, room,
                           t->bad);
    }
    for (int i = p->first; i < p->first + p->shown && i < m->count; i++, y += em.row * size)
        draw_row(p, paint, m, i, y);
    paint_write_within(paint, m->foot, em.foot_font * size, PAINT_MEDIUM, left,
                       p->box.top + p->box.height - (em.padding / 2 + em.foot / 2) * size, room,
                       t->text);
}

#include "screen/menu_view.h"

#include <glib.h>
#include <math.h>

#include "base/hash.h"

// In ems of the text; width: of a menu with rows.
static const double row_height = 1.75, title_height = 2.1, foot_height = 1.8, head_gap = 0.45;
static const double padding = 1.1, arrow = 1.5, gap = 0.9, usual_width = 50;
static const double foot_font = 0.8, title_font = 1.1, place_font = 0.9, group_font = 0.85,
                    why_font = 0.9;
static const double least_name = 0.7;   // of a name's size, before it is cut
static const double group_part = 0.45;  // the most that groups take of the room left of the keys

// Larger text shrinks until the fewest rows fit; more than the most are never shown.
static const int fewest_rows = 5, most_rows = 18;

uint64_t menu_view_hash(const struct menu_view *m)
{
    if (!m) return 0;
    const int numbers[] = {m->count, m->row};
    uint64_t hash = HASH_VALUE(hash_text(hash_text(0, m->title), m->foot), numbers);
    hash = hash_text(hash, m->why ? m->why : "");
    for (int i = 0; i < m->count; i++) {
        const struct menu_row *r = &m->rows[i];
        hash = hash_text(hash_text(hash_text(hash, r->name), r->group), r->key);
        hash = HASH_VALUE(HASH_VALUE(hash, r->is_present), r->is_grey);
    }
    return hash;
}

void menu_view_place(struct menu_place *place, const struct paint *paint, const struct menu_view *m,
                     struct paint_box area)
{
    // The text is as large as the screen's, or smaller where few rows fit.
    const double around = 2 * padding + title_height + head_gap + foot_height;
    const double few = around + row_height * (m->rows ? fewest_rows : 0);
    place->em = fmin(1.05 * paint->base, fmax(area.height / few, 0.6 * paint->plain));
    const double frame = around * place->em, row = row_height * place->em;
    const int fit = CLAMP((int)floor((area.height - frame) / row), 1, most_rows);
    place->shown = m->count ? MIN(fit, m->count) : 1;
    const int first = CLAMP(place->first, m->row - place->shown + 1, m->row);
    place->first = CLAMP(first, 0, MAX(0, m->count - place->shown));
    double wanted = usual_width * place->em;
    if (!m->rows) {  // what a typed value needs
        const double title = paint_measure(paint, m->title, title_font * place->em, PAINT_BOLD);
        const double foot = paint_measure(paint, m->foot, foot_font * place->em, PAINT_MEDIUM);
        const double why =
            m->why ? paint_measure(paint, m->why, why_font * place->em, PAINT_MEDIUM) : 0;
        wanted = fmax(title, fmax(foot, why)) + (2 * padding + 0.5) * place->em;
    }
    const double width = ceil(fmin(wanted, area.width));
    const double height = ceil(fmin(frame + place->shown * row, area.height));
    const double highest = m->rows ? fmin(frame + fit * row, area.height) : height;
    place->box = (struct paint_box){round(area.left + (area.width - width) / 2),
                                    round(area.top + (area.height - highest) / 2), width, height};
    // The widths of the columns, for the rows that are shown. Names give way to short groups, and
    // long groups to names.
    const double size = place->em;
    place->counted[0] = '\0';
    if (m->count)
        g_snprintf(place->counted, sizeof place->counted, "%d of %d", m->row + 1, m->count);
    double groups = 0;
    place->names = place->keys = 0;
    for (int i = place->first; i < place->first + place->shown && i < m->count; i++) {
        const struct menu_row *r = &m->rows[i];
        const enum paint_weight weight = r->is_present ? PAINT_BOLD : PAINT_NORMAL;
        place->names = fmax(place->names, paint_measure(paint, r->name, size, weight));
        groups = fmax(groups, paint_measure(paint, r->group, group_font * size, PAINT_NORMAL));
        if (*r->key) place->keys = fmax(place->keys, paint_keycap_width(paint, r->key, size));
    }
    const double between = (place->keys ? 2 : 1) * gap * size;
    const double room = place->box.width - (2 * padding + arrow) * size - place->keys - between;
    const double widest = fmax(place->names, 1);
    place->names = fmin(place->names, room - fmin(groups, group_part * room));
    place->name_em = size * CLAMP(0.99 * place->names / widest, least_name, 1);
    if (place->names == widest) place->name_em = size;
    place->top = place->box.top + (padding + title_height + head_gap) * place->em;
}

int menu_view_row_at(const struct menu_place *place, double x, double y)
{
    const int row = (int)floor((y - place->top) / (row_height * place->em));
    const bool is_there = paint_has_point(place->box, x, y) && row >= 0 && row < place->shown;
    return is_there ? place->first + row : -1;
}

static void draw_row(const struct menu_place *p, const struct paint *paint,
                     const struct menu_view *m, int i, double top)
{
    const struct paint_theme *t = paint->theme;
    const struct menu_row *row = &m->rows[i];
    const double size = p->em, height = row_height * size, middle = top + height / 2;
    const double left = p->box.left + padding * size;
    const double right = p->box.left + p->box.width - padding * size;
    if (i == m->row) {
        const struct paint_box box = {p->box.left + 0.4 * size, round(top),
                                      p->box.width - 0.8 * size, round(height)};
        paint_fill_box(paint, box, 0.3 * size, t->cap);
        paint_stroke_box(paint, box, 0.3 * size, fmax(1, size / 16), t->edge);
        paint_symbol(paint, PAINT_ARROW, left + 0.4 * size, middle, 0.9 * size, t->text);
    }
    const double name = left + arrow * size, group = name + p->names + gap * size;
    paint_write_within(paint, row->name, p->name_em, row->is_present ? PAINT_BOLD : PAINT_NORMAL,
                       name, middle, p->names, row->is_grey ? t->grey : t->text);
    paint_write_within(paint, row->group, group_font * size, PAINT_NORMAL, group, middle,
                       right - p->keys - (p->keys ? gap * size : 0) - group, t->grey);
    if (*row->key)
        paint_keycap(paint, row->key, size, right - paint_keycap_width(paint, row->key, size),
                     middle);
}

void menu_view_draw(const struct menu_place *p, const struct paint *paint,
                    const struct menu_view *m)
{
    const struct paint_theme *t = paint->theme;
    const double size = p->em, line = fmax(1, size / 16);
    const double left = p->box.left + padding * size, room = p->box.width - 2 * padding * size;
    double y = p->box.top + padding * size;
    paint_panel(paint, p->box, size, 1);  // words lie below
    const double middle = y + title_height / 2 * size - line;
    const double counted = paint_write(paint, p->counted, place_font * size, PAINT_MEDIUM,
                                       left + room, middle, PAINT_RIGHT, t->text);
    paint_write_fitting(paint, m->title, title_font * size, PAINT_BOLD, left, middle,
                        room - counted - (counted > 0 ? gap * size : 0), 0.7, t->text);
    y += title_height * size;
    paint_fill_box(paint, (struct paint_box){round(left), round(y), round(room), line}, 0, t->edge);
    y = p->top;
    if (m->why)
        paint_write_fitting(paint, m->why, why_font * size, PAINT_MEDIUM, left,
                            y + row_height / 2 * size, room, 0.6, t->bad);
    for (int i = p->first; i < p->first + p->shown && i < m->count; i++, y += row_height * size)
        draw_row(p, paint, m, i, y);
    paint_write_within(paint, m->foot, foot_font * size, PAINT_MEDIUM, left,
                       p->box.top + p->box.height - (padding / 2 + foot_height / 2) * size, room,
                       t->text);
}

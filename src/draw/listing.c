#include "draw/listing.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "draw/code.h"

// In ems of the text.
static const double padding = 0.7, title_height = 2.1, line_height = 1.36, bar_width = 0.35;
static const double usual_column = 0.602;

enum {
    MARK_COLUMNS = 3,
    GOES_ON = 4,
    LEAST_COLUMNS = 8,
    AIR_COLUMNS = 4  // a blank and the triangle before figures, half a blank behind
};

double listing_size(double width, int columns)
{
    return width / ((columns + MARK_COLUMNS + 3) * usual_column + 2 * padding + bar_width);
}

// ---- rows ----

// The bytes of a text that fit into so many columns: up to the last blank, if there is one.
static int part_length(const char *text, int columns)
{
    const char *end = text;
    for (int i = 0; i < columns && *end; i++) end = g_utf8_next_char(end);
    if (!*end) return (int)(end - text);
    const char *blank = end;
    while (blank > text && *blank != ' ') blank--;
    return (int)((strspn(text, " ") < (size_t)(blank - text) ? blank : end) - text);
}

// Adds the rows of a line; figures stand at the end of the first.
static void add_rows(GArray *rows, const struct listing_line *line, int index, int columns,
                     int figures)
{
    const int indent = MIN((int)strspn(line->text, " "), columns / 2);
    const int further = MIN(indent + GOES_ON, columns - LEAST_COLUMNS);
    struct listing_row row = {
        .line = index,
        .length = part_length(line->text,
                              *line->figures ? MAX(LEAST_COLUMNS, columns - figures) : columns)};
    g_array_append_val(rows, row);
    if (line->mark == LISTING_HEADING) return;
    for (;;) {
        row.start += row.length;
        row.start += (int)strspn(line->text + row.start, " ");
        if (!line->text[row.start]) return;
        row.indent = further;
        row.length = part_length(line->text + row.start, columns - further);
        g_array_append_val(rows, row);
    }
}

// ---- placing ----

static struct paint_font font_of(double em)
{
    return (struct paint_font){.size = em, .weight = PAINT_NORMAL, .is_fixed = true};
}

static struct paint_box rows_box(const struct listing_view *v)
{
    const double air = padding * v->em, top = title_height * v->em;
    return (struct paint_box){v->box.left + air, v->box.top + top,
                              v->box.width - 2 * air - bar_width * v->em,
                              fmax(0, v->box.height - top - air / 2)};
}

void listing_place(struct listing_view *v, const struct paint *paint, const struct listing *listing,
                   struct paint_box box, double em)
{
    v->listing = listing;
    v->box = box;
    if (em != v->em) {
        static const char ten[] = "0000000000";
        paint_text_set(paint->layout, ten, font_of(em));
        v->column = paint_text_width(paint->layout) / (sizeof ten - 1);
    }
    v->em = em;
    int largest = 1;
    for (int i = 0; i < listing->count; i++) largest = MAX(largest, listing->lines[i].number);
    for (v->number_columns = MARK_COLUMNS; largest; largest /= 10) v->number_columns++;
    const struct paint_box rows = rows_box(v);
    v->columns = MAX(2 * LEAST_COLUMNS, (int)(rows.width / v->column) - v->number_columns);
    if (v->hash != listing->hash || v->hash_columns != v->columns) {
        GArray *list = g_array_new(FALSE, FALSE, sizeof(struct listing_row));
        for (int i = 0; i < v->listing->count; i++)
            add_rows(list, &v->listing->lines[i], i, v->columns,
                     v->listing->figure_columns + AIR_COLUMNS);
        g_free(v->rows);
        v->row_count = (int)list->len;
        v->rows = (struct listing_row *)(void *)g_array_free(list, FALSE);
    }
    v->hash = listing->hash;
    v->hash_columns = v->columns;
    v->shown_rows = (int)(rows.height / (line_height * em));
    const int last = MAX(0, v->row_count - v->shown_rows);  // from here the page is full
    v->first_row = 0;
    while (v->first_row < last && v->rows[v->first_row].line < listing->first) v->first_row++;
}

void listing_finish(struct listing_view *v)
{
    g_free(v->rows);
    *v = (struct listing_view){0};
}

static int line_of_row(const struct listing_view *v, int row)
{
    return v->row_count ? v->rows[CLAMP(row, 0, v->row_count - 1)].line : 0;
}

struct listing_scroll listing_scrolled(const struct listing_view *v)
{
    const int last = MAX(0, v->row_count - v->shown_rows);
    const bool is_within = last > 0 && v->rows[last].start > 0;  // its line begins above
    return (struct listing_scroll){.first = line_of_row(v, v->first_row),
                                   .last = line_of_row(v, last) + is_within,
                                   .page = MAX(1, line_of_row(v, v->first_row + v->shown_rows - 1) -
                                                      line_of_row(v, v->first_row))};
}

int listing_line_at(const struct listing_view *v, double x, double y)
{
    const struct paint_box rows = rows_box(v);
    if (!v->listing || !paint_has_point(rows, x, y)) return -1;
    const int at = (int)((y - rows.top) / (line_height * v->em));
    return at < v->shown_rows && v->first_row + at < v->row_count ? v->rows[v->first_row + at].line
                                                                  : -1;
}

static struct paint_box row_box(const struct listing_view *v, int shown)
{
    const struct paint_box rows = rows_box(v);
    return (struct paint_box){rows.left, rows.top + shown * line_height * v->em, rows.width,
                              line_height * v->em};
}

bool listing_line_box(const struct listing_view *v, int line, struct paint_box *box)
{
    int count = 0;
    for (int i = 0; i < v->shown_rows && v->first_row + i < v->row_count; i++) {
        if (v->rows[v->first_row + i].line != line) continue;
        const struct paint_box row = row_box(v, i);
        if (!count++) *box = row;
        box->height = row.top + row.height - box->top;
    }
    return count > 0;
}

// ---- drawing ----

static void write_code(const struct listing_view *v, const struct paint *paint, const char *text,
                       double x, double baseline, struct paint_color color)
{
    paint_text_set(paint->layout, text, font_of(v->em));
    paint_text_at_baseline(paint, paint->layout, x, baseline, color);
}

// Points at the line whose instruction the lens shows or that is at fault, and writes its cost.
static void draw_figures(const struct listing_view *v, const struct paint *paint,
                         const struct listing_line *line, struct paint_box box, double baseline)
{
    const struct paint_theme *t = paint->theme;
    const double middle = box.top + box.height / 2, size = 0.9 * v->em;
    const double left = box.left + box.width - (v->listing->figure_columns + 0.5) * v->column;
    if (line->is_at_fault && !line->is_now)
        paint_symbol(paint, PAINT_TRIANGLE, box.left + (v->number_columns - 1.6) * v->column,
                     middle, size, v->listing->is_stale ? t->grey : t->bad);
    if (line->is_now)
        paint_symbol(paint, PAINT_ARROW, box.left + (v->number_columns - 1.6) * v->column, middle,
                     size, t->text);
    if (!*line->figures) return;
    const struct paint_color color = v->listing->is_stale ? t->grey
                                     : line->is_worst     ? t->bad
                                                          : t->text;
    if (line->is_worst && !v->listing->is_stale)
        paint_symbol(paint, PAINT_TRIANGLE, left - 0.8 * v->column, middle, size, t->bad);
    write_code(v, paint, line->figures, left, baseline, color);
}

static void draw_row(const struct listing_view *v, const struct paint *paint,
                     const struct listing_row *row, struct paint_box box)
{
    const struct listing_line *line = &v->listing->lines[row->line];
    const double baseline = box.top + box.height / 2 + PAINT_HALF_CAPITAL * v->em;
    if (line->mark == LISTING_HEADING) {
        if (row->start > 0) return;
        const double middle = box.top + 0.58 * box.height;
        const double end = box.left + 0.6 * v->em +
                           paint_write_within(paint, line->text, v->em, PAINT_SEMIBOLD, box.left,
                                              middle, box.width, paint->theme->grey);
        paint_line(paint, end, middle, box.left + box.width, middle, fmax(1, v->em / 16),
                   paint->theme->edge);
        return;
    }
    if (line->mark == LISTING_ADDED || line->mark == LISTING_REMOVED) {
        const bool is_new = line->mark == LISTING_ADDED;
        const struct paint_color tint = is_new ? paint->theme->good : paint->theme->bad;
        paint_fill_box(paint, box, 0, paint_fade(tint, 0.15));
        if (row->start == 0)
            write_code(v, paint, is_new ? "+" : "−", box.left + (v->number_columns - 2) * v->column,
                       baseline, tint);
    }
    if (line->is_marked) paint_fill_box(paint, box, 0, paint_fade(paint->theme->text, 0.12));
    if (line->is_at_fault && !v->listing->is_stale)
        paint_fill_box(paint, box, 0, paint_fade(paint->theme->bad, 0.25));
    if (row->start == 0) draw_figures(v, paint, line, box, baseline);
    if (line->number && row->start == 0) {
        char number[16];
        g_snprintf(number, sizeof number, "%*d", v->number_columns - MARK_COLUMNS, line->number);
        write_code(v, paint, number, box.left, baseline, paint->theme->grey);
    }
    g_autofree char *text = g_strndup(line->text + row->start, (gsize)row->length);
    PangoAttrList *usual = pango_attr_list_ref(pango_layout_get_attributes(paint->layout));
    PangoAttrList *colors = pango_attr_list_new();
    const unsigned char *kinds = line->kinds ? line->kinds + row->start : NULL;
    for (int start = 0, end; kinds && start < row->length; start = end) {
        for (end = start; end < row->length && kinds[end] == kinds[start];) end++;
        paint_text_color(colors, code_color((enum code_kind)kinds[start], paint->theme->is_light),
                         (size_t)start, (size_t)end);
    }
    paint_text_set(paint->layout, text, font_of(v->em));
    pango_layout_set_attributes(paint->layout, colors);
    paint_text_at_baseline(paint, paint->layout,
                           box.left + (v->number_columns + row->indent) * v->column, baseline,
                           paint->theme->text);
    pango_layout_set_attributes(paint->layout, usual);
    pango_attr_list_unref(colors);
    pango_attr_list_unref(usual);
}

void listing_draw(const struct listing_view *v, const struct paint *paint)
{
    const double air = padding * v->em;
    const struct paint_box heading = {v->box.left + air, v->box.top, v->box.width - 2 * air,
                                      title_height * v->em};
    paint_fill_box(paint, v->box, 0, paint_fade(paint->theme->panel, 1));
    paint_clip(paint, v->box);
    paint_heading(paint, heading, v->em, v->listing->title, v->listing->about,
                  v->listing->is_active, paint->theme->text);
    for (int i = 0; i < v->shown_rows && v->first_row + i < v->row_count; i++)
        draw_row(v, paint, &v->rows[v->first_row + i], row_box(v, i));
    const struct paint_box rows = rows_box(v);
    const double width = bar_width * v->em, all = v->row_count;
    const struct paint_box bar = {v->box.left + v->box.width - air - width,
                                  rows.top + rows.height * v->first_row / all, width,
                                  fmax(width, rows.height * v->shown_rows / all)};
    if (v->row_count > v->shown_rows) paint_fill_box(paint, bar, width / 2, paint->theme->edge);
    cairo_restore(paint->cairo);
}

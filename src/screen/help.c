#include <math.h>

#include "base/hash.h"
#include "screen/overlay_parts.h"

// In ems of the text.
static const double row_size = 1.85, title_height = 2.0, before_title = 0.9, key_gap = 0.3;
static const double text_gap = 0.9, column_gap = 3.0, padding_x = 2.0, padding_y = 1.6;
static const double slack =
    0.4;  // after a column's longest text: small letters are rounded to pixels

static const double largest = 1.15;     // font, in base sizes
static const double smallest_help = 8;  // pixels an em; where less fits, texts are cut
static const double measure_size = 48;  // pixels, for the first guess of what fits

static bool is_title(const struct overlay_help *row)
{
    return !row->keys || !*row->keys;
}

static enum paint_weight weight_of(const struct overlay_help *row)
{
    return is_title(row) ? PAINT_BOLD : PAINT_NORMAL;
}

static void measure_rows(struct help *h, const struct paint *paint, double size)
{
    for (int i = 0; i < h->count; i++) {
        const struct overlay_help *row = &h->rows[i];
        h->sizes[i].text = paint_measure(paint, row->text, size, weight_of(row)) / size;
        double width = 0;
        g_auto(GStrv) keys = g_strsplit(is_title(row) ? "" : row->keys, " ", -1);
        for (char **key = keys; *key; key++)
            if (**key) width += paint_keycap_width(paint, *key, size) + key_gap * size;
        h->sizes[i].keys = fmax(0, width - key_gap * size) / size;
    }
}

static double row_height(const struct help *h, int i, bool is_first)
{
    if (!is_title(&h->rows[i])) return row_size;
    return is_first ? title_height : before_title + title_height;
}

// The height that must stay together from row i on: a section, or a title with its first row.
static double piece_height(const struct help *h, int i, bool is_whole, bool is_first, int *rows)
{
    double height = row_height(h, i, is_first);
    *rows = 1;
    if (!is_title(&h->rows[i])) return height;
    for (int k = i + 1; k < h->count && !is_title(&h->rows[k]); k++) {
        height += row_size;
        ++*rows;
        if (!is_whole) break;
    }
    return height;
}

// Rows of the help, up to end.
struct range {
    int start, end;
};

static bool fill_columns(const struct help *h, struct range range, struct help_plan *plan,
                         double limit, bool is_whole)
{
    int column = 0, rows;
    double y = 0;
    plan->height = 0;
    plan->first[0] = range.start;
    for (int i = range.start; i < range.end; i += rows) {
        double height = piece_height(h, i, is_whole, y <= 0, &rows);
        if (y > 0 && y + height > limit + 1e-6) {
            if (++column == plan->columns) return false;
            plan->first[column] = i;
            height = piece_height(h, i, is_whole, true, &rows);
            y = 0;
        }
        y += height;
        plan->height = fmax(plan->height, y);
    }
    while (++column <= plan->columns) plan->first[column] = range.end;
    return true;
}

static double plan_width(const struct help_plan *plan)
{
    double width = 2 * padding_x + column_gap * (plan->columns - 1);
    for (int c = 0; c < plan->columns; c++) width += plan->keys[c] + text_gap + plan->text[c];
    return width;
}

static struct help_plan make_plan(const struct help *h, struct range range,
                                  const struct paint *paint, int columns, bool is_whole)
{
    struct help_plan plan = {.columns = columns};
    double limit = 2;
    while (!fill_columns(h, range, &plan, limit, is_whole)) limit += 0.5;
    for (int c = 0; c < plan.columns; c++) {
        double title = 0;
        for (int i = plan.first[c]; i < plan.first[c + 1]; i++) {
            double *text = is_title(&h->rows[i]) ? &title : &plan.text[c];
            *text = fmax(*text, h->sizes[i].text);
            plan.keys[c] = fmax(plan.keys[c], h->sizes[i].keys);
        }
        plan.text[c] = fmax(plan.text[c], title - plan.keys[c] - text_gap) + slack;
    }
    const double room_x = 0.96 * paint->width, room_y = 0.96 * paint->height;
    const double fitting = fmin(room_x / plan_width(&plan), room_y / (plan.height + 2 * padding_y));
    plan.size = floor(2 * fmin(fitting, largest * paint->base)) / 2;
    return plan;
}

// Fewer columns and whole sections read better, so that others must give a visibly larger font.
static struct help_plan choose_plan(const struct help *h, struct range range,
                                    const struct paint *paint)
{
    struct help_plan best = make_plan(h, range, paint, 1, true);
    for (int is_whole = 1; is_whole >= 0; is_whole--)
        for (int columns = 2; columns <= HELP_COLUMNS; columns++) {
            const struct help_plan plan = make_plan(h, range, paint, columns, is_whole);
            if (plan.size > 1.1 * best.size) best = plan;
        }
    return best;
}

static int end_of_section(const struct help *h, int start)
{
    int end = start + 1;
    while (end < h->count && !is_title(&h->rows[end])) end++;
    return end;
}

// Larger text than at scale 1 grows in proportion, as far as every section fits a page. 0: one page
// holds all.
static double find_page_size(const struct help *h, const struct paint *paint, double whole)
{
    const double scale = paint->plain > 0 ? paint->base / paint->plain : 1;
    double size = whole * scale;
    if (scale <= 1) return 0;
    for (int start = 0, end; start < h->count; start = end) {
        end = end_of_section(h, start);
        size = fmin(size, choose_plan(h, (struct range){start, end}, paint).size);
    }
    return size > whole ? size : 0;
}

static void plan_pages(struct help *h, const struct paint *paint, int page)
{
    struct range range = {0, h->count};
    h->plan = choose_plan(h, range, paint);
    h->page = 0;
    h->pages = 1;
    const double size = find_page_size(h, paint, h->plan.size);
    if (size <= 0) return;
    h->pages = 0;
    for (int start = 0; start < h->count; start = range.end, h->pages++) {
        // The sections from start on that one page can show at that size, at least one.
        range = (struct range){start, end_of_section(h, start)};
        while (range.end < h->count) {
            const struct range longer = {start, end_of_section(h, range.end)};
            if (choose_plan(h, longer, paint).size < size) break;
            range = longer;
        }
        if (h->pages > page) continue;
        h->plan = choose_plan(h, range, paint);
        h->page = h->pages;
    }
    h->plan.size = fmin(h->plan.size, size);
}

void help_place(struct help *h, const struct paint *paint, const struct overlay_help *rows,
                int count, int page)
{
    h->rows = rows;
    h->count = MIN(count, HELP_ROWS);
    const double sizes[] = {paint->width, paint->height, paint->base, paint->plain, page};
    uint64_t hash = HASH_VALUE(0, sizes);
    for (int i = 0; i < h->count; i++)
        hash = hash_text(hash_text(hash, rows[i].keys), rows[i].text);
    if (hash == h->hash) return;
    h->hash = hash;
    measure_rows(h, paint, measure_size);
    plan_pages(h, paint, page);
    // Letters are rounded to pixels, so that their width in ems depends on the size: rows are drawn
    // at the size at which they were measured last, and which allows no larger one.
    for (double size = INFINITY; h->plan.size < size;) {
        size = fmax(h->plan.size, smallest_help);
        measure_rows(h, paint, size);
        plan_pages(h, paint, page);
        if (h->plan.size >= size || size <= smallest_help) h->plan.size = size;
    }
    // In a window that is too small for the smallest font all columns become narrower alike.
    const double excess = plan_width(&h->plan) - 0.96 * paint->width / h->plan.size;
    for (int c = 0; c < h->plan.columns && excess > 0; c++)
        h->plan.text[c] = fmax(0, h->plan.text[c] - excess / h->plan.columns);
}

static void draw_help_row(const struct help *h, const struct paint *paint, int i, int column,
                          double x, double bottom)
{
    const double size = h->plan.size, middle = bottom - row_size / 2 * size;
    const double keys = h->plan.keys[column] + text_gap, text = h->plan.text[column];
    const struct overlay_help *row = &h->rows[i];
    const bool is_heading = is_title(row);
    const double room = (is_heading ? keys + text : text) * size;
    g_auto(GStrv) each = g_strsplit(is_heading ? "" : row->keys, " ", -1);
    double left = x;
    for (char **key = each; *key; key++) {
        if (!**key) continue;
        paint_keycap(paint, *key, size, left, middle);
        left += paint_keycap_width(paint, *key, size) + key_gap * size;
    }
    paint_write_within(paint, row->text, size, weight_of(row), is_heading ? x : x + keys * size,
                       middle, room, paint->theme->text);
    if (is_heading)
        paint_fill_box(paint,
                       (struct paint_box){round(x), round(bottom - 0.2 * size),
                                          round((keys + text) * size), fmax(1, round(size / 16))},
                       0, paint->theme->edge);
}

void help_draw(const struct help *h, const struct paint *paint)
{
    const struct help_plan *plan = &h->plan;
    const double size = plan->size, width = round(plan_width(plan) * size);
    const double height = round((plan->height + 2 * padding_y) * size);
    const struct paint_box box = {round((paint->width - width) / 2),
                                  fmax(0, round((paint->height - height) / 2)), width,
                                  fmin(height, paint->height)};
    const struct paint_box window = {0, 0, paint->width, paint->height};
    paint_fill_box(paint, window, 0, paint->theme->scrim);
    paint_panel(paint, box, size, paint->theme->panel.alpha);
    double x = box.left + padding_x * size;
    for (int c = 0; c < plan->columns; c++) {
        double y = box.top + padding_y * size;
        for (int i = plan->first[c]; i < plan->first[c + 1]; i++) {
            y += row_height(h, i, i == plan->first[c]) * size;
            if (y > box.top + box.height) break;
            draw_help_row(h, paint, i, c, x, y);
        }
        x += (plan->keys[c] + text_gap + plan->text[c] + column_gap) * size;
    }
    // In the panel's lower edge: which page this is, and what the key does next.
    if (h->pages <= 1) return;
    char text[64];
    g_snprintf(text, sizeof text, "page %d of %d   h: %s", h->page + 1, h->pages,
               h->page + 1 < h->pages ? "next" : "close");
    paint_write_fitting(paint, text, 0.85 * size, PAINT_MEDIUM, box.left + padding_x * size,
                        box.top + box.height - 0.75 * size, box.width - 2 * padding_x * size, 0.5,
                        paint->theme->text);
}

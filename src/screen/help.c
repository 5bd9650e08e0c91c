#include <math.h>

#include "base/hash.h"
#include "screen/overlay_parts.h"

// In ems of the text.
static const double row_size = 1.85, title_height = 2.0, before_title = 0.9, key_gap = 0.3;
static const double text_gap = 0.9, column_gap = 3.0, padding_x = 2.0, padding_y = 1.6;

static const double largest = 1.15;     // font, in base sizes
static const double smallest_help = 5;  // pixels an em; where less fits, texts are cut
static const double window_part = 0.96;

static bool is_title(const struct overlay_help *row)
{
    return !row->keys || !*row->keys;
}

static double row_height(const struct help *h, int i, bool is_first)
{
    if (!is_title(&h->rows[i])) return row_size;
    return is_first ? title_height : before_title + title_height;
}

static double plan_width(const struct help_plan *plan)
{
    double width = 2 * padding_x + column_gap * (plan->columns - 1);
    for (int c = 0; c < plan->columns; c++) width += plan->keys[c] + text_gap + plan->text[c];
    return width;
}

// Adds a column of the sections that fit from a row on, at least one. Returns the row behind them.
static int fill_column(const struct help *h, struct help_plan *plan, int first, double room)
{
    const int c = plan->columns++;
    double title = 0, y = 0;
    int end = first;
    while (end < h->count) {
        int next = end + 1;
        double height = 0;
        while (next < h->count && !is_title(&h->rows[next])) next++;
        for (int i = end; i < next; i++) height += row_height(h, i, i == first);
        if (end > first && y + height > room) break;
        y += height;
        end = next;
    }
    for (int i = first; i < end; i++) {
        double *text = is_title(&h->rows[i]) ? &title : &plan->text[c];
        *text = fmax(*text, h->sizes[i].text);
        plan->keys[c] = fmax(plan->keys[c], h->sizes[i].keys);
    }
    plan->text[c] = fmax(plan->text[c], title - plan->keys[c] - text_gap);
    plan->height = fmax(plan->height, y);
    plan->first[c] = first;
    plan->first[c + 1] = end;
    return end;
}

// Makes pages of so many columns, and keeps the wanted one. False: one of them does not fit.
static bool fill_pages(struct help *h, const struct paint *paint, double size, int columns,
                       int wanted)
{
    const double room_x = window_part * paint->width / size;
    const double room_y = window_part * paint->height / size - 2 * padding_y;
    bool fits = true;
    h->pages = 0;
    for (int at = 0; at < h->count; h->pages++) {
        struct help_plan plan = {.size = size};
        while (at < h->count && plan.columns < columns) at = fill_column(h, &plan, at, room_y);
        fits &= plan_width(&plan) <= room_x && plan.height <= room_y;
        if (h->pages > wanted) continue;
        h->plan = plan;
        h->page = h->pages;
    }
    return fits;
}

// Rows are measured at the size at which they are drawn, because letters are rounded to pixels.
static bool fits_at(struct help *h, const struct paint *paint, double size, int page,
                    int most_pages)
{
    for (int i = 0; i < h->count; i++) {
        const struct overlay_help *row = &h->rows[i];
        const enum paint_weight weight = is_title(row) ? PAINT_BOLD : PAINT_NORMAL;
        h->sizes[i].text = paint_measure(paint, row->text, size, weight) / size;
        double width = 0;
        g_auto(GStrv) keys = g_strsplit(is_title(row) ? "" : row->keys, " ", -1);
        for (char **key = keys; *key; key++)
            if (**key) width += paint_keycap_width(paint, *key, size) + key_gap * size;
        h->sizes[i].keys = fmax(0, width - key_gap * size) / size;
    }
    for (int columns = HELP_COLUMNS; columns; columns--)
        if (fill_pages(h, paint, size, columns, page) && h->pages <= most_pages) return true;
    return false;
}

// Larger text than at scale 1 grows in proportion, as far as every section fits a page.
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
    double whole = fmax(smallest_help, floor(largest * paint->plain));  // one page holds all
    while (whole > smallest_help && !fits_at(h, paint, whole, page, 1)) whole--;
    double size = floor(whole * paint->base / paint->plain);
    while (size > whole && !fits_at(h, paint, size, page, h->count)) size--;
    if (size <= whole && !fits_at(h, paint, whole, 0, 1)) {  // a small window shows what it can
        fill_pages(h, paint, whole, HELP_COLUMNS, 0);
        h->pages = 1;
    }
    // In a window that is too small for the smallest font all columns become narrower alike.
    const double excess = plan_width(&h->plan) - window_part * paint->width / h->plan.size;
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
    paint_write_within(paint, row->text, size, is_heading ? PAINT_BOLD : PAINT_NORMAL,
                       is_heading ? x : x + keys * size, middle, room, paint->theme->text);
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

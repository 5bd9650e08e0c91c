// sheet_page.c -- the page of a sheet: where things are, how they are drawn, and its file.
#include "draw/sheet.h"

#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "draw/paint.h"

// ---- pixels ----

// The size at which a whole picture fits into a box: smaller by any factor, larger only by whole
// ones, so that its pixels stay square and sharp. At least 1x1.
static void fit(struct planes picture, int box_width, int box_height, int *width, int *height)
{
    const double zoom =
        fmin((double)box_width / picture.width, (double)box_height / picture.height);
    const double factor = zoom > 1 ? floor(zoom) : zoom;
    *width = MAX(1, (int)round(picture.width * factor));
    *height = MAX(1, (int)round(picture.height * factor));
}

// Adds a row's areas to sums, weighted by how much of the row counts.
static void add_row(double *sums, int width, const unsigned char *row, int from_width,
                    double weight)
{
    const double step = (double)from_width / width;
    for (int x = 0; x < width; x++) {
        const double left = x * step, right = MIN(left + step, from_width);
        double sum = 0;
        for (int u = (int)left; u < right; u++) sum += row[u] * (MIN(right, u + 1) - MAX(left, u));
        sums[x] += sum * weight;
    }
}

// First and last pixel that an output pixel's area touches.
static void touched(int at, int size, int from_size, int *first, int *last)
{
    *first = (int)((int64_t)at * from_size / size);
    *last = (int)(((int64_t)(at + 1) * from_size - 1) / size);
}

// Plain averages of the areas, in the file's values as the filters do it, or (is_max) the largest
// value of each area. `to` has the wanted shape and the same planes.
static void scale(struct planes to, struct planes from, bool is_max)
{
    g_autofree double *sums = g_new(double, (size_t)to.width);
    const double step = (double)from.height / to.height;
    int x0, x1, y0, y1;
    for (int row = 0; row < to.count * to.height; row++) {
        const int plane = row / to.height, y = row % to.height;
        const double top = y * step, bottom = fmin(top + step, from.height);
        const double area = (bottom - top) * from.width / to.width;
        unsigned char *const made = planes_row(to, plane, y);
        touched(y, to.height, from.height, &y0, &y1);
        memset(sums, 0, (size_t)to.width * sizeof *sums);
        for (int v = (int)top; v < bottom && !is_max; v++)
            add_row(sums, to.width, planes_row(from, plane, v), from.width,
                    fmin(bottom, v + 1) - fmax(top, v));
        for (int x = 0; x < to.width; x++) {
            unsigned char max = 0;
            touched(x, to.width, from.width, &x0, &x1);
            for (int v = y0; v <= y1 && is_max; v++)
                for (int u = x0; u <= x1; u++) max = MAX(max, planes_row(from, plane, v)[u]);
            made[x] = is_max ? max : (unsigned char)CLAMP(sums[x] / area + 0.5, 0, 255);
        }
    }
}

cairo_surface_t *sheet_surface(struct planes picture, enum color_map map)
{
    const struct color_map_table table = color_map_table(map);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture.width, picture.height);
    cairo_surface_flush(surface);
    unsigned char *data = cairo_image_surface_get_data(surface);
    if (!data) return surface;
    const int stride = cairo_image_surface_get_stride(surface), blue = picture.count - 1;
    for (int y = 0; y < picture.height; y++) {
        uint32_t *row = (uint32_t *)(void *)(data + (size_t)y * (size_t)stride);
        for (int x = 0; x < picture.width; x++) {
            const unsigned char rgb[] = {planes_row(picture, 0, y)[x],
                                         planes_row(picture, blue / 2, y)[x],
                                         planes_row(picture, blue, y)[x]};
            const unsigned char *shown = blue ? rgb : table.colors[rgb[0]];
            row[x] = (uint32_t)(shown[0] << 16 | shown[1] << 8 | shown[2]);
        }
    }
    cairo_surface_mark_dirty(surface);
    return surface;
}

// ---- layout ----

enum { MARGIN = 56, GUTTER = 40, MAX_COLUMNS = 4, ROW_GAP = 44 };
enum { HEADING = 152, TEXTS = 162, NOTE_LINE = 34, FOOTER = 92, SLIDE_HEIGHT = 1080 };

static const double TITLE = 48, STRONG = 32, NORMAL = 25;  // sizes of text

struct layout {
    int columns, rows;
    int cell_width, picture_height, cell_height;
    int height;
};

// A pair's notes are long, and have a line to themselves.
static int note_line(const struct sheet *sheet)
{
    return sheet->kind == SHEET_PAIR ? NOTE_LINE : 0;
}

// Takes the layout that is nearest to a slide's shape and has few empty places. The box of a very
// flat or very high picture is less so.
static struct layout lay_out(const struct sheet *sheet, int count)
{
    const struct planes shape = sheet->picture;
    const double aspect = shape.width ? (double)shape.height / shape.width : 0.5625;
    struct layout best = {0};
    double least = INFINITY;
    for (int columns = 1; columns <= MIN(count, MAX_COLUMNS); columns++) {
        struct layout l = {.columns = columns, .rows = (count + columns - 1) / columns};
        l.cell_width = (SHEET_WIDTH - 2 * MARGIN - (columns - 1) * GUTTER) / columns;
        l.picture_height = (int)round(l.cell_width * CLAMP(aspect, 0.3, 1.0));
        l.cell_height =
            l.picture_height + TEXTS + note_line(sheet) + (sheet->has_memory ? NOTE_LINE : 0);
        l.height = HEADING + l.rows * l.cell_height + (l.rows - 1) * ROW_GAP + FOOTER;
        const double distance =
            fabs(log((double)l.height / SLIDE_HEIGHT)) + 0.15 * (l.columns * l.rows - count);
        if (distance >= least) continue;
        least = distance;
        best = l;
    }
    return best;
}

bool sheet_shrink(struct image *small, const struct sheet *sheet, struct planes picture,
                  bool is_max, struct error *err)
{
    const struct layout l = lay_out(sheet, sheet->planned);
    struct image made = {0};
    int width, height;
    fit(picture, l.cell_width, l.picture_height, &width, &height);
    if (width > picture.width) width = picture.width, height = picture.height;
    if (!image_init(&made, width, height, picture.count, err)) return false;
    scale(made.planes, picture, is_max);
    *small = made;
    return true;
}

// ---- drawing ----

static const struct paint_color paper = PAINT_RGB(0xffffff), mount = PAINT_RGB(0xf3f5f7),
                                line = PAINT_RGB(0xd9dee4);
static const struct paint_color track = PAINT_RGB(0xe8ebef), bar = PAINT_RGB(0x66788f);

struct pen {
    const struct paint *paint;
    const struct sheet *sheet;
    double longest_ms;
};

// Writes from x to the right, on a baseline, as much as there is room for. Returns the width.
static double write_left(const struct pen *pen, const char *text, double size,
                         enum paint_weight weight, double x, double baseline, double room,
                         struct paint_color color)
{
    return paint_write_within(pen->paint, text, size, weight, x,
                              baseline - PAINT_HALF_CAPITAL * size, room, color);
}

static double write_right(const struct pen *pen, const char *text, double size,
                          enum paint_weight weight, double x, double baseline,
                          struct paint_color color)
{
    return paint_write(pen->paint, text, size, weight, x, baseline - PAINT_HALF_CAPITAL * size,
                       PAINT_RIGHT, color);
}

static void draw_reason(const struct pen *pen, struct paint_box box, const char *reason)
{
    const double symbol = 44, room = box.width - 64;
    const struct paint_font font = {.size = NORMAL, .weight = PAINT_NORMAL};
    const double left = box.left + (box.width - room) / 2;
    paint_text_wrap(pen->paint->layout, reason, font, room);
    paint_text_limit(pen->paint->layout, box.height - symbol - 48);
    pango_layout_set_alignment(pen->paint->layout, PANGO_ALIGN_CENTER);
    const double height = symbol + 16 + paint_text_height(pen->paint->layout);
    const double top = box.top + (box.height - height) / 2;
    paint_text_at_top(pen->paint, pen->paint->layout, left, top + symbol + 16,
                      pen->paint->theme->text);
    pango_layout_set_alignment(pen->paint->layout, PANGO_ALIGN_LEFT);
    pango_layout_set_height(pen->paint->layout, -1);
    paint_symbol(pen->paint, PAINT_BARRED, box.left + box.width / 2, top + symbol / 2, symbol,
                 pen->paint->theme->warning);
}

static void show(cairo_t *cairo, struct planes picture, struct paint_box box, enum color_map map,
                 bool is_max)
{
    OWNED(image_finish) struct image scaled = {0};
    if (!image_init(&scaled, (int)box.width, (int)box.height, picture.count, NULL)) return;
    scale(scaled.planes, picture, is_max);
    cairo_surface_t *surface = sheet_surface(scaled.planes, map);
    cairo_set_source_surface(cairo, surface, box.left, box.top);
    cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
    cairo_fill(cairo);
    cairo_surface_destroy(surface);
}

// Draws the detail in the lower right corner, or in the left one if it would cover its own place.
static void draw_detail(const struct pen *pen, struct paint_box box, const struct sheet_cell *cell)
{
    enum { FRAME = 4, INSET = 10 };
    const struct sheet *s = pen->sheet;
    const int zoom = MAX(2, (int)(box.height * 0.46 / SHEET_DETAIL));
    const double side = zoom * SHEET_DETAIL, scale = box.width / s->picture.width;
    const double width = fmax(SHEET_DETAIL * scale, 8);
    const double bottom = box.top + box.height - INSET;
    const struct paint_box place = {round(box.left + s->detail_left * scale) - 2,
                                    round(box.top + s->detail_top * scale) - 2, round(width) + 4,
                                    round(width) + 4};
    struct paint_box loupe = {box.left + box.width - INSET - side, bottom - side, side, side};
    if (place.left + place.width > loupe.left - 16 && place.top + place.height > loupe.top - 16)
        loupe.left = box.left + INSET;
    const struct paint_box frame = paint_inset(loupe, -FRAME);
    paint_stroke_box(pen->paint, place, 0, 3, pen->paint->theme->text);
    paint_stroke_box(pen->paint, place, 0, 2, paper);
    paint_fill_box(pen->paint, frame, 0, paper);
    paint_stroke_box(pen->paint, frame, 0, 1, bar);
    show(pen->paint->cairo, cell->detail.planes, loupe, cell->map, false);
}

static void draw_picture(const struct pen *pen, struct paint_box box, const struct sheet_cell *cell)
{
    const struct planes picture = cell->picture.planes;
    int width, height;
    fit(picture, (int)box.width, (int)box.height, &width, &height);
    const struct paint_box place = {floor(box.left + (box.width - width) / 2),
                                    floor(box.top + (box.height - height) / 2), width, height};
    show(pen->paint->cairo, picture, place, cell->map, cell->is_difference);
    if (cell->detail.planes.pixels) draw_detail(pen, place, cell);
    if (!cell->tag[0]) return;
    const double words = ceil(paint_measure(pen->paint, cell->tag, NORMAL, PAINT_BOLD));
    const struct paint_box tag = {box.left + 10, box.top + 10, words + 24, 38};
    paint_fill_box(pen->paint, tag, 6, pen->paint->theme->good);
    write_left(pen, cell->tag, NORMAL, PAINT_BOLD, tag.left + 12, tag.top + 28, words,
               pen->paint->theme->ink);
}

// The time as a part of the longest on the sheet, and where the floor is.
static void draw_bar(const struct pen *pen, struct paint_box box, const struct sheet_cell *cell)
{
    const double floor_ms = pen->sheet->floor_ms, part = cell->ms.median / pen->longest_ms;
    struct paint_box filled = box, tick = box;
    if (cell->ms.median <= 0 || pen->sheet->is_by_counts) return;
    paint_fill_box(pen->paint, box, 0, track);
    filled.width = fmax(3, round(box.width * part));
    paint_fill_box(pen->paint, filled, 0, cell->tag[0] ? pen->paint->theme->good : bar);
    if (cell->check == CHECK_WRONG) paint_hatch_box(pen->paint, filled, 6, paper);
    if (floor_ms <= 0 || floor_ms > pen->longest_ms) return;
    tick.left += round(box.width * floor_ms / pen->longest_ms) - 2;
    tick.top -= 5;
    tick.width = 3;
    tick.height += 10;
    paint_fill_box(pen->paint, tick, 0, pen->paint->theme->text);
}

// Writes grey words behind a text that ends at x, if there is room for all of them.
static void write_behind(const struct pen *pen, const char *text, double x, double baseline,
                         double right)
{
    const double room = right - x - 16;
    if (paint_measure(pen->paint, text, NORMAL, PAINT_NORMAL) <= room)
        write_left(pen, text, NORMAL, PAINT_NORMAL, x + 16, baseline, room,
                   pen->paint->theme->grey);
}

static void draw_texts(const struct pen *pen, struct paint_box box, const struct sheet_cell *cell)
{
    const struct paint_color text = pen->paint->theme->text;
    const double left = box.left, right = box.left + box.width, note = note_line(pen->sheet);
    double top = box.top, room = box.width, width;
    if (cell->check != CHECK_UNKNOWN) {
        const bool is_good = cell->check == CHECK_EXACT || cell->check == CHECK_NEAR;
        const struct paint_theme *t = pen->paint->theme;
        const struct paint_color color = is_good ? t->good : t->bad;
        char words[RESULT_CHECK_WORDS];
        result_check_write(words, sizeof words, &cell->choice, cell->check, cell->difference);
        width = write_right(pen, words, NORMAL, PAINT_SEMIBOLD, right, top + 42, color);
        paint_symbol(pen->paint, is_good ? PAINT_CHECK : PAINT_CROSS, right - width - 22,
                     top + 42 - NORMAL * PAINT_HALF_CAPITAL, 26, color);
        room -= width + 56;
    }
    const double label = paint_fit(pen->paint, cell->label, STRONG, PAINT_BOLD, room, 0.7);
    width = write_left(pen, cell->label, label, PAINT_BOLD, left, top + 42, room, text);
    if (note > 0)
        write_left(pen, cell->note, NORMAL, PAINT_NORMAL, left, top + 42 + note, box.width,
                   pen->paint->theme->grey);
    else
        write_behind(pen, cell->note, left + width, top + 42, left + room);
    top += note;
    draw_bar(pen, (struct paint_box){left, top + 60, box.width, 12}, cell);
    // Counts stand where a GPU's time does, sectors large and what follows them below.
    const bool is_counted = pen->sheet->is_by_counts && cell->ms.count;
    const char *const dot = is_counted && !*cell->speed ? strstr(cell->memory, " · ") : NULL;
    g_autofree char *lead = dot          ? g_strndup(cell->memory, (gsize)(dot - cell->memory))
                            : is_counted ? g_strdup(cell->memory)
                                         : g_strdup(cell->time);
    const char *const lines[] = {dot ? dot + strlen(" · ") : cell->speed,
                                 is_counted ? "" : cell->memory};
    const double size = paint_fit(pen->paint, lead, STRONG, PAINT_BOLD, box.width, 0.6);
    width = write_left(pen, lead, size, PAINT_BOLD, left, top + 116, box.width, text);
    if (!is_counted) write_behind(pen, cell->spread, left + width, top + 116, right);
    g_autofree char *time = g_strdup_printf("%s on this CPU", cell->time);
    if (is_counted)
        write_left(pen, time, NORMAL, PAINT_NORMAL, left, top + 152 + (*lines[0] ? NOTE_LINE : 0),
                   box.width, pen->paint->theme->grey);
    for (int i = 0; i < 2; i++)
        paint_write_fitting(pen->paint, lines[i], NORMAL, PAINT_NORMAL, left,
                            top + 152 + i * NOTE_LINE - PAINT_HALF_CAPITAL * NORMAL, box.width,
                            0.75, text);
}

static void draw_cell(const struct pen *pen, const struct layout *l, int index)
{
    const struct sheet_cell *cell = &pen->sheet->cells[index];
    const int column = index % l->columns, row = index / l->columns;
    const struct paint_box box = {MARGIN + column * (l->cell_width + GUTTER),
                                  HEADING + row * (l->cell_height + ROW_GAP), l->cell_width,
                                  l->picture_height};
    const struct paint_box texts = {box.left, box.top + box.height, box.width,
                                    l->cell_height - box.height};
    paint_fill_box(pen->paint, box, 0, mount);
    if (cell->reason[0])
        draw_reason(pen, box, cell->reason);
    else if (cell->picture.planes.pixels)
        draw_picture(pen, box, cell);
    paint_stroke_box(pen->paint, box, 0, 1, line);
    draw_texts(pen, texts, cell);
}

static void draw_page(cairo_surface_t *surface, const struct sheet *sheet, const struct layout *l)
{
    OWNED(paint_close) struct paint paint = paint_open(surface, SHEET_WIDTH, l->height, NORMAL);
    struct pen pen = {.paint = &paint, .sheet = sheet};
    for (int i = 0; i < sheet->count; i++)
        pen.longest_ms = fmax(pen.longest_ms, sheet->cells[i].ms.median);
    const double date_y = 116, right = SHEET_WIDTH - MARGIN, all = SHEET_WIDTH - 2 * MARGIN;
    const struct paint_color text = paint.theme->text, grey = paint.theme->grey;
    const double device = write_right(&pen, sheet->device, STRONG, PAINT_SEMIBOLD, right, 76, text);
    const double date = write_right(&pen, sheet->date, NORMAL, PAINT_NORMAL, right, date_y, grey);
    write_left(&pen, sheet->title, TITLE, PAINT_BOLD, MARGIN, 76, all - device - GUTTER, text);
    const double detail = write_left(&pen, sheet->detail, NORMAL, PAINT_NORMAL, MARGIN, date_y,
                                     all - date - GUTTER, grey);
    if (sheet->legend.low[0])
        legend_draw(&paint, &sheet->legend, NORMAL, MARGIN + detail + GUTTER,
                    date_y - NORMAL * PAINT_HALF_CAPITAL);
    for (int i = 0; i < sheet->count; i++) draw_cell(&pen, l, i);
    write_left(&pen, sheet->footer,
               paint_fit(&paint, sheet->footer, NORMAL, PAINT_NORMAL, all, 0.6), PAINT_NORMAL,
               MARGIN, l->height - 36, all, grey);
}

bool sheet_draw(struct image *page, const struct sheet *s, struct error *err)
{
    g_assert(s->count >= 1 && s->count <= SHEET_MAX_CELLS);
    const struct layout l = lay_out(s, s->count);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, SHEET_WIDTH, l.height);
    draw_page(surface, s, &l);
    cairo_surface_flush(surface);
    const cairo_status_t status = cairo_surface_status(surface);
    bool is_done = status == CAIRO_STATUS_SUCCESS ||
                   error_set(err, "cannot draw the sheet: %s", cairo_status_to_string(status));
    is_done = is_done && image_init(page, SHEET_WIDTH, l.height, 3, err);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; is_done && y < l.height; y++) {
        const guint32 *row = (const void *)(data + (size_t)y * (size_t)stride);
        for (int x = 0; x < SHEET_WIDTH; x++)
            for (int plane = 0; plane < 3; plane++)
                planes_row(page->planes, plane, y)[x] = (unsigned char)(row[x] >> (16 - 8 * plane));
    }
    cairo_surface_destroy(surface);
    return is_done;
}

// ---- file ----

bool sheet_save(const struct sheet *s, const char *path, const struct image_text *texts,
                int text_count, struct error *err)
{
    OWNED(image_finish) struct image image = {0};
    OWNED(image_texts_finish) struct image_texts all = {0};
    if (!sheet_draw(&image, s, err)) return false;
    for (int i = 0; i < text_count; i++) image_texts_add(&all, texts[i].key, texts[i].text);
    image_texts_add(&all, "sheet", "yes");
    image_texts_add(&all, "date", s->made);
    for (int i = 0; i < s->count; i++) {
        const struct sheet_cell *c = &s->cells[i];
        if (!c->name[0]) continue;
        g_autofree char *key = g_strdup_printf("result %s", c->name);
        char check[RESULT_CHECK_WORDS];
        result_check_write(check, sizeof check, &c->choice, c->check, c->difference);
        g_autofree char *words = c->reason[0]
                                     ? g_strdup_printf("refused: %s", c->reason)
                                     : g_strdup_printf("%s%s (%s), %s%s%s%s%s", c->time,
                                                       s->is_by_counts ? " on this CPU" : "",
                                                       c->spread, c->speed, c->speed[0] ? ", " : "",
                                                       c->memory, c->memory[0] ? ", " : "", check);
        image_texts_add(&all, key, words);
    }
    return image_save(image.planes, path, all.texts, all.count, err);
}

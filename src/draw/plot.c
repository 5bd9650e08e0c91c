#include "draw/plot.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib.h>
#include <math.h>

#include "base/file.h"
#include "base/hash.h"
#include "draw/plot_parts.h"

// ---- the whole ----

struct plot_places plot_draw(const struct paint *paint, struct paint_box box,
                             const struct plot *plot)
{
    cairo_save(paint->cairo);
    cairo_set_line_cap(paint->cairo, CAIRO_LINE_CAP_BUTT);
    cairo_set_line_join(paint->cairo, CAIRO_LINE_JOIN_ROUND);
    // The caption stands below the title; in a compact plot it stands to the right of it, if there
    // is room for a usual caption. The present caption's own length moves nothing. Both shrink to a
    // part of their size before they are cut.
    static const double least_title = 0.62, least_part = 0.7;
    const bool is_compact = plot->is_compact;
    const double em = paint->base, usual = 14 * em, size = (is_compact ? 1.05 : 1.3) * em;
    const double top = box.top + (is_compact ? 0.7 : 0.8) * em;
    const double beside = paint_measure(paint, plot->title, size, PAINT_BOLD) + em;
    const bool is_beside = is_compact && box.width - beside >= usual;
    const double left = is_beside ? beside : 0, room = box.width - left;
    const double middle = is_beside ? top : top + (is_compact ? 1.3 : 1.6) * em;
    paint_write_fitting(paint, plot->title, size, PAINT_BOLD, box.left, top, box.width, least_title,
                        paint->theme->text);
    if (!plot->curves && !plot->heats) {  // the caption says why
        paint_write_lines(paint, plot->caption, em, PAINT_NORMAL, box.left, top + em, box.width,
                          PLOT_SENTENCE_LINES, paint->theme->text);
        cairo_restore(paint->cairo);
        return (struct plot_places){.columns = 0};
    }
    paint_write_fitting(paint, plot->caption, 0.9 * em, PAINT_NORMAL, box.left + left, middle, room,
                        least_part, paint->theme->grey);
    const double heading = !is_compact ? 4 * em : is_beside ? 1.7 * em : 3 * em;
    box.top += heading;
    box.height -= heading;
    struct plot_places places = {.columns = 0};
    if (plot->curves)
        places = plot_draw_curves(paint, box, plot);
    else if (plot->heats)
        places = plot_draw_heats(paint, box, plot);
    cairo_restore(paint->cairo);
    return places;
}

// ---- what changed ----

// Structs are hashed as they lie in memory, so that a new field cannot be forgotten. The arrays and
// texts that they point to follow.

uint64_t plot_hash(const struct plot *plot)
{
    uint64_t hash = hash_text(hash_text(HASH_VALUE(0, *plot), plot->title), plot->caption);
    const struct plot_curves *const c = plot->curves;
    if (c) {
        const char *const texts[] = {c->x_label, c->y_label, c->floor_label, c->floor_short};
        hash = HASH_VALUE(hash, *c);
        for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) hash = hash_text(hash, texts[i]);
        hash = hash_bytes(hash, c->floors, (size_t)c->floor_count * sizeof *c->floors);
        hash = hash_bytes(hash, c->xs, (size_t)c->x_count * sizeof *c->xs);
        hash = hash_bytes(hash, c->curves, (size_t)c->count * sizeof *c->curves);
        for (int i = 0; i < c->count; i++)
            hash = hash_bytes(hash, c->curves[i].points,
                              (size_t)c->curves[i].count * sizeof *c->curves[i].points);
        return hash;
    }
    for (int i = 0; i < plot->heat_count; i++) {
        const struct plot_heat *m = &plot->heats[i];
        const size_t columns = (size_t)m->columns, rows = (size_t)m->rows;
        hash = hash_bytes(HASH_VALUE(hash, *m), m->widths, columns * sizeof *m->widths);
        hash = hash_bytes(hash, m->heights, rows * sizeof *m->heights);
        hash = hash_bytes(hash, m->cells, columns * rows * sizeof *m->cells);
        if (m->marks) hash = hash_text(HASH_VALUE(hash, *m->marks), m->marks->note);
    }
    return hash;
}

// ---- what is where ----

int plot_find_cell(const struct plot_places *p, double x, double y)
{
    const double column = floor((x - p->left) / (p->right - p->left) * p->columns);
    const double row = ceil((p->bottom - y) / (p->bottom - p->top) * p->rows) - 1;
    const bool is_there = column >= 0 && column < p->columns && row >= 0 && row < p->rows;
    return is_there ? (int)row * p->columns + (int)column : -1;
}

bool plot_find_x(const struct plot_places *p, double x, double y, double *value)
{
    const double width = p->right - p->left, air = 0.03 * width;
    const struct paint_box near = {p->left - air, p->top, width + 2 * air,
                                   1.25 * (p->bottom - p->top)};  // with the figures below the axis
    if (p->columns || !paint_has_point(near, x, y)) return false;
    const double part = CLAMP((x - p->left) / width, 0, 1);
    const double scaled = p->x_low + part * (p->x_high - p->x_low);
    *value = p->is_linear ? scaled : scaled < -0.5 ? 0 : exp2(scaled);
    return true;
}

// ---- files ----

enum { PAPER_WIDTH = 960, PAPER_HEIGHT = 600, MARGIN = 28, PNG_SCALE = 2 };

static const double PAPER_EM = 15;

// To add a kind of file: its row here. A PNG is drawn first and written at the end.
static const struct kind {
    const char *ending;
    cairo_surface_t *(*make)(cairo_write_func_t append, void *bytes, double width, double height);
} kinds[] = {{".svg", cairo_svg_surface_create_for_stream},
             {".pdf", cairo_pdf_surface_create_for_stream},
             {".png", NULL}};

static const struct kind *find_kind(const char *path, struct error *err)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (g_str_has_suffix(path, kinds[i].ending)) return &kinds[i];
    error_set(err, "cannot plot to '%s': it ends in none of .svg .pdf .png", path);
    return NULL;
}

bool plot_check_path(const char *path, struct error *err)
{
    return find_kind(path, err) != NULL;
}

bool plot_save(const struct plot *plot, const char *path, struct error *err)
{
    const struct kind *kind = find_kind(path, err);
    if (!kind) return false;
    GByteArray *bytes = g_byte_array_new();
    cairo_surface_t *surface =
        kind->make ? kind->make(paint_append, bytes, PAPER_WIDTH, PAPER_HEIGHT)
                   : cairo_image_surface_create(CAIRO_FORMAT_RGB24, PAPER_WIDTH * PNG_SCALE,
                                                PAPER_HEIGHT * PNG_SCALE);
    if (!kind->make) cairo_surface_set_device_scale(surface, PNG_SCALE, PNG_SCALE);
    struct paint paint = paint_open(surface, PAPER_WIDTH, PAPER_HEIGHT, PAPER_EM);
    const struct paint_box box = {MARGIN, MARGIN, PAPER_WIDTH - 2 * MARGIN,
                                  PAPER_HEIGHT - 2 * MARGIN};
    plot_draw(&paint, box, plot);
    paint_close(&paint);
    if (!kind->make) cairo_surface_write_to_png_stream(surface, paint_append, bytes);
    cairo_surface_finish(surface);
    const cairo_status_t status = cairo_surface_status(surface);
    bool is_good = status == CAIRO_STATUS_SUCCESS ||
                   error_set(err, "cannot plot to '%s': %s", path, cairo_status_to_string(status));
    is_good = is_good && file_write(path, bytes->data, bytes->len, err);
    cairo_surface_destroy(surface);
    g_byte_array_free(bytes, TRUE);
    return is_good;
}

#include "commands/tour_drawing.h"

#include <math.h>
#include <stdint.h>

static const double EM = 14, MARGIN = 10;
static const double SCALE = 2;  // pixels a CSS pixel: sharp in print

static cairo_status_t append(void *bytes, const unsigned char *data, unsigned int length)
{
    g_byte_array_append(bytes, data, length);
    return CAIRO_STATUS_SUCCESS;
}

// ---- on paper of one width ----

// Something to draw into a box.
struct drawing {
    double height;
    void (*draw)(const struct paint *paint, struct paint_box box, const void *what);
    const void *what;
};

static void draw_on(cairo_t *cairo, const struct drawing *d)
{
    PangoContext *context = pango_cairo_create_context(cairo);
    const struct paint paint = {.cairo = cairo,
                                .layout = paint_text_create(context),
                                .theme = paint_theme(true),
                                .width = TOUR_DRAWING_WIDTH,
                                .height = (int)d->height,
                                .base = EM,
                                .plain = EM};
    const struct paint_box box = {MARGIN, MARGIN, TOUR_DRAWING_WIDTH - 2 * MARGIN,
                                  d->height - 2 * MARGIN};
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    d->draw(&paint, box, d->what);
    g_object_unref(paint.layout);
    g_object_unref(context);
}

static GByteArray *make_png(const struct drawing *d)
{
    GByteArray *bytes = g_byte_array_new();
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)(SCALE * TOUR_DRAWING_WIDTH), (int)(SCALE * d->height));
    cairo_surface_set_device_scale(surface, SCALE, SCALE);
    cairo_t *cairo = cairo_create(surface);
    draw_on(cairo, d);
    cairo_destroy(cairo);
    cairo_surface_write_to_png_stream(surface, append, bytes);
    cairo_surface_destroy(surface);
    return bytes;
}

// ---- panels ----

static void draw_bars(const struct paint *paint, struct paint_box box, const void *what)
{
    bars_draw(paint, box, what);
}

GByteArray *tour_drawing_bars(const struct bars *bars)
{
    const struct drawing d = {bars_height(bars->count) * EM + 2 * MARGIN, draw_bars, bars};
    return make_png(&d);
}

static void draw_plot(const struct paint *paint, struct paint_box box, const void *what)
{
    plot_draw(paint, box, what);
}

GByteArray *tour_drawing_plot(const struct plot *plot)
{
    const struct drawing d = {460, draw_plot, plot};
    return make_png(&d);
}

// ---- the lens ----

static void draw_lens(const struct paint *paint, struct paint_box box, const void *what)
{
    struct lens_place place = {.box = box, .em = 0.8 * EM};
    lens_view_draw(what, paint, &place);
}

// As high as what is drawn: rows of banks, or of lines of 128 bytes in two columns. A race takes up
// to two lines.
static double lens_height(const struct lens_view *view)
{
    static const double heading = 9, heading_of_banks = 7, line = 1.5, row = 1.6;  // ems
    const struct lens_request *q = &view->request;
    const bool has_banks = view->has_request && q->space == TRACE_SHARED;
    struct lens_turns turns = {.count = 0};
    struct lens_counts counts = {0};
    double rows = 0;
    if (has_banks) {
        model_turns(q, &turns);
        rows = turns.count;
    } else if (view->has_request && q->space != TRACE_CONSTANT) {
        model_count(q, &counts);
        rows = ceil((double)counts.lines / 2);
    }
    const double lines = (*view->caveat ? 1 : 0) + (*view->fault ? 2 : 0);
    const double ems =
        (has_banks ? heading_of_banks : heading) + line * lines + row * fmin(rows, MODEL_LANES);
    return ems * 0.8 * EM + 2 * MARGIN;
}

GByteArray *tour_drawing_lens(const struct lens_view *view)
{
    const struct drawing d = {lens_height(view), draw_lens, view};
    return make_png(&d);
}

// ---- pictures ----

static cairo_surface_t *surface_of(struct planes p)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, p.width, p.height);
    unsigned char *data = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface), last = p.count - 1;
    for (int y = 0; data && y < p.height; y++) {
        uint32_t *row = (uint32_t *)(void *)(data + (size_t)y * (size_t)stride);
        for (int x = 0; x < p.width; x++)
            row[x] = (uint32_t)planes_row(p, 0, y)[x] << 16 |
                     (uint32_t)planes_row(p, last / 2, y)[x] << 8 | planes_row(p, last, y)[x];
    }
    cairo_surface_mark_dirty(surface);
    return surface;
}

// Whole factors make pixels larger, so that they stay square and sharp. What is a line only, as the
// picture of a vector, becomes a ribbon.
static void find_size(struct planes p, int *width, int *height)
{
    static const double least = 240, highest = 320, ribbon = 24;
    const double fit = fmin(TOUR_DRAWING_WIDTH / (double)p.width, highest / p.height);
    const double scale = fit >= 1 ? fmax(1, floor(fmin(fit, least / p.width))) : fit;
    *width = (int)fmax(1, round(scale * p.width));
    *height = (int)fmax(ribbon, round(scale * p.height));
}

GByteArray *tour_drawing_picture(struct planes picture, double *width)
{
    int across, down;
    find_size(picture, &across, &down);
    GByteArray *bytes = g_byte_array_new();
    cairo_surface_t *from = surface_of(picture);
    cairo_surface_t *to = cairo_image_surface_create(CAIRO_FORMAT_RGB24, across, down);
    cairo_t *cairo = cairo_create(to);
    const double x = (double)across / picture.width, y = (double)down / picture.height;
    cairo_scale(cairo, x, y);
    cairo_set_source_surface(cairo, from, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo),
                             x >= 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
    cairo_paint(cairo);
    cairo_destroy(cairo);
    cairo_surface_write_to_png_stream(to, append, bytes);
    cairo_surface_destroy(to);
    cairo_surface_destroy(from);
    *width = across;
    return bytes;
}

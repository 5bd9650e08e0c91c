#include "canvas.h"

struct canvas canvas_open(int width, int height, double base, bool is_light)
{
    struct canvas c = {.surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height)};
    cairo_t *cairo = cairo_create(c.surface);
    c.context = pango_cairo_create_context(cairo);
    c.paint = (struct paint){.cairo = cairo,
                             .layout = paint_text_create(c.context),
                             .theme = paint_theme(is_light),
                             .width = width,
                             .height = height,
                             .base = base,
                             .plain = base};
    return c;
}

void canvas_close(struct canvas *c)
{
    g_object_unref(c->paint.layout);
    g_object_unref(c->context);
    cairo_destroy(c->paint.cairo);
    cairo_surface_destroy(c->surface);
}

const uint32_t *canvas_row(const struct canvas *c, int y)
{
    cairo_surface_flush(c->surface);
    return (const uint32_t *)(const void *)(cairo_image_surface_get_data(c->surface) +
                                            y * cairo_image_surface_get_stride(c->surface));
}

void canvas_clear(struct canvas *c)
{
    cairo_set_operator(c->paint.cairo, CAIRO_OPERATOR_CLEAR);
    cairo_paint(c->paint.cairo);
    cairo_set_operator(c->paint.cairo, CAIRO_OPERATOR_OVER);
}

long canvas_difference(const struct canvas *a, const struct canvas *b, int top)
{
    long count = 0;
    for (int y = top; y < a->paint.height; y++) {
        const uint32_t *const row = canvas_row(a, y), *const other = canvas_row(b, y);
        for (int x = 0; x < a->paint.width; x++) count += row[x] != other[x];
    }
    return count;
}

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

uint32_t canvas_pixel(struct paint_color color)
{
    return 255u << 24 | (uint32_t)(255 * color.red + 0.5) << 16 |
           (uint32_t)(255 * color.green + 0.5) << 8 | (uint32_t)(255 * color.blue + 0.5);
}

int canvas_count(const struct canvas *c, uint32_t pixel, int top, int bottom)
{
    int found = 0;
    for (int y = top; y < bottom; y++) {
        const uint32_t *const row = canvas_row(c, y);
        for (int x = 0; x < c->paint.width; x++) found += row[x] == pixel;
    }
    return found;
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

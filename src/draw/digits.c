#include "draw/digits.h"

#include <assert.h>
#include <glib.h>
#include <math.h>

#include "draw/paint.h"

enum { DIGITS = 10 };

static PangoRectangle set_digit(PangoLayout *layout, int digit, double size)
{
    const char text[] = {(char)('0' + digit), '\0'};
    PangoRectangle ink;
    paint_text_set(layout, text, (struct paint_font){.size = size, .weight = PAINT_SEMIBOLD});
    pango_layout_get_pixel_extents(layout, &ink, NULL);
    return ink;
}

// The ink of all digits: y and height are those of the highest, width is that of the widest.
static PangoRectangle measure(PangoLayout *layout, double size)
{
    PangoRectangle all = set_digit(layout, 0, size);
    for (int digit = 1; digit < DIGITS; digit++) {
        const PangoRectangle ink = set_digit(layout, digit, size);
        const int bottom = MAX(all.y + all.height, ink.y + ink.height);
        all.y = MIN(all.y, ink.y);
        all.height = MAX(1, bottom - all.y);
        all.width = MAX(all.width, ink.width);
    }
    return all;
}

void digits_init(struct digits *digits, int height)
{
    assert(height >= 8);
    PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    PangoLayout *layout = paint_text_create(context);
    const double ink = floor(height * DIGITS_INK);
    double size = height * ink / measure(layout, height).height;
    PangoRectangle all = measure(layout, size);
    for (; all.height > ink && size > 1; all = measure(layout, size)) size--;

    // Leaves a tenth of the height between two digits and keeps the outermost pixels clear.
    const int width = (int)ceil(all.width + fmax(2, 0.1 * height));
    *digits = (struct digits){.width = cairo_format_stride_for_width(CAIRO_FORMAT_A8, width),
                              .height = height};
    digits->alpha = g_malloc0_n((gsize)digits->width * (gsize)height, DIGITS);
    // The ten masks are one surface, whose rows are as long as theirs.
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        digits->alpha, CAIRO_FORMAT_A8, digits->width, DIGITS * height, digits->width);
    cairo_t *cairo = cairo_create(surface);
    for (int digit = 0; digit < DIGITS; digit++) {
        const PangoRectangle one = set_digit(layout, digit, size);
        cairo_move_to(cairo, floor((digits->width - one.width) / 2.0) - one.x,
                      digit * height + floor((height - all.height) / 2.0) - all.y);
        pango_cairo_show_layout(cairo, layout);
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    g_object_unref(layout);
    g_object_unref(context);
}

void digits_finish(struct digits *digits)
{
    g_free(digits->alpha);
    *digits = (struct digits){0};
}

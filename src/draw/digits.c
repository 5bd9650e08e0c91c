#include "draw/digits.h"

#include <assert.h>
#include <glib.h>
#include <math.h>

#include "draw/paint.h"

enum { DIGITS = 10 };

// A layout of one digit and where the ink lies in it.
struct pen {
    PangoLayout *layout;
    double size;         // of the font, pixels
    double top, height;  // of the highest digit's ink, pixels
    double width;        // of the widest digit's ink
};

static PangoRectangle set_digit(const struct pen *pen, int digit)
{
    const char text[] = {(char)('0' + digit), '\0'};
    PangoRectangle ink;
    paint_text_set(pen->layout, text,
                   (struct paint_font){.size = pen->size, .weight = PAINT_SEMIBOLD});
    pango_layout_get_pixel_extents(pen->layout, &ink, NULL);
    return ink;
}

static void measure(struct pen *pen, double size)
{
    int top = 0, bottom = 1, width = 1;
    pen->size = size;
    for (int digit = 0; digit < DIGITS; digit++) {
        const PangoRectangle ink = set_digit(pen, digit);
        top = digit ? MIN(top, ink.y) : ink.y;
        bottom = MAX(bottom, ink.y + ink.height);
        width = MAX(width, ink.width);
    }
    pen->top = top;
    pen->height = MAX(bottom - top, 1);
    pen->width = width;
}

// Draws the ten masks as one surface, whose rows are as long as theirs.
static void draw(const struct digits *digits, const struct pen *pen)
{
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        digits->alpha, CAIRO_FORMAT_A8, digits->width, DIGITS * digits->height, digits->width);
    cairo_t *cairo = cairo_create(surface);
    for (int digit = 0; digit < DIGITS; digit++) {
        const PangoRectangle ink = set_digit(pen, digit);
        cairo_move_to(cairo, floor((digits->width - ink.width) / 2.0) - ink.x,
                      digit * digits->height + floor((digits->height - pen->height) / 2) -
                          pen->top);
        pango_cairo_show_layout(cairo, pen->layout);
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
}

void digits_init(struct digits *digits, int height)
{
    assert(height >= 8);
    PangoFontMap *fonts = pango_cairo_font_map_new();
    PangoContext *context = pango_font_map_create_context(fonts);
    struct pen pen = {.layout = paint_text_create(context)};
    const double ink = floor(height * DIGITS_INK);
    measure(&pen, height);
    measure(&pen, height * ink / pen.height);
    for (double size = height * ink / pen.height; pen.height > ink && size > 1; size--)
        measure(&pen, size);

    // Leaves a tenth of the height between two digits and keeps the outermost pixels clear.
    const int width = (int)ceil(pen.width + fmax(2, 0.1 * height));
    *digits = (struct digits){.width = cairo_format_stride_for_width(CAIRO_FORMAT_A8, width),
                              .height = height};
    digits->alpha = g_malloc0_n((gsize)digits->width * (gsize)height, DIGITS);
    draw(digits, &pen);
    g_object_unref(pen.layout);
    g_object_unref(context);
    g_object_unref(fonts);
}

void digits_finish(struct digits *digits)
{
    g_free(digits->alpha);
    *digits = (struct digits){0};
}

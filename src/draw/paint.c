#include "draw/paint.h"

#include <math.h>
#include <string.h>

static const struct paint_theme dark_theme = {
    .band = PAINT_RGBA(0x0b0f15, 0.82),
    .panel = PAINT_RGBA(0x10151c, 0.95),
    .scrim = PAINT_RGBA(0x000000, 0.60),
    .text = PAINT_RGB(0xf8fafc),
    .grey = PAINT_RGB(0x9aa4b2),
    .good = PAINT_RGB(0x4ade80),
    .bad = PAINT_RGB(0xff7b72),
    .warning = PAINT_RGB(0xffc24a),
    .ink = PAINT_RGB(0x0b0f15),
    .cap = PAINT_RGB(0x28303b),
    .edge = PAINT_RGB(0x5d6978),
};

static const struct paint_theme light_theme = {
    .band = PAINT_RGBA(0xfbfcfe, 0.82),
    .panel = PAINT_RGBA(0xf7f9fb, 0.96),
    .scrim = PAINT_RGBA(0xffffff, 0.60),
    .text = PAINT_RGB(0x0a0e13),
    .grey = PAINT_RGB(0x566070),
    .good = PAINT_RGB(0x0a6b33),
    .bad = PAINT_RGB(0xad1522),
    .warning = PAINT_RGB(0x9a5200),
    .ink = PAINT_RGB(0xffffff),
    .cap = PAINT_RGB(0xffffff),
    .edge = PAINT_RGB(0x8993a1),
};

const struct paint_theme *paint_theme(bool is_light)
{
    return is_light ? &light_theme : &dark_theme;
}

static void set_color(cairo_t *cairo, struct paint_color c)
{
    cairo_set_source_rgba(cairo, c.red, c.green, c.blue, c.alpha);
}

// --- text ---

PangoLayout *paint_text_create(PangoContext *context)
{
    PangoLayout *layout = pango_layout_new(context);
    PangoAttrList *attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
    pango_layout_set_attributes(layout, attributes);
    pango_attr_list_unref(attributes);
    return layout;
}

static void set_font(PangoLayout *layout, struct paint_font font)
{
    PangoFontDescription *description = pango_font_description_new();
    pango_font_description_set_family_static(description,
                                             font.is_fixed ? "monospace" : "sans-serif");
    pango_font_description_set_weight(description, font.weight);
    pango_font_description_set_absolute_size(description, font.size * PANGO_SCALE);
    pango_layout_set_font_description(layout, description);
    pango_font_description_free(description);
}

static void set_text(PangoLayout *layout, const char *text)
{
    char *repaired = g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    const char *valid = repaired ? repaired : text;
    if (strcmp(pango_layout_get_text(layout), valid) != 0) pango_layout_set_text(layout, valid, -1);
    g_free(repaired);
}

void paint_text_set(PangoLayout *layout, const char *text, struct paint_font font)
{
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE);
    pango_layout_set_width(layout, -1);
    set_font(layout, font);
    set_text(layout, text);
}

void paint_text_wrap(PangoLayout *layout, const char *text, struct paint_font font, double width)
{
    pango_layout_set_single_paragraph_mode(layout, FALSE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE);
    pango_layout_set_height(layout, -1);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_width(layout, width < 0 ? -1 : (int)(width * PANGO_SCALE));
    set_font(layout, font);
    set_text(layout, text);
}

void paint_text_cut(PangoLayout *layout, double width)
{
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    pango_layout_set_width(layout, (int)(fmax(0, width) * PANGO_SCALE));
}

void paint_text_limit(PangoLayout *layout, double height)
{
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    pango_layout_set_height(layout, (int)(fmax(0, height) * PANGO_SCALE));
}

double paint_text_width(PangoLayout *layout)
{
    PangoRectangle extents;
    pango_layout_get_extents(layout, NULL, &extents);
    return (double)extents.width / PANGO_SCALE;
}

double paint_text_height(PangoLayout *layout)
{
    PangoRectangle extents;
    pango_layout_get_extents(layout, NULL, &extents);
    return (double)extents.height / PANGO_SCALE;
}

// Draws at whole pixels, so that letters stay sharp and running figures keep their place.
void paint_text_at_top(cairo_t *cairo, PangoLayout *layout, double x, double top,
                       struct paint_color color)
{
    set_color(cairo, color);
    cairo_move_to(cairo, round(x), round(top));
    pango_cairo_show_layout(cairo, layout);
}

void paint_text_at_baseline(cairo_t *cairo, PangoLayout *layout, double x, double baseline,
                            struct paint_color color)
{
    const double ascent = (double)pango_layout_get_baseline(layout) / PANGO_SCALE;
    paint_text_at_top(cairo, layout, x, round(baseline) - ascent, color);
}

double paint_measure(const struct paint *paint, const char *text, double size, PangoWeight weight)
{
    paint_text_set(paint->layout, text, (struct paint_font){.size = size, .weight = weight});
    return paint_text_width(paint->layout);
}

double paint_write(const struct paint *paint, const char *text, double size, PangoWeight weight,
                   double x, double y, enum paint_align align, struct paint_color color)
{
    const double width = paint_measure(paint, text, size, weight);
    const double left = align == PAINT_LEFT ? x : align == PAINT_CENTER ? x - width / 2 : x - width;
    paint_text_at_baseline(paint->cairo, paint->layout, left, y + size * PAINT_HALF_CAPITAL, color);
    return width;
}

double paint_write_within(const struct paint *paint, const char *text, double size,
                          PangoWeight weight, double x, double y, double room,
                          struct paint_color color)
{
    const double width = paint_measure(paint, text, size, weight);
    if (room <= 2 * size && room < width) return 0;
    if (width > room) paint_text_cut(paint->layout, room);
    paint_text_at_baseline(paint->cairo, paint->layout, x, y + size * PAINT_HALF_CAPITAL, color);
    return fmin(width, room);
}

// --- shapes ---

bool paint_has_point(struct paint_box b, double x, double y)
{
    return x >= b.left && x < b.left + b.width && y >= b.top && y < b.top + b.height;
}

bool paint_is_inside(struct paint_box a, struct paint_box b)
{
    return a.left >= b.left && a.top >= b.top && a.left + a.width <= b.left + b.width &&
           a.top + a.height <= b.top + b.height;
}

static void trace_box(cairo_t *cairo, struct paint_box b, double rounding)
{
    const double r = fmax(0, fmin(rounding, fmin(b.width, b.height) / 2));
    const double right = b.left + b.width, bottom = b.top + b.height;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, right - r, b.top + r, r, -G_PI / 2, 0);
    cairo_arc(cairo, right - r, bottom - r, r, 0, G_PI / 2);
    cairo_arc(cairo, b.left + r, bottom - r, r, G_PI / 2, G_PI);
    cairo_arc(cairo, b.left + r, b.top + r, r, G_PI, 3 * G_PI / 2);
    cairo_close_path(cairo);
}

void paint_fill_box(cairo_t *cairo, struct paint_box box, double rounding, struct paint_color color)
{
    set_color(cairo, color);
    trace_box(cairo, box, rounding);
    cairo_fill(cairo);
}

void paint_stroke_box(cairo_t *cairo, struct paint_box box, double rounding, double thickness,
                      struct paint_color color)
{
    const double inset = thickness / 2;
    const struct paint_box middle = {box.left + inset, box.top + inset,
                                     fmax(0, box.width - thickness),
                                     fmax(0, box.height - thickness)};
    set_color(cairo, color);
    cairo_set_line_width(cairo, thickness);
    trace_box(cairo, middle, rounding - inset);
    cairo_stroke(cairo);
}

void paint_hatch_box(cairo_t *cairo, struct paint_box b, double step, struct paint_color color)
{
    cairo_save(cairo);
    cairo_rectangle(cairo, b.left, b.top, b.width, b.height);
    cairo_clip(cairo);
    for (double x = b.left - b.height; x < b.left + b.width; x += step) {
        cairo_move_to(cairo, x, b.top + b.height);
        cairo_line_to(cairo, x + b.height, b.top);
    }
    set_color(cairo, color);
    cairo_set_line_width(cairo, 1);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

// --- symbols: drawn in the square [-1, 1] x [-1, 1], y down ---

static void stroke_lines(cairo_t *cairo, const double (*points)[2], int count, double thickness)
{
    cairo_new_path(cairo);
    for (int i = 0; i < count; i++) cairo_line_to(cairo, points[i][0], points[i][1]);
    cairo_set_line_width(cairo, thickness);
    cairo_stroke(cairo);
}

static void stroke_circle(cairo_t *cairo, double radius, double thickness)
{
    cairo_new_path(cairo);
    cairo_arc(cairo, 0, 0, radius, 0, 2 * G_PI);
    cairo_set_line_width(cairo, thickness);
    cairo_stroke(cairo);
}

static void fill_disc(cairo_t *cairo, double x, double y, double radius)
{
    cairo_new_path(cairo);
    cairo_arc(cairo, x, y, radius, 0, 2 * G_PI);
    cairo_fill(cairo);
}

static void draw_check(cairo_t *cairo, struct paint_color ink)
{
    static const double mark[][2] = {{-0.46, 0.04}, {-0.12, 0.38}, {0.48, -0.34}};
    fill_disc(cairo, 0, 0, 1);
    set_color(cairo, ink);
    stroke_lines(cairo, mark, 3, 0.27);
}

static void draw_cross(cairo_t *cairo, struct paint_color ink)
{
    static const double falling[][2] = {{-0.7, -0.7}, {0.7, 0.7}};
    static const double rising[][2] = {{-0.7, 0.7}, {0.7, -0.7}};
    (void)ink;
    stroke_lines(cairo, falling, 2, 0.42);
    stroke_lines(cairo, rising, 2, 0.42);
}

static void draw_dots(cairo_t *cairo, struct paint_color ink)
{
    (void)ink;
    for (int i = -1; i <= 1; i++) fill_disc(cairo, 0.72 * i, 0, 0.25);
}

static void draw_clock(cairo_t *cairo, struct paint_color ink)
{
    static const double hands[][2] = {{0, -0.5}, {0, 0.05}, {0.38, 0.3}};
    (void)ink;
    stroke_circle(cairo, 0.88, 0.2);
    stroke_lines(cairo, hands, 3, 0.2);
}

static void draw_barred(cairo_t *cairo, struct paint_color ink)
{
    static const double bar[][2] = {{-0.58, -0.58}, {0.58, 0.58}};
    (void)ink;
    stroke_circle(cairo, 0.86, 0.26);
    stroke_lines(cairo, bar, 2, 0.26);
}

static void draw_triangle(cairo_t *cairo, struct paint_color ink)
{
    static const double mark[][2] = {{0, -0.32}, {0, 0.26}};
    cairo_new_path(cairo);
    cairo_move_to(cairo, 0, -0.74);
    cairo_line_to(cairo, 0.84, 0.74);
    cairo_line_to(cairo, -0.84, 0.74);
    cairo_close_path(cairo);
    cairo_set_line_width(cairo, 0.28);
    cairo_fill_preserve(cairo);
    cairo_stroke(cairo);
    set_color(cairo, ink);
    stroke_lines(cairo, mark, 2, 0.24);
    fill_disc(cairo, 0, 0.6, 0.14);
}

static void draw_arrow(cairo_t *cairo, struct paint_color ink)
{
    (void)ink;
    cairo_new_path(cairo);
    cairo_move_to(cairo, -0.55, -0.72);
    cairo_line_to(cairo, 0.75, 0);
    cairo_line_to(cairo, -0.55, 0.72);
    cairo_close_path(cairo);
    cairo_set_line_width(cairo, 0.2);
    cairo_fill_preserve(cairo);
    cairo_stroke(cairo);
}

static void draw_star(cairo_t *cairo, struct paint_color ink)
{
    (void)ink;
    cairo_new_path(cairo);
    for (int i = 0; i < 10; i++) {
        const double length = i % 2 ? 0.42 : 0.95, angle = i * G_PI / 5;
        cairo_line_to(cairo, length * sin(angle), -length * cos(angle));
    }
    cairo_close_path(cairo);
    cairo_set_line_width(cairo, 0.12);
    cairo_fill_preserve(cairo);
    cairo_stroke(cairo);
}

void paint_symbol(cairo_t *cairo, enum paint_symbol symbol, double center_x, double center_y,
                  double size, struct paint_color color, struct paint_color ink)
{
    static void (*const draw[])(cairo_t *, struct paint_color) = {
        [PAINT_CHECK] = draw_check, [PAINT_CROSS] = draw_cross,   [PAINT_DOTS] = draw_dots,
        [PAINT_CLOCK] = draw_clock, [PAINT_BARRED] = draw_barred, [PAINT_TRIANGLE] = draw_triangle,
        [PAINT_ARROW] = draw_arrow, [PAINT_STAR] = draw_star,
    };
    cairo_save(cairo);
    cairo_translate(cairo, center_x, center_y);
    cairo_scale(cairo, size / 2, size / 2);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    set_color(cairo, color);
    draw[symbol](cairo, ink);
    cairo_restore(cairo);
}

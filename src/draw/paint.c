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
    .is_light = true,
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

// --- pages ---

struct paint paint_open(cairo_surface_t *surface, int width, int height, double base)
{
    cairo_t *cairo = cairo_create(surface);
    PangoContext *context = pango_cairo_create_context(cairo);
    const struct paint paint = {.cairo = cairo,
                                .layout = paint_text_create(context),
                                .theme = paint_theme(true),
                                .width = width,
                                .height = height,
                                .base = base,
                                .plain = base};
    g_object_unref(context);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    return paint;
}

void paint_close(struct paint *paint)
{
    g_object_unref(paint->layout);
    cairo_destroy(paint->cairo);
}

cairo_status_t paint_append(void *bytes, const unsigned char *data, unsigned int length)
{
    g_byte_array_append(bytes, data, length);
    return CAIRO_STATUS_SUCCESS;
}

// --- colours ---

struct paint_color paint_fade(struct paint_color c, double alpha)
{
    return (struct paint_color){c.red, c.green, c.blue, alpha};
}

void paint_set_color(const struct paint *paint, struct paint_color c)
{
    cairo_set_source_rgba(paint->cairo, c.red, c.green, c.blue, c.alpha);
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

// Pango keeps the fonts of every size that it has met: sizes are quarters of a pixel, which are
// few.
static void set_words(PangoLayout *layout, const char *text, struct paint_font font)
{
    PangoFontDescription *description = pango_font_description_new();
    pango_font_description_set_family_static(description,
                                             font.is_fixed ? "monospace" : "sans-serif");
    pango_font_description_set_weight(description, (PangoWeight)font.weight);
    pango_font_description_set_absolute_size(description, floor(4 * font.size) / 4 * PANGO_SCALE);
    pango_layout_set_font_description(layout, description);
    pango_font_description_free(description);
    g_autofree char *repaired =
        g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    const char *valid = repaired ? repaired : text;
    if (strcmp(pango_layout_get_text(layout), valid) != 0) pango_layout_set_text(layout, valid, -1);
}

void paint_text_set(PangoLayout *layout, const char *text, struct paint_font font)
{
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE);
    pango_layout_set_width(layout, -1);
    set_words(layout, text, font);
}

void paint_text_wrap(PangoLayout *layout, const char *text, struct paint_font font, double width)
{
    g_autoptr(GString) bound = g_string_new(NULL);
    for (const char *c = text; *c; c++) {
        const bool is_bound = *c == ' ' && !font.is_fixed && c > text && g_ascii_isdigit(c[-1]) &&
                              g_ascii_isalpha(c[1]);
        if (is_bound)
            g_string_append(bound, "\u00a0");
        else
            g_string_append_c(bound, *c);
    }
    pango_layout_set_single_paragraph_mode(layout, FALSE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE);
    pango_layout_set_height(layout, -1);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_width(layout, width < 0 ? -1 : (int)(width * PANGO_SCALE));
    set_words(layout, bound->str, font);
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
void paint_text_at_top(const struct paint *paint, PangoLayout *layout, double x, double top,
                       struct paint_color color)
{
    paint_set_color(paint, color);
    cairo_move_to(paint->cairo, round(x), round(top));
    pango_cairo_show_layout(paint->cairo, layout);
}

void paint_text_at_baseline(const struct paint *paint, PangoLayout *layout, double x,
                            double baseline, struct paint_color color)
{
    const double ascent = (double)pango_layout_get_baseline(layout) / PANGO_SCALE;
    paint_text_at_top(paint, layout, x, round(baseline) - ascent, color);
}

double paint_measure(const struct paint *paint, const char *text, double size,
                     enum paint_weight weight)
{
    paint_text_set(paint->layout, text, (struct paint_font){.size = size, .weight = weight});
    return paint_text_width(paint->layout);
}

double paint_fit(const struct paint *paint, const char *text, double size, enum paint_weight weight,
                 double room, double least_part)
{
    const double least = least_part * size, step = 0.02 * size;
    while (size > least && paint_measure(paint, text, size, weight) > room)
        size = fmax(least, size - step);  // not in proportion: letters are rounded to pixels
    return size;
}

void paint_text_color(PangoAttrList *list, struct paint_color color, size_t start, size_t end)
{
    PangoAttribute *a =
        pango_attr_foreground_new((guint16)(color.red * 65535), (guint16)(color.green * 65535),
                                  (guint16)(color.blue * 65535));
    a->start_index = (guint)start;
    a->end_index = (guint)end;
    pango_attr_list_insert(list, a);
}

double paint_write(const struct paint *paint, const char *text, double size,
                   enum paint_weight weight, double x, double y, enum paint_align align,
                   struct paint_color color)
{
    const double width = paint_measure(paint, text, size, weight);
    const double left = align == PAINT_LEFT ? x : align == PAINT_CENTER ? x - width / 2 : x - width;
    paint_text_at_baseline(paint, paint->layout, left, y + size * PAINT_HALF_CAPITAL, color);
    return width;
}

double paint_write_within(const struct paint *paint, const char *text, double size,
                          enum paint_weight weight, double x, double y, double room,
                          struct paint_color color)
{
    const double width = paint_measure(paint, text, size, weight);
    if (room <= 2 * size && room < width) return 0;
    if (width > room) paint_text_cut(paint->layout, room);
    paint_text_at_baseline(paint, paint->layout, x, y + size * PAINT_HALF_CAPITAL, color);
    return fmin(width, room);
}

double paint_write_fitting(const struct paint *paint, const char *text, double size,
                           enum paint_weight weight, double x, double y, double room,
                           double least_part, struct paint_color color)
{
    size = paint_fit(paint, text, size, weight, room, least_part);
    return paint_write_within(paint, text, size, weight, x, y, room, color);
}

void paint_write_lines(const struct paint *paint, const char *text, double size,
                       enum paint_weight weight, double x, double top, double width, int lines,
                       struct paint_color color)
{
    PangoLayout *const layout = paint->layout;
    paint_text_wrap(layout, text, (struct paint_font){.size = size, .weight = weight}, width);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    pango_layout_set_height(layout, -lines);
    paint_text_at_top(paint, layout, x, top, color);
    pango_layout_set_height(layout, -1);
}

// --- shapes ---

bool paint_has_point(struct paint_box b, double x, double y)
{
    return x >= b.left && x < b.left + b.width && y >= b.top && y < b.top + b.height;
}

bool paint_is_empty(struct paint_box b)
{
    return b.width <= 0 || b.height <= 0;
}

bool paint_has_overlap(struct paint_box a, struct paint_box b)
{
    return !paint_is_empty(a) && !paint_is_empty(b) && a.left < b.left + b.width &&
           b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}

bool paint_is_inside(struct paint_box a, struct paint_box b)
{
    return a.left >= b.left && a.top >= b.top && a.left + a.width <= b.left + b.width &&
           a.top + a.height <= b.top + b.height;
}

struct paint_box paint_join(struct paint_box a, struct paint_box b)
{
    if (paint_is_empty(a) || paint_is_empty(b)) return paint_is_empty(a) ? b : a;
    const double left = fmin(a.left, b.left), top = fmin(a.top, b.top);
    return (struct paint_box){left, top, fmax(a.left + a.width, b.left + b.width) - left,
                              fmax(a.top + a.height, b.top + b.height) - top};
}

struct paint_box paint_inset(struct paint_box b, double margin)
{
    return (struct paint_box){b.left + margin, b.top + margin, fmax(0, b.width - 2 * margin),
                              fmax(0, b.height - 2 * margin)};
}

void paint_line(const struct paint *paint, double x0, double y0, double x1, double y1,
                double thickness, struct paint_color color)
{
    paint_set_color(paint, color);
    cairo_set_line_width(paint->cairo, thickness);
    cairo_move_to(paint->cairo, x0, y0);
    cairo_line_to(paint->cairo, x1, y1);
    cairo_stroke(paint->cairo);
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

void paint_fill_box(const struct paint *paint, struct paint_box box, double rounding,
                    struct paint_color color)
{
    paint_set_color(paint, color);
    trace_box(paint->cairo, box, rounding);
    cairo_fill(paint->cairo);
}

void paint_stroke_box(const struct paint *paint, struct paint_box box, double rounding,
                      double thickness, struct paint_color color)
{
    const double inset = thickness / 2;
    paint_set_color(paint, color);
    cairo_set_line_width(paint->cairo, thickness);
    trace_box(paint->cairo, paint_inset(box, inset), rounding - inset);
    cairo_stroke(paint->cairo);
}

void paint_panel(const struct paint *paint, struct paint_box box, double em, double alpha)
{
    const struct paint_theme *t = paint->theme;
    paint_fill_box(paint, box, 0.5 * em, paint_fade(t->panel, alpha));
    paint_stroke_box(paint, box, 0.5 * em, fmax(1, em / 16), t->edge);
}

void paint_clip(const struct paint *paint, struct paint_box b)
{
    cairo_save(paint->cairo);
    cairo_rectangle(paint->cairo, b.left, b.top, b.width, b.height);
    cairo_clip(paint->cairo);
}

void paint_hatch_box(const struct paint *paint, struct paint_box b, double step,
                     struct paint_color color)
{
    paint_clip(paint, b);
    for (double x = b.left - b.height; x < b.left + b.width; x += step)
        paint_line(paint, x, b.top + b.height, x + b.height, b.top, 1, color);
    cairo_restore(paint->cairo);
}

// --- keycaps and headings ---

static const double key_font = 0.88, key_height = 1.42;  // in ems

static bool is_between_keys(const char *key)
{
    return !strcmp(key, "…") || !strcmp(key, "–");
}

double paint_keycap_width(const struct paint *paint, const char *key, double em)
{
    const double text = paint_measure(paint, key, key_font * em, PAINT_MEDIUM);
    return is_between_keys(key) ? text : round(fmax(key_height * em, text + 0.8 * em));
}

void paint_keycap(const struct paint *paint, const char *key, double em, double x, double y)
{
    const double width = paint_keycap_width(paint, key, em), height = round(key_height * em);
    const struct paint_box cap = {round(x), round(y - height / 2), width, height};
    struct paint_box face = cap;
    face.height -= fmax(1, round(em / 9));
    if (!is_between_keys(key)) {
        paint_fill_box(paint, cap, 0.28 * em, paint->theme->edge);
        paint_fill_box(paint, face, 0.28 * em, paint->theme->cap);
        paint_stroke_box(paint, face, 0.28 * em, fmax(1, em / 18), paint->theme->edge);
    }
    paint_write(paint, key, key_font * em, PAINT_MEDIUM, x + width / 2, y - 0.04 * em, PAINT_CENTER,
                paint->theme->text);
}

void paint_heading(const struct paint *paint, struct paint_box box, double em, const char *title,
                   const char *words, bool is_active, struct paint_color color)
{
    const double air = 1.4 * em, least = 0.6 * em, right = box.left + box.width;
    const double middle = box.top + 0.5 * box.height, line = box.top + 0.92 * box.height;
    const double wanted = *words ? paint_measure(paint, words, least, PAINT_MEDIUM) + air : 0;
    const double used = paint_write_fitting(paint, title, 1.1 * em, PAINT_BOLD, box.left, middle,
                                            box.width - wanted, 0.7, color);
    const double size = paint_fit(paint, words, em, PAINT_MEDIUM, box.width - used - air, 0.6);
    paint_write(paint, words, size, PAINT_MEDIUM, right, middle, PAINT_RIGHT, color);
    paint_line(paint, box.left, line, right, line, fmax(1, em / (is_active ? 8 : 20)),
               is_active ? paint->theme->text : paint->theme->edge);
}

// --- symbols ---

// A part of a symbol in the square [-1, 1] x [-1, 1], y down: lines through points, or a circle.
struct part {
    double points[10][2];
    int count;         // of points; 1: a circle about it
    double thickness;  // of lines and outlines; 0: none
    double radius;     // of a circle
    bool is_filled;
    bool is_ink;  // a mark on the parts before it
};

static const struct part symbols[][3] = {
    [PAINT_CHECK] =
        {{{{0, 0}}, 1, .radius = 1, .is_filled = true},
         {{{-0.46, 0.04}, {-0.12, 0.38}, {0.48, -0.34}}, 3, .thickness = 0.27, .is_ink = true}},
    [PAINT_CROSS] = {{{{-0.7, -0.7}, {0.7, 0.7}}, 2, .thickness = 0.42},
                     {{{-0.7, 0.7}, {0.7, -0.7}}, 2, .thickness = 0.42}},
    [PAINT_DOTS] = {{{{-0.72, 0}}, 1, .radius = 0.25, .is_filled = true},
                    {{{0, 0}}, 1, .radius = 0.25, .is_filled = true},
                    {{{0.72, 0}}, 1, .radius = 0.25, .is_filled = true}},
    [PAINT_CLOCK] = {{{{0, 0}}, 1, .thickness = 0.2, .radius = 0.88},
                     {{{0, -0.5}, {0, 0.05}, {0.38, 0.3}}, 3, .thickness = 0.2}},
    [PAINT_BARRED] = {{{{0, 0}}, 1, .thickness = 0.26, .radius = 0.86},
                      {{{-0.58, -0.58}, {0.58, 0.58}}, 2, .thickness = 0.26}},
    [PAINT_TRIANGLE] =
        {{{{0, -0.74}, {0.84, 0.74}, {-0.84, 0.74}}, 3, .thickness = 0.28, .is_filled = true},
         {{{0, -0.32}, {0, 0.26}}, 2, .thickness = 0.24, .is_ink = true},
         {{{0, 0.6}}, 1, .radius = 0.14, .is_filled = true, .is_ink = true}},
    [PAINT_ARROW] =
        {{{{-0.55, -0.72}, {0.75, 0}, {-0.55, 0.72}}, 3, .thickness = 0.2, .is_filled = true}},
    [PAINT_STAR] = {{{{0, -0.95},
                      {0.247, -0.34},
                      {0.904, -0.294},
                      {0.399, 0.13},
                      {0.558, 0.769},
                      {0, 0.42},
                      {-0.558, 0.769},
                      {-0.399, 0.13},
                      {-0.904, -0.294},
                      {-0.247, -0.34}},
                     10,
                     0.12,
                     .is_filled = true}},
};

void paint_symbol(const struct paint *paint, enum paint_symbol symbol, double center_x,
                  double center_y, double size, struct paint_color color)
{
    cairo_t *const cairo = paint->cairo;
    cairo_save(cairo);
    cairo_translate(cairo, center_x, center_y);
    cairo_scale(cairo, size / 2, size / 2);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < G_N_ELEMENTS(symbols[symbol]); i++) {
        const struct part *p = &symbols[symbol][i];
        paint_set_color(paint, p->is_ink ? paint->theme->ink : color);
        cairo_new_path(cairo);
        if (p->count == 1)
            cairo_arc(cairo, p->points[0][0], p->points[0][1], p->radius, 0, 2 * G_PI);
        for (int k = 0; k < p->count && p->count > 1; k++)
            cairo_line_to(cairo, p->points[k][0], p->points[k][1]);
        if (p->is_filled) {
            cairo_close_path(cairo);
            cairo_fill_preserve(cairo);
        }
        cairo_set_line_width(cairo, p->thickness);
        if (p->thickness > 0) cairo_stroke(cairo);
    }
    cairo_new_path(cairo);
    cairo_restore(cairo);
}

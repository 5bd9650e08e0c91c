#include "overlay.h"

#include "band.h"
#include "help.h"
#include "message.h"
#include "paint.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// The window's rows, top to bottom. Each is drawn again on its own; only the message may lie over
// another one, and only when the window is too low for both.
//
//     0 ┌──────────────────────────┐
//       │ BAND_TITLE               │
//       │ BAND_TIME                │  upper band
//       │ BAND_DETAIL              │
//       ├──────────────────────────┤
//       │         MESSAGE          │  the picture shows here
//       ├──────────────────────────┤
//       │ BAND_STATUS              │  lower band
//     h └──────────────────────────┘
//
// HELP covers everything: while it is open nothing else is drawn.
enum region { MESSAGE = BAND_COUNT, HELP, REGION_COUNT };  // after the bands

struct span {
    int top, bottom;  // rows [top, bottom)
};

// What a low window goes without, first to last.
static const enum band drop_order[BAND_COUNT] = {BAND_DETAIL, BAND_STATUS, BAND_TITLE, BAND_TIME};

static const double smallest_base = 9;  // pixels

struct overlay {
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct bands *bands;
    struct message *message;
    struct help *help;

    struct overlay_content content;
    int width, height;
    double base;
    struct span spans[REGION_COUNT];  // where each was drawn; empty: not at all
    struct span dirty;
    struct span message_area;  // of the window's rows, what a message may cover
};

// --- life ---

static PangoContext *create_context(PangoFontMap *fonts)
{
    PangoContext *context = pango_font_map_create_context(fonts);
    cairo_font_options_t *options = cairo_font_options_create();
    // The picture shows through: no colour fringes, whatever the desktop is set to.
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    return context;
}

struct overlay *overlay_create(void)
{
    struct overlay *o = g_try_new0(struct overlay, 1);
    if (!o) return NULL;
    o->fonts = pango_cairo_font_map_new();
    o->context = create_context(o->fonts);
    o->bands = bands_create(o->context, &o->content);
    o->message = message_create(o->context);
    o->help = help_create(o->context);
    return o;
}

static void drop_surface(struct overlay *o)
{
    if (o->cairo) cairo_destroy(o->cairo);
    if (o->surface) cairo_surface_destroy(o->surface);
    o->cairo = NULL;
    o->surface = NULL;
}

void overlay_destroy(struct overlay *o)
{
    if (!o) return;
    drop_surface(o);
    help_destroy(o->help);
    message_destroy(o->message);
    bands_destroy(o->bands);
    g_object_unref(o->context);
    g_object_unref(o->fonts);
    g_free(o);
}

// --- what changed ---

static double scale_of(const struct overlay_content *c)
{
    return c->scale >= 0.5 ? fmin(c->scale, 4) : 0.5;
}

static bool is_relaid(const struct overlay_content *a, const struct overlay_content *b)
{
    return a->is_hidden != b->is_hidden || a->is_light != b->is_light ||
           scale_of(a) != scale_of(b) || a->help != b->help || a->help_count != b->help_count;
}

// A set of regions, one bit each: those whose own content differs.
static unsigned find_changes(const struct overlay_content *a, const struct overlay_content *b)
{
    const bool is_same_message = a->tone == b->tone && strcmp(a->message, b->message) == 0;
    return bands_compare(a, b) | (is_same_message ? 0 : 1u << MESSAGE);
}

// --- which rows ---

static struct paint begin_paint(const struct overlay *o)
{
    return (struct paint){.cairo = o->cairo,
                          .theme = paint_theme(o->content.is_light),
                          .width = o->width,
                          .height = o->height,
                          .base = o->base};
}

// 38 rows of text a window; narrow windows take less, and bands never more than about 3/4 of it.
static double find_base(const struct overlay *o)
{
    const double natural = fmin(o->height / 38.0, o->width / 50.0);
    const double base = fmin(natural * scale_of(&o->content), o->height / 10.0);
    return fmax(base, smallest_base);
}

static bool is_help_open(const struct overlay_content *c)
{
    return c->help && c->help_count > 0;
}

// The upper band keeps its three rows as long as one of them has something to say, so that it does
// not jump. One bit each.
static unsigned find_shown_bands(const struct overlay *o)
{
    const struct bands *b = o->bands;
    const bool has_upper = bands_has_text(b, BAND_TITLE) || bands_has_text(b, BAND_TIME) ||
                           bands_has_text(b, BAND_DETAIL);
    unsigned shown = has_upper ? 1u << BAND_TITLE | 1u << BAND_TIME | 1u << BAND_DETAIL : 0;
    int total = 0;
    if (o->content.is_hidden || is_help_open(&o->content)) return 0;
    if (bands_has_text(b, BAND_STATUS)) shown |= 1u << BAND_STATUS;
    for (int i = 0; i < BAND_COUNT; i++)
        if (shown & 1u << i) total += bands_height((enum band)i, o->base);
    for (int i = 0; i < BAND_COUNT && total > o->height; i++) {
        if (!(shown & 1u << drop_order[i])) continue;
        shown &= ~(1u << drop_order[i]);
        total -= bands_height(drop_order[i], o->base);
    }
    return shown;
}

static void place_bands(const struct overlay *o, struct span *spans)
{
    const unsigned shown = find_shown_bands(o);
    int heights[BAND_COUNT], top = 0;
    for (int i = 0; i < BAND_COUNT; i++)
        heights[i] = shown & 1u << i ? bands_height((enum band)i, o->base) : 0;
    for (int i = BAND_TITLE; i <= BAND_DETAIL; i++) {
        spans[i] = (struct span){top, top + heights[i]};
        top += heights[i];
    }
    spans[BAND_STATUS] = (struct span){o->height - heights[BAND_STATUS], o->height};
}

static bool is_empty(struct span s)
{
    return s.top >= s.bottom;
}

static struct span join(struct span a, struct span b)
{
    if (is_empty(a)) return b;
    if (is_empty(b)) return a;
    return (struct span){MIN(a.top, b.top), MAX(a.bottom, b.bottom)};
}

static bool is_same_place(struct span a, struct span b)
{
    return (is_empty(a) && is_empty(b)) || (a.top == b.top && a.bottom == b.bottom);
}

// Between the bands, or the whole window where that is too low for a few lines.
static struct span find_message_area(const struct overlay *o, const struct span *spans)
{
    const struct span between = {spans[BAND_DETAIL].bottom, spans[BAND_STATUS].top};
    if (between.bottom - between.top >= 7 * o->base) return between;
    return (struct span){0, o->height};
}

static struct span place_message(struct overlay *o)
{
    const struct paint paint = begin_paint(o);
    const struct paint_box area = {0, o->message_area.top, o->width,
                                   o->message_area.bottom - o->message_area.top};
    if (is_help_open(&o->content) || !*o->content.message) return (struct span){0, 0};
    const struct paint_box box =
        message_place(o->message, &paint, o->content.message, o->content.tone, area);
    return (struct span){MAX(0, (int)floor(box.top)),
                         MIN(o->height, (int)ceil(box.top + box.height))};
}

// --- drawing ---

static bool is_touched(const struct overlay *o, int region)
{
    return MAX(o->spans[region].top, o->dirty.top) < MIN(o->spans[region].bottom, o->dirty.bottom);
}

static void draw(struct overlay *o)
{
    const struct paint paint = begin_paint(o);
    cairo_save(o->cairo);
    cairo_rectangle(o->cairo, 0, o->dirty.top, o->width, o->dirty.bottom - o->dirty.top);
    cairo_clip(o->cairo);
    cairo_set_operator(o->cairo, CAIRO_OPERATOR_CLEAR);
    cairo_paint(o->cairo);
    cairo_set_operator(o->cairo, CAIRO_OPERATOR_OVER);
    for (int i = 0; i < BAND_COUNT; i++)
        if (is_touched(o, i)) bands_draw(o->bands, &paint, (enum band)i, o->spans[i].top);
    if (is_touched(o, MESSAGE)) message_draw(o->message, &paint);
    if (is_touched(o, HELP)) help_draw(o->help, &paint);
    cairo_restore(o->cairo);
    cairo_surface_flush(o->surface);
}

// --- update ---

static bool resize(struct overlay *o, int width, int height)
{
    drop_surface(o);
    o->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    o->cairo = cairo_create(o->surface);
    o->width = width;
    o->height = height;
    if (cairo_status(o->cairo) == CAIRO_STATUS_SUCCESS) return true;
    drop_surface(o);
    return false;
}

// Lays out what changed or moved, and joins where it was and where it is to the dirty rows.
static void lay_out(struct overlay *o, unsigned changed)
{
    struct span spans[REGION_COUNT] = {{0, 0}};
    const struct paint paint = begin_paint(o);
    place_bands(o, spans);
    const struct span area = find_message_area(o, spans);
    if (!is_same_place(area, o->message_area)) changed |= 1u << MESSAGE;
    o->message_area = area;
    spans[MESSAGE] = changed & 1u << MESSAGE ? place_message(o) : o->spans[MESSAGE];
    if (is_help_open(&o->content)) spans[HELP] = (struct span){0, o->height};
    for (int i = 0; i < REGION_COUNT; i++) {
        const struct span before = o->spans[i];
        o->spans[i] = spans[i];
        if (!(changed & 1u << i) && is_same_place(before, spans[i])) continue;
        o->dirty = join(o->dirty, join(before, spans[i]));
        if (i < BAND_COUNT && !is_empty(spans[i]) && bands_place(o->bands, &paint, (enum band)i))
            changed |= 1u << BAND_DETAIL;
        if (i == HELP && !is_empty(spans[i]))
            help_place(o->help, &paint, o->content.help, o->content.help_count);
    }
}

bool overlay_update(struct overlay *o, const struct overlay_content *content, int width, int height)
{
    assert(width >= 1 && height >= 1);
    const unsigned all = (1u << REGION_COUNT) - 1;
    const bool is_resized = !o->surface || width != o->width || height != o->height;
    const bool is_all = is_resized || is_relaid(&o->content, content);
    const unsigned changed = is_all ? all : find_changes(&o->content, content);
    o->dirty = (struct span){0, 0};
    if (!changed) return false;
    if (is_resized && !resize(o, width, height)) return false;
    o->content = *content;
    o->base = find_base(o);
    lay_out(o, changed);
    if (is_resized) o->dirty = (struct span){0, height};
    if (is_empty(o->dirty)) return false;
    draw(o);
    return true;
}

struct overlay_pixels overlay_pixels(const struct overlay *o)
{
    if (!o->surface) return (struct overlay_pixels){0};
    return (struct overlay_pixels){.pixels = cairo_image_surface_get_data(o->surface),
                                   .width = o->width,
                                   .height = o->height,
                                   .stride = cairo_image_surface_get_stride(o->surface),
                                   .dirty_top = o->dirty.top,
                                   .dirty_bottom = o->dirty.bottom};
}

#include "screen/overlay.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "screen/overlay_parts.h"

static const double smallest_base = 9;  // pixels

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
    o->panel_view = panel_view_create(o->context);
    o->tags = tags_create(o->context, &o->content);
    o->message = message_create(o->context);
    o->caption = message_create(o->context);
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
    message_destroy(o->caption);
    message_destroy(o->message);
    tags_destroy(o->tags);
    panel_view_destroy(o->panel_view);
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
           scale_of(a) != scale_of(b) || a->is_comparing != b->is_comparing || a->help != b->help ||
           a->help_count != b->help_count;
}

static unsigned find_changed_panels(const struct overlay_panels *a, const struct overlay_panels *b)
{
    const bool is_other[] = {[OVERLAY_GRID] = a->grid != b->grid,
                             [OVERLAY_BARS] = a->bars != b->bars,
                             [OVERLAY_SWEEP] = a->sweep != b->sweep,
                             [OVERLAY_HEAT] = a->heat != b->heat};
    unsigned changed = 0;
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (is_other[i] || a->versions[i] != b->versions[i] || a->opened[i] != b->opened[i])
            changed |= 1u << (PANEL + i);
    return changed;
}

// A set of regions, one bit each: those whose own content differs.
static unsigned find_changes(const struct overlay_content *a, const struct overlay_content *b)
{
    const bool is_same_message = a->tone == b->tone && strcmp(a->message, b->message) == 0;
    return bands_compare(a, b) | find_changed_panels(&a->panels, &b->panels) |
           (tags_is_same(a, b) ? 0 : EVERY_TAG) | (is_same_message ? 0 : 1u << MESSAGE) |
           (strcmp(a->caption, b->caption) == 0 ? 0 : 1u << CAPTION);
}

// 38 rows of text a window; narrow windows take less, and bands never more than about 3/4 of it.
static double find_base(const struct overlay *o)
{
    const double natural = fmin(o->height / 38.0, o->width / 50.0);
    const double base = fmin(natural * scale_of(&o->content), o->height / 10.0);
    return fmax(base, smallest_base);
}

struct paint overlay_paint(const struct overlay *o)
{
    return (struct paint){.cairo = o->cairo,
                          .theme = paint_theme(o->content.is_light),
                          .width = o->width,
                          .height = o->height,
                          .base = o->base};
}

// --- drawing ---

// One box at a time: a clip of several would soften edges in another way than a single one does.
static void draw(struct overlay *o, cairo_rectangle_int_t dirty)
{
    const struct paint paint = overlay_paint(o);
    const cairo_rectangle_int_t *boxes = o->boxes;
    cairo_save(o->cairo);
    cairo_rectangle(o->cairo, dirty.x, dirty.y, dirty.width, dirty.height);
    cairo_clip(o->cairo);
    cairo_set_operator(o->cairo, CAIRO_OPERATOR_CLEAR);
    cairo_paint(o->cairo);
    cairo_set_operator(o->cairo, CAIRO_OPERATOR_OVER);
    for (int i = 0; i < BAND_PARTS; i++)
        if (damage_has_overlap(boxes[i], dirty)) bands_draw(o->bands, &paint, i);
    for (int i = 0; i < TAG_COUNT; i++)
        if (damage_has_overlap(boxes[TAG + i], dirty))
            tags_draw(o->tags, &paint, (enum tag)i, overlay_as_paint_box(boxes[TAG + i]));
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (damage_has_overlap(boxes[PANEL + i], dirty))
            panel_view_draw(o->panel_view, &paint, (enum overlay_panel)i);
    if (damage_has_overlap(boxes[CAPTION], dirty)) message_draw(o->caption, &paint);
    if (damage_has_overlap(boxes[MESSAGE], dirty)) message_draw(o->message, &paint);
    if (damage_has_overlap(boxes[HELP], dirty)) help_draw(o->help, &paint);
    cairo_restore(o->cairo);
}

// --- update ---

static bool resize(struct overlay *o, int width, int height)
{
    drop_surface(o);
    o->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    o->cairo = cairo_create(o->surface);
    o->width = width;
    o->height = height;
    memset(o->boxes, 0, sizeof o->boxes);
    if (cairo_status(o->cairo) == CAIRO_STATUS_SUCCESS) return true;
    drop_surface(o);
    return false;
}

// Pango keeps the fonts of every size that it has met: a new map forgets those of other windows.
static void set_base(struct overlay *o, double base)
{
    if (o->base && o->base != base) {
        g_object_unref(o->fonts);
        o->fonts = pango_cairo_font_map_new();
        pango_context_set_font_map(o->context, o->fonts);
    }
    o->base = base;
}

bool overlay_update(struct overlay *o, const struct overlay_content *content, int width, int height)
{
    assert(width >= 1 && height >= 1);
    const unsigned all = (1u << REGION_COUNT) - 1;
    const bool is_resized = !o->surface || width != o->width || height != o->height;
    const bool is_all = is_resized || is_relaid(&o->content, content);
    const unsigned changed = is_all ? all : find_changes(&o->content, content);
    o->damage.count = 0;
    if (!changed) return false;
    if (is_resized && !resize(o, width, height)) return false;
    o->content = *content;
    set_base(o, find_base(o));
    overlay_lay_out(o, changed);
    if (is_resized) damage_add(&o->damage, overlay_rows(o, 0, height));
    if (!o->damage.count) return false;
    damage_complete(&o->damage, o->boxes, REGION_COUNT);
    for (int i = 0; i < o->damage.count; i++) draw(o, o->damage.boxes[i]);
    cairo_surface_flush(o->surface);
    return true;
}

struct overlay_pixels overlay_pixels(const struct overlay *o)
{
    if (!o->surface) return (struct overlay_pixels){0};
    const struct damage dirty = damage_reduce(&o->damage, OVERLAY_DAMAGE);
    struct overlay_pixels p = {.pixels = cairo_image_surface_get_data(o->surface),
                               .width = o->width,
                               .height = o->height,
                               .stride = cairo_image_surface_get_stride(o->surface),
                               .damage_count = dirty.count};
    for (int i = 0; i < dirty.count; i++)
        p.damage[i] = (struct overlay_box){dirty.boxes[i].x, dirty.boxes[i].y, dirty.boxes[i].width,
                                           dirty.boxes[i].height};
    return p;
}

bool overlay_find(const struct overlay *o, double x, double y, struct overlay_hit *hit)
{
    return o->surface && panel_view_find(o->panel_view, x, y, hit);
}

bool overlay_panel_box(const struct overlay *o, enum overlay_panel panel, struct overlay_box *box)
{
    const cairo_rectangle_int_t b = o->boxes[PANEL + panel];
    if (damage_is_empty(b)) return false;
    *box = (struct overlay_box){b.x, b.y, b.width, b.height};
    return true;
}

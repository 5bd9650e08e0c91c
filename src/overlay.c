#include "overlay.h"

#include "band.h"
#include "board.h"
#include "dirty.h"
#include "help.h"
#include "message.h"
#include "paint.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// The window's regions. Each is drawn again on its own; only the message may lie over others.
//
//     0 ┌──────────────────────────┐
//       │ BAND_TITLE               │
//       │ BAND_TIME                │  upper band
//       │ BAND_DETAIL              │
//       ├──────────────────────────┤
//       │ [panel]          [panel] │
//       │         MESSAGE          │  the picture shows here
//       │ [panel]          [panel] │
//       ├──────────────────────────┤
//       │ BAND_STATUS              │  lower band
//     h └──────────────────────────┘
//
// HELP covers everything: while it is open nothing else is drawn.
enum region {
    PANEL = BAND_COUNT,  // the first of them
    MESSAGE = PANEL + OVERLAY_PANELS,
    HELP,
    REGION_COUNT
};

_Static_assert(2 * REGION_COUNT + 1 <= DIRTY_MAX, "where each was and is, and the window");

// What a low window goes without, first to last.
static const enum band drop_order[BAND_COUNT] = {BAND_DETAIL, BAND_STATUS, BAND_TITLE, BAND_TIME};

static const double smallest_base = 9;  // pixels

struct overlay {
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct bands *bands;
    struct board *board;
    struct message *message;
    struct help *help;

    struct overlay_content content;
    int width, height;
    double base;
    cairo_rectangle_int_t boxes[REGION_COUNT];  // where each was drawn; empty: not at all
    struct dirty dirty;                         // of the last update
    cairo_rectangle_int_t message_area;         // what a message may cover
    cairo_rectangle_int_t panel_area;           // between the bands
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
    o->board = board_create(o->context);
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
    board_destroy(o->board);
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

static const unsigned every_panel = ((1u << OVERLAY_PANELS) - 1) << PANEL;

static unsigned find_changed_panels(const struct overlay_board *a, const struct overlay_board *b)
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
    return bands_compare(a, b) | find_changed_panels(&a->board, &b->board) |
           (is_same_message ? 0 : 1u << MESSAGE);
}

// --- where ---

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

static cairo_rectangle_int_t rows(const struct overlay *o, int top, int bottom)
{
    return (cairo_rectangle_int_t){0, top, o->width, bottom - top};
}

static void place_bands(const struct overlay *o, cairo_rectangle_int_t *boxes)
{
    const unsigned shown = find_shown_bands(o);
    int heights[BAND_COUNT], top = 0;
    for (int i = 0; i < BAND_COUNT; i++)
        heights[i] = shown & 1u << i ? bands_height((enum band)i, o->base) : 0;
    for (int i = BAND_TITLE; i <= BAND_DETAIL; i++) {
        boxes[i] = rows(o, top, top + heights[i]);
        top += heights[i];
    }
    boxes[BAND_STATUS] = rows(o, o->height - heights[BAND_STATUS], o->height);
}

// The whole pixels of the window that a box touches.
static cairo_rectangle_int_t pixels_of(const struct overlay *o, struct paint_box b)
{
    const int left = MAX(0, (int)floor(b.left)), top = MAX(0, (int)floor(b.top));
    const int right = MIN(o->width, (int)ceil(b.left + b.width));
    const int bottom = MIN(o->height, (int)ceil(b.top + b.height));
    return (cairo_rectangle_int_t){left, top, MAX(0, right - left), MAX(0, bottom - top)};
}

static struct paint_box box_of(cairo_rectangle_int_t b)
{
    return (struct paint_box){b.x, b.y, b.width, b.height};
}

static cairo_rectangle_int_t between_bands(const struct overlay *o,
                                           const cairo_rectangle_int_t *boxes)
{
    const cairo_rectangle_int_t detail = boxes[BAND_DETAIL];
    return rows(o, detail.y + detail.height, boxes[BAND_STATUS].y);
}

// Between the bands, or the whole window where that is too low for a few lines.
static cairo_rectangle_int_t find_message_area(const struct overlay *o,
                                               const cairo_rectangle_int_t *boxes)
{
    const cairo_rectangle_int_t between = between_bands(o, boxes);
    return between.height >= 7 * o->base ? between : rows(o, 0, o->height);
}

static cairo_rectangle_int_t place_message(struct overlay *o)
{
    const struct paint paint = begin_paint(o);
    if (is_help_open(&o->content) || !*o->content.message)
        return (cairo_rectangle_int_t){0, 0, 0, 0};
    return pixels_of(o, message_place(o->message, &paint, o->content.message, o->content.tone,
                                      box_of(o->message_area)));
}

static void place_panels(struct overlay *o, cairo_rectangle_int_t *boxes)
{
    static const struct overlay_board closed = {.grid = NULL};
    const struct paint paint = begin_paint(o);
    const bool is_shown = !o->content.is_hidden && !is_help_open(&o->content);
    board_place(o->board, &paint, is_shown ? &o->content.board : &closed, box_of(o->panel_area));
    for (int i = 0; i < OVERLAY_PANELS; i++)
        boxes[PANEL + i] = pixels_of(o, board_box(o->board, (enum overlay_panel)i));
}

// --- drawing ---

// One box at a time: a clip of several would soften edges in another way than a single one does.
static void draw(struct overlay *o, cairo_rectangle_int_t dirty)
{
    const struct paint paint = begin_paint(o);
    const cairo_rectangle_int_t *boxes = o->boxes;
    cairo_save(o->cairo);
    cairo_rectangle(o->cairo, dirty.x, dirty.y, dirty.width, dirty.height);
    cairo_clip(o->cairo);
    cairo_set_operator(o->cairo, CAIRO_OPERATOR_CLEAR);
    cairo_paint(o->cairo);
    cairo_set_operator(o->cairo, CAIRO_OPERATOR_OVER);
    for (int i = 0; i < BAND_COUNT; i++)
        if (dirty_has_overlap(boxes[i], dirty))
            bands_draw(o->bands, &paint, (enum band)i, boxes[i].y);
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (dirty_has_overlap(boxes[PANEL + i], dirty))
            board_draw(o->board, &paint, (enum overlay_panel)i);
    if (dirty_has_overlap(boxes[MESSAGE], dirty)) message_draw(o->message, &paint);
    if (dirty_has_overlap(boxes[HELP], dirty)) help_draw(o->help, &paint);
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
    if (cairo_status(o->cairo) == CAIRO_STATUS_SUCCESS) return true;
    drop_surface(o);
    return false;
}

// Lays out what changed or moved; where it was and where it is becomes dirty.
static void lay_out(struct overlay *o, unsigned changed)
{
    cairo_rectangle_int_t boxes[REGION_COUNT] = {{0, 0, 0, 0}};
    const struct paint paint = begin_paint(o);
    place_bands(o, boxes);
    const cairo_rectangle_int_t area = find_message_area(o, boxes);
    const cairo_rectangle_int_t between = between_bands(o, boxes);
    if (!dirty_is_same(area, o->message_area)) changed |= 1u << MESSAGE;
    if (!dirty_is_same(between, o->panel_area)) changed |= every_panel;
    o->message_area = area;
    o->panel_area = between;
    boxes[MESSAGE] = changed & 1u << MESSAGE ? place_message(o) : o->boxes[MESSAGE];
    memcpy(&boxes[PANEL], &o->boxes[PANEL], OVERLAY_PANELS * sizeof *boxes);
    if (changed & every_panel) place_panels(o, boxes);
    if (is_help_open(&o->content)) boxes[HELP] = rows(o, 0, o->height);
    for (int i = 0; i < REGION_COUNT; i++) {
        const cairo_rectangle_int_t before = o->boxes[i];
        o->boxes[i] = boxes[i];
        if (!(changed & 1u << i) && dirty_is_same(before, boxes[i])) continue;
        dirty_add(&o->dirty, before);
        dirty_add(&o->dirty, boxes[i]);
        if (i < BAND_COUNT && !dirty_is_empty(boxes[i]) &&
            bands_place(o->bands, &paint, (enum band)i))
            changed |= 1u << BAND_DETAIL;
        if (i == HELP && !dirty_is_empty(boxes[i]))
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
    o->dirty.count = 0;
    if (!changed) return false;
    if (is_resized && !resize(o, width, height)) return false;
    o->content = *content;
    o->base = find_base(o);
    lay_out(o, changed);
    if (is_resized) dirty_add(&o->dirty, rows(o, 0, height));
    if (!o->dirty.count) return false;
    dirty_complete(&o->dirty, o->boxes, REGION_COUNT);
    for (int i = 0; i < o->dirty.count; i++) draw(o, o->dirty.boxes[i]);
    cairo_surface_flush(o->surface);
    return true;
}

struct overlay_pixels overlay_pixels(const struct overlay *o)
{
    if (!o->surface) return (struct overlay_pixels){0};
    const cairo_rectangle_int_t dirty = dirty_hull(&o->dirty);
    return (struct overlay_pixels){.pixels = cairo_image_surface_get_data(o->surface),
                                   .width = o->width,
                                   .height = o->height,
                                   .stride = cairo_image_surface_get_stride(o->surface),
                                   .dirty_top = dirty.y,
                                   .dirty_bottom = dirty.y + dirty.height};
}

bool overlay_find(const struct overlay *o, double x, double y, struct overlay_hit *hit)
{
    return o->surface && board_find(o->board, x, y, hit);
}

bool overlay_panel_box(const struct overlay *o, enum overlay_panel panel, struct overlay_box *box)
{
    const cairo_rectangle_int_t b = o->boxes[PANEL + panel];
    if (dirty_is_empty(b)) return false;
    *box = (struct overlay_box){b.x, b.y, b.width, b.height};
    return true;
}

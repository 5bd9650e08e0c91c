#include "overlay.h"

#include "band.h"
#include "board.h"
#include "dirty.h"
#include "help.h"
#include "message.h"
#include "paint.h"
#include "tags.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// The window's regions, in the order in which they are drawn. Each is drawn again on its own.
//
//     0 ┌──────────────────────────┐
//       │ parts of the rows        │  upper band (band.h)
//       ├───────────┬──────────────┤
//       │       TAG │ TAG          │
//       │ [panel]          [panel] │  the picture shows here
//       │         MESSAGE          │
//       │ [panel]          [panel] │
//       │       [ CAPTION ]        │  what is above keeps clear of it
//       ├──────────────────────────┤
//       │ parts of the status row  │  lower band
//     h └──────────────────────────┘
//
// A refusal or a log may lie over panels. HELP covers everything: while it is open nothing else is
// drawn.
enum region {
    TAG = BAND_PARTS,         // the first of them
    PANEL = TAG + TAG_COUNT,  // the first of them
    CAPTION = PANEL + OVERLAY_PANELS,
    MESSAGE,
    HELP,
    REGION_COUNT
};

_Static_assert(2 * REGION_COUNT + 1 <= DIRTY_MAX, "where each was and is, and the window");

static const double smallest_base = 9;  // pixels

// In base sizes: what is between the bands may be lower than that; then a caption has no room, and
// a message takes the whole window.
static const double caption_room = 5, message_room = 7;

struct overlay {
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct bands *bands;
    struct board *board;
    struct tags *tags;
    struct message *message, *caption;
    struct help *help;

    struct overlay_content content;
    int width, height;
    double base;
    cairo_rectangle_int_t boxes[REGION_COUNT];  // where each was drawn; empty: not at all
    struct dirty dirty;                         // of the last update
    cairo_rectangle_int_t between;              // the bands
    cairo_rectangle_int_t clear;                // that, without the caption
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
           scale_of(a) != scale_of(b) || a->is_comparing != b->is_comparing || a->help != b->help ||
           a->help_count != b->help_count;
}

static const unsigned every_part = (1u << BAND_PARTS) - 1;
static const unsigned every_tag = ((1u << TAG_COUNT) - 1) << TAG;
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
           (tags_is_same(a, b) ? 0 : every_tag) | (is_same_message ? 0 : 1u << MESSAGE) |
           (strcmp(a->caption, b->caption) == 0 ? 0 : 1u << CAPTION);
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

static bool has_bands(const struct overlay *o)
{
    return !o->content.is_hidden && !is_help_open(&o->content);
}

static cairo_rectangle_int_t rows(const struct overlay *o, int top, int bottom)
{
    return (cairo_rectangle_int_t){0, top, o->width, bottom - top};
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
    const cairo_rectangle_int_t verdict = boxes[band_part(BAND_VERDICT, 0)];
    const cairo_rectangle_int_t status = boxes[band_part(BAND_STATUS, 0)];
    if (!has_bands(o)) return rows(o, 0, o->height);
    return rows(o, verdict.y + verdict.height, status.y);
}

static cairo_rectangle_int_t above_caption(const struct overlay *o,
                                           const cairo_rectangle_int_t *boxes)
{
    const cairo_rectangle_int_t caption = boxes[CAPTION], between = o->between;
    const int bottom = dirty_is_empty(caption) ? between.y + between.height : caption.y;
    return rows(o, between.y, bottom);
}

// At the lower middle, in at most half of the height where that is enough for large words.
static cairo_rectangle_int_t place_caption(struct overlay *o)
{
    const struct paint paint = begin_paint(o);
    struct paint_box area = box_of(o->between);
    const double width = fmax(0.7 * area.width, fmin(0.94 * area.width, 30 * o->base));
    if (is_help_open(&o->content) || !*o->content.caption || area.height < caption_room * o->base)
        return (cairo_rectangle_int_t){0, 0, 0, 0};
    area.left += (area.width - width) / 2;
    area.width = width;
    const double height = fmax(area.height / 2, fmin(area.height, 8 * o->base));
    area.top += area.height - height;
    area.height = height;
    return pixels_of(o, message_place(o->caption, &paint, o->content.caption, MESSAGE_CAPTION, area,
                                      MESSAGE_LOW));
}

static void place_panels(struct overlay *o, cairo_rectangle_int_t *boxes)
{
    static const struct overlay_board closed = {.grid = NULL};
    const struct paint paint = begin_paint(o);
    board_place(o->board, &paint, has_bands(o) ? &o->content.board : &closed, box_of(o->clear));
    for (int i = 0; i < OVERLAY_PANELS; i++)
        boxes[PANEL + i] = pixels_of(o, board_box(o->board, (enum overlay_panel)i));
}

static bool is_on_panel(const cairo_rectangle_int_t *boxes, cairo_rectangle_int_t box)
{
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (dirty_has_overlap(boxes[PANEL + i], box)) return true;
    return false;
}

// A tag that would lie on a panel is not drawn.
static void place_tags(struct overlay *o, cairo_rectangle_int_t *boxes)
{
    struct paint_box places[TAG_COUNT] = {{0, 0, 0, 0}};
    const struct paint paint = begin_paint(o);
    if (has_bands(o)) tags_place(o->tags, &paint, box_of(o->clear), places);
    for (int i = 0; i < TAG_COUNT; i++) {
        boxes[TAG + i] = pixels_of(o, places[i]);
        if (is_on_panel(boxes, boxes[TAG + i])) boxes[TAG + i].width = 0;
    }
}

// Between the panels that lie on the left and on the right of the top, below the tags.
static struct paint_box find_note_area(const struct overlay *o, const cairo_rectangle_int_t *boxes)
{
    const int middle = o->width / 2;
    const int tags = o->content.is_comparing ? (int)(2 * o->base) : 0;
    struct paint_box area = box_of(o->clear);
    double right = area.width;
    area.top += tags;
    area.height -= tags;
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        const cairo_rectangle_int_t panel = boxes[PANEL + i];
        if (dirty_is_empty(panel) || panel.y > area.top + 4 * o->base) continue;
        if (panel.x + panel.width / 2 < middle)
            area.left = fmax(area.left, panel.x + panel.width);
        else
            right = fmin(right, panel.x);
    }
    area.width = right - area.left;
    return area;
}

// At the bottom, or, where a panel is there, at the top; in the middle of the window, if it can be.
static struct paint_box place_note(struct overlay *o, const struct paint *paint,
                                   const cairo_rectangle_int_t *boxes)
{
    const char *text = o->content.message;
    const struct paint_box all = box_of(o->clear);
    const struct paint_box low =
        message_place(o->message, paint, text, MESSAGE_NOTE, all, MESSAGE_LOW);
    if (!is_on_panel(boxes, pixels_of(o, low))) return low;
    const struct paint_box top = find_note_area(o, boxes);
    struct paint_box even = top;  // about the middle of the window
    even.width = 2 * fmin(o->width / 2.0 - top.left, top.left + top.width - o->width / 2.0);
    even.left = (o->width - even.width) / 2;
    const bool is_wide = even.width > low.width + 2 * o->base;
    if (top.width < 12 * o->base) return low;
    return message_place(o->message, paint, text, MESSAGE_NOTE, is_wide ? even : top, MESSAGE_HIGH);
}

// Refusals and logs: between the bands, or in the whole window where that is too low for a few
// lines.
static cairo_rectangle_int_t place_message(struct overlay *o, const cairo_rectangle_int_t *boxes)
{
    const struct paint paint = begin_paint(o);
    const bool has_room = o->clear.height >= message_room * o->base;
    const cairo_rectangle_int_t area = has_room ? o->clear : rows(o, 0, o->height);
    if (is_help_open(&o->content) || !*o->content.message)
        return (cairo_rectangle_int_t){0, 0, 0, 0};
    if (o->content.tone == OVERLAY_NOTE && has_room)
        return pixels_of(o, place_note(o, &paint, boxes));
    return pixels_of(o,
                     message_place(o->message, &paint, o->content.message,
                                   (enum message_kind)o->content.tone, box_of(area),
                                   o->content.tone == OVERLAY_NOTE ? MESSAGE_LOW : MESSAGE_MIDDLE));
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
    for (int i = 0; i < BAND_PARTS; i++)
        if (dirty_has_overlap(boxes[i], dirty)) bands_draw(o->bands, &paint, i);
    for (int i = 0; i < TAG_COUNT; i++)
        if (dirty_has_overlap(boxes[TAG + i], dirty))
            tags_draw(o->tags, &paint, (enum tag)i, box_of(boxes[TAG + i]));
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (dirty_has_overlap(boxes[PANEL + i], dirty))
            board_draw(o->board, &paint, (enum overlay_panel)i);
    if (dirty_has_overlap(boxes[CAPTION], dirty)) message_draw(o->caption, &paint);
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
    memset(o->boxes, 0, sizeof o->boxes);
    if (cairo_status(o->cairo) == CAIRO_STATUS_SUCCESS) return true;
    drop_surface(o);
    return false;
}

static unsigned find_moved(const struct overlay *o, const cairo_rectangle_int_t *boxes, int first,
                           int count)
{
    unsigned moved = 0;
    for (int i = first; i < first + count; i++)
        if (!dirty_is_same(o->boxes[i], boxes[i])) moved |= 1u << i;
    return moved;
}

static unsigned lay_out_bands(struct overlay *o, unsigned changed, cairo_rectangle_int_t *boxes)
{
    const struct paint paint = begin_paint(o);
    if (has_bands(o))
        bands_arrange(o->bands, &paint, boxes);
    else
        memset(boxes, 0, BAND_PARTS * sizeof *boxes);
    changed |= find_moved(o, boxes, 0, BAND_PARTS);
    if (has_bands(o)) changed |= bands_place(o->bands, changed & every_part);
    return changed;
}

// Each thing after those that it keeps clear of.
static unsigned lay_out_picture(struct overlay *o, unsigned changed, cairo_rectangle_int_t *boxes)
{
    const cairo_rectangle_int_t between = between_bands(o, boxes);
    if (!dirty_is_same(between, o->between)) changed |= 1u << CAPTION;
    o->between = between;
    if (changed & 1u << CAPTION) boxes[CAPTION] = place_caption(o);
    const cairo_rectangle_int_t clear = above_caption(o, boxes);
    if (!dirty_is_same(clear, o->clear)) changed |= every_panel | every_tag | 1u << MESSAGE;
    o->clear = clear;
    if (changed & every_panel) place_panels(o, boxes);
    if (find_moved(o, boxes, PANEL, OVERLAY_PANELS)) changed |= every_tag | 1u << MESSAGE;
    if (changed & every_tag) place_tags(o, boxes);
    if (changed & 1u << MESSAGE) boxes[MESSAGE] = place_message(o, boxes);
    return changed;
}

// Lays out what changed or moved; where it was and where it is becomes dirty.
static void lay_out(struct overlay *o, unsigned changed)
{
    cairo_rectangle_int_t boxes[REGION_COUNT];
    const struct paint paint = begin_paint(o);
    memcpy(boxes, o->boxes, sizeof boxes);
    changed = lay_out_bands(o, changed, boxes);
    changed = lay_out_picture(o, changed, boxes);
    boxes[HELP] = is_help_open(&o->content) ? rows(o, 0, o->height) : rows(o, 0, 0);
    if (changed & 1u << HELP && is_help_open(&o->content))
        help_place(o->help, &paint, o->content.help, o->content.help_count);
    changed |= find_moved(o, boxes, 0, REGION_COUNT);
    for (int i = 0; i < REGION_COUNT; i++) {
        if (!(changed & 1u << i)) continue;
        dirty_add(&o->dirty, o->boxes[i]);
        dirty_add(&o->dirty, boxes[i]);
        o->boxes[i] = boxes[i];
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
    const struct dirty dirty = dirty_reduce(&o->dirty, OVERLAY_DIRTY);
    struct overlay_pixels p = {.pixels = cairo_image_surface_get_data(o->surface),
                               .width = o->width,
                               .height = o->height,
                               .stride = cairo_image_surface_get_stride(o->surface),
                               .dirty_count = dirty.count};
    for (int i = 0; i < dirty.count; i++)
        p.dirty[i] = (struct overlay_box){dirty.boxes[i].x, dirty.boxes[i].y, dirty.boxes[i].width,
                                          dirty.boxes[i].height};
    return p;
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

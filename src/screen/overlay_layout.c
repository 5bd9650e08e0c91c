// overlay_layout.c -- where everything of the overlay lies.
#include <math.h>
#include <string.h>

#include "screen/overlay_parts.h"

// In base sizes: what is between the bands may be lower than that; then a caption has no room, and
// a message takes the whole window.
static const double caption_room = 5, message_room = 7;

static bool is_help_open(const struct overlay_content *c)
{
    return c->help && c->help_count > 0;
}

static bool has_bands(const struct overlay *o)
{
    return !o->content.is_hidden && !is_help_open(&o->content);
}

cairo_rectangle_int_t overlay_rows(const struct overlay *o, int top, int bottom)
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

struct paint_box overlay_as_paint_box(cairo_rectangle_int_t b)
{
    return (struct paint_box){b.x, b.y, b.width, b.height};
}

static cairo_rectangle_int_t between_bands(const struct overlay *o,
                                           const cairo_rectangle_int_t *boxes)
{
    const cairo_rectangle_int_t verdict = boxes[band_part(BAND_VERDICT, 0)];
    const cairo_rectangle_int_t status = boxes[band_part(BAND_STATUS, 0)];
    if (!has_bands(o)) return overlay_rows(o, 0, o->height);
    return overlay_rows(o, verdict.y + verdict.height, status.y);
}

static cairo_rectangle_int_t above_caption(const struct overlay *o,
                                           const cairo_rectangle_int_t *boxes)
{
    const cairo_rectangle_int_t caption = boxes[CAPTION], between = o->between;
    const int bottom = damage_is_empty(caption) ? between.y + between.height : caption.y;
    return overlay_rows(o, between.y, bottom);
}

// At the lower middle, in at most half of the height where that is enough for large words.
static cairo_rectangle_int_t place_caption(struct overlay *o)
{
    const struct paint paint = overlay_paint(o);
    struct paint_box area = overlay_as_paint_box(o->between);
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
    static const struct overlay_panels closed = {.grid = NULL};
    const struct paint paint = overlay_paint(o);
    panel_view_place(o->panel_view, &paint, has_bands(o) ? &o->content.panels : &closed,
                     overlay_as_paint_box(o->clear));
    for (int i = 0; i < OVERLAY_PANELS; i++)
        boxes[PANEL + i] = pixels_of(o, panel_view_box(o->panel_view, (enum overlay_panel)i));
}

static bool is_on_panel(const cairo_rectangle_int_t *boxes, cairo_rectangle_int_t box)
{
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (damage_has_overlap(boxes[PANEL + i], box)) return true;
    return false;
}

// A tag that would lie on a panel is not drawn.
static void place_tags(struct overlay *o, cairo_rectangle_int_t *boxes)
{
    struct paint_box places[TAG_COUNT] = {{0, 0, 0, 0}};
    const struct paint paint = overlay_paint(o);
    if (has_bands(o)) tags_place(o->tags, &paint, overlay_as_paint_box(o->clear), places);
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
    struct paint_box area = overlay_as_paint_box(o->clear);
    double right = area.width;
    area.top += tags;
    area.height -= tags;
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        const cairo_rectangle_int_t panel = boxes[PANEL + i];
        if (damage_is_empty(panel) || panel.y > area.top + 4 * o->base) continue;
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
    const struct paint_box all = overlay_as_paint_box(o->clear);
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
    const struct paint paint = overlay_paint(o);
    const bool has_room = o->clear.height >= message_room * o->base;
    const cairo_rectangle_int_t area = has_room ? o->clear : overlay_rows(o, 0, o->height);
    if (is_help_open(&o->content) || !*o->content.message)
        return (cairo_rectangle_int_t){0, 0, 0, 0};
    if (o->content.tone == OVERLAY_NOTE && has_room)
        return pixels_of(o, place_note(o, &paint, boxes));
    return pixels_of(o,
                     message_place(o->message, &paint, o->content.message,
                                   (enum message_kind)o->content.tone, overlay_as_paint_box(area),
                                   o->content.tone == OVERLAY_NOTE ? MESSAGE_LOW : MESSAGE_MIDDLE));
}

static unsigned find_moved(const struct overlay *o, const cairo_rectangle_int_t *boxes, int first,
                           int count)
{
    unsigned moved = 0;
    for (int i = first; i < first + count; i++)
        if (!damage_is_same(o->boxes[i], boxes[i])) moved |= 1u << i;
    return moved;
}

static unsigned lay_out_bands(struct overlay *o, unsigned changed, cairo_rectangle_int_t *boxes)
{
    const struct paint paint = overlay_paint(o);
    if (has_bands(o))
        bands_arrange(o->bands, &paint, boxes);
    else
        memset(boxes, 0, BAND_PARTS * sizeof *boxes);
    changed |= find_moved(o, boxes, 0, BAND_PARTS);
    if (has_bands(o)) changed |= bands_place(o->bands, changed & EVERY_PART);
    return changed;
}

// Each thing after those that it keeps clear of.
static unsigned lay_out_picture(struct overlay *o, unsigned changed, cairo_rectangle_int_t *boxes)
{
    const cairo_rectangle_int_t between = between_bands(o, boxes);
    if (!damage_is_same(between, o->between)) changed |= 1u << CAPTION;
    o->between = between;
    if (changed & 1u << CAPTION) boxes[CAPTION] = place_caption(o);
    const cairo_rectangle_int_t clear = above_caption(o, boxes);
    if (!damage_is_same(clear, o->clear)) changed |= EVERY_PANEL | EVERY_TAG | 1u << MESSAGE;
    o->clear = clear;
    if (changed & EVERY_PANEL) place_panels(o, boxes);
    if (find_moved(o, boxes, PANEL, OVERLAY_PANELS)) changed |= EVERY_TAG | 1u << MESSAGE;
    if (changed & EVERY_TAG) place_tags(o, boxes);
    if (changed & 1u << MESSAGE) boxes[MESSAGE] = place_message(o, boxes);
    return changed;
}

void overlay_lay_out(struct overlay *o, unsigned changed)
{
    cairo_rectangle_int_t boxes[REGION_COUNT];
    const struct paint paint = overlay_paint(o);
    memcpy(boxes, o->boxes, sizeof boxes);
    changed = lay_out_bands(o, changed, boxes);
    changed = lay_out_picture(o, changed, boxes);
    boxes[HELP] = is_help_open(&o->content) ? overlay_rows(o, 0, o->height) : overlay_rows(o, 0, 0);
    if (changed & 1u << HELP && is_help_open(&o->content))
        help_place(o->help, &paint, o->content.help, o->content.help_count);
    changed |= find_moved(o, boxes, 0, REGION_COUNT);
    for (int i = 0; i < REGION_COUNT; i++) {
        if (!(changed & 1u << i)) continue;
        damage_add(&o->damage, o->boxes[i]);
        damage_add(&o->damage, boxes[i]);
        o->boxes[i] = boxes[i];
    }
}

// overlay_layout.c -- where each region of the overlay lies.
#include <math.h>
#include <string.h>

#include "screen/dock_layout.h"
#include "screen/overlay_parts.h"

// In base sizes of text scale 1: where less height is left between the bands, there is no caption,
// and a message takes the whole window. Some words and a symbol need less than a log. Where more is
// left, large words become smaller rather than cover a caption, docks or bands.
static const double caption_room = 5, message_room = 7, refusal_room = 5;

// A caption leaves that many times the height that a message needs.
static const double usual_room = 1.5;

// In base sizes of text scale 1: where docks leave less width, a refusal or log lies over them.
static const double message_width = 18;

// In base sizes of text scale 1: what a caption leaves above it for the panel that was opened last.
static const double panel_room = 14;

// The part of the window that a caption takes beside a lens that has the rest.
static const double caption_share = 0.3;

// In base sizes: the line below that caption.
static const double hint_height = 1.1;

static bool is_help_open(const struct overlay_content *c)
{
    return c->help && c->help_count > 0;
}

// True if lenses cover the window.
static bool has_full_lens(const struct overlay *o)
{
    const struct overlay_docks *docks = &o->content.docks;
    return docks->is_lens_full && docks->lens[0] && !o->content.is_hidden &&
           !is_help_open(&o->content);
}

static bool has_bands(const struct overlay *o)
{
    return !o->content.is_hidden && !is_help_open(&o->content) && !has_full_lens(o);
}

static struct paint_box rows_of(const struct overlay *o, double top, double bottom)
{
    return (struct paint_box){0, top, o->paint.width, bottom - top};
}

// The whole pixels of an area that a box touches.
static struct paint_box pixels_in(struct paint_box area, struct paint_box b)
{
    const double left = fmax(area.left, floor(b.left)), top = fmax(area.top, floor(b.top));
    const double right = fmin(area.left + area.width, ceil(b.left + b.width));
    const double bottom = fmin(area.top + area.height, ceil(b.top + b.height));
    return (struct paint_box){left, top, fmax(0, right - left), fmax(0, bottom - top)};
}

static struct paint_box pixels_of(const struct overlay *o, struct paint_box b)
{
    return pixels_in(rows_of(o, 0, o->paint.height), b);
}

// The room for the picture stays while the help covers bands and docks.
static void place_bands(struct overlay *o)
{
    struct paint_box parts[BAND_PARTS];
    const struct paint_box *verdict = &parts[band_part(BAND_VERDICT, 0)];
    o->room = rows_of(o, 0, o->paint.height);
    if (o->content.is_hidden) return;
    bands_place(o->bands, &o->paint, parts);
    o->room = rows_of(o, verdict->top + verdict->height, parts[band_part(BAND_STATUS, 0)].top);
    if (has_bands(o)) memcpy(o->boxes, parts, sizeof parts);
}

// Sets the place of a lens, and keeps where its lanes were drawn.
static struct lens_place *place_lens(struct overlay *o, int dock, const struct dock_plan *plan)
{
    struct lens_place *lens = &o->lenses[dock - OVERLAY_LENS_A];
    lens->box = plan->boxes[dock];
    lens->em = plan->lens_em;
    lens->is_full = false;
    lens->beside = lens->below = lens->hint = 0;
    return lens;
}

static void place_docks(struct overlay *o, struct dock_plan *plan)
{
    const struct overlay_docks *docks = &o->content.docks;
    o->between = o->room;
    if (o->content.is_hidden || !(docks->source[0] || docks->lens[0])) return;
    dock_layout_compute(plan, docks, o->room, o->paint.base, o->paint.plain,
                        *o->content.caption != '\0');
    o->room = plan->room;
    for (int i = 0; i < OVERLAY_DOCKS; i++) {
        if (paint_is_empty(plan->boxes[i]) || !has_bands(o)) continue;
        o->boxes[DOCK + i] = plan->boxes[i];
        if (i >= OVERLAY_LENS_A) place_lens(o, i, plan);
    }
}

// A source is no larger than the caption beside it.
static void place_listings(struct overlay *o, const struct dock_plan *plan)
{
    const bool has_caption = !paint_is_empty(o->boxes[CAPTION]);
    const double em = has_caption ? fmin(plan->em, o->caption.size) : plan->em;
    for (int i = OVERLAY_SOURCE_A; i <= OVERLAY_SOURCE_B; i++)
        if (!paint_is_empty(o->boxes[DOCK + i]))
            listing_place(&o->listings[i], &o->paint, o->content.docks.source[i],
                          o->boxes[DOCK + i], em);
}

// Places lenses over the whole window, with a caption beside them or, in a high window, below.
// Returns the area without the caption.
static struct paint_box place_full_lenses(struct overlay *o)
{
    struct paint_box window = rows_of(o, 0, o->paint.height), area = window;
    struct dock_plan plan;
    double beside = 0, below = 0, hint = 0;
    if (*o->content.caption) {
        hint = ceil(hint_height * o->paint.base);
        if (window.width > window.height) {
            area.left = floor((1 - caption_share) * window.width);
            area.width = window.width - area.left;
            beside = area.width;
        } else {
            area.top = floor((1 - caption_share) * window.height);
            area.height = window.height - area.top;
            below = area.height;
        }
        area.height -= hint;
        o->boxes[CAPTION] = pixels_of(o, message_place(&o->caption, &o->paint, o->content.caption,
                                                       OVERLAY_LECTURE, area, MESSAGE_MIDDLE));
    }
    window.width -= beside;
    window.height -= below;
    dock_layout_full(&plan, &o->content.docks, window, o->paint.base);
    for (int i = OVERLAY_LENS_A; i <= OVERLAY_LENS_B; i++) {
        if (paint_is_empty(plan.boxes[i])) continue;
        const bool is_last = i == OVERLAY_LENS_B || paint_is_empty(plan.boxes[OVERLAY_LENS_B]);
        struct lens_place *lens = place_lens(o, i, &plan);
        lens->is_full = true;
        lens->beside = is_last ? beside : 0;
        lens->below = below;
        lens->hint = is_last ? hint : 0;
        lens->box.width += lens->beside;
        lens->box.height += below;
        o->boxes[DOCK + i] = lens->box;
    }
    return window;
}

// Sets the box of marks and numbers to what they touch of the room.
static void place_marks(struct overlay *o)
{
    const struct overlay_marks *m = &o->content.marks;
    const struct overlay_numbers *n = &o->content.numbers;
    if (!(m->count || n->count) || !has_bands(o)) return;
    const double air = ceil(o->paint.plain / 4);
    struct paint_box all = {0};
    for (int i = 0; i < m->count; i++) all = paint_join(all, paint_inset(m->boxes[i], -air));
    if (n->count)
        all = paint_join(
            all, (struct paint_box){n->first.left, n->first.top, n->columns * n->first.width,
                                    (n->count + n->columns - 1) / n->columns * n->first.height});
    o->boxes[MARKS] = pixels_in(o->room, all);
}

// The height that a message needs.
static double needed_height(const struct overlay *o)
{
    const bool is_refused = o->content.tone == OVERLAY_REFUSED;
    return (is_refused ? refusal_room : message_room) * o->paint.plain;
}

// The caption stands at the lower middle, in at most half of the height where that is enough for
// large words. It leaves room for a refusal or log. Returns the area above it.
static struct paint_box place_caption(struct overlay *o)
{
    const struct overlay_panels *p = &o->content.panels;
    const struct paint_box between = o->room;
    struct paint_box area = between;
    if (is_help_open(&o->content) || !*o->content.caption ||
        area.height < caption_room * o->paint.plain)
        return between;
    area.width = fmax(0.7 * between.width, fmin(0.94 * between.width, 30 * o->paint.base));
    area.left += (between.width - area.width) / 2;
    area.height = fmax(between.height / 2, fmin(between.height, 8 * o->paint.base));
    if (!o->content.is_hidden && (p->grid || p->bars || p->sweep || p->heat))
        area.height = fmin(area.height,
                           fmax(between.height / 2, between.height - panel_room * o->paint.plain));
    if (*o->content.message && o->content.tone != OVERLAY_NOTE)
        area.height = fmin(area.height, fmax(caption_room * o->paint.plain,
                                             between.height - usual_room * needed_height(o)));
    area.top += between.height - area.height;
    o->boxes[CAPTION] = pixels_of(o, message_place(&o->caption, &o->paint, o->content.caption,
                                                   OVERLAY_LECTURE, area, MESSAGE_LOW));
    area = between;
    area.height = o->boxes[CAPTION].top - between.top;
    return area;
}

static bool is_on(const struct overlay *o, struct paint_box box, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (paint_has_overlap(o->boxes[i], box)) return true;
    return false;
}

static bool is_on_panel(const struct overlay *o, struct paint_box box)
{
    return is_on(o, box, PANEL, MORE);
}

// A tag that would cover a panel is not drawn.
static void place_tags(struct overlay *o, struct paint_box clear)
{
    struct paint_box places[TAG_COUNT];
    if (!has_bands(o) || !o->content.is_comparing) return;
    tags_place(&o->paint, &o->content.pair, clear, places);
    for (int i = 0; i < TAG_COUNT; i++) {
        const struct paint_box box = pixels_of(o, places[i]);
        if (!is_on_panel(o, box)) o->boxes[TAG + i] = box;
    }
}

// The area between the upper panels on the left and on the right, below the tags.
static struct paint_box find_note_area(const struct overlay *o, struct paint_box clear)
{
    const double tags = o->content.is_comparing ? floor(2 * o->paint.base) : 0;
    struct paint_box area = {clear.left, clear.top + tags, 0, clear.height - tags};
    double right = clear.left + clear.width;
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        const struct paint_box panel = o->boxes[PANEL + i];
        if (paint_is_empty(panel) || panel.top > area.top + 4 * o->paint.base) continue;
        if (panel.left + panel.width / 2 < clear.left + clear.width / 2)
            area.left = fmax(area.left, panel.left + panel.width);
        else
            right = fmin(right, panel.left);
    }
    area.width = right - area.left;
    return area;
}

// The largest area without a panel. Its sides are those of panels, or of the whole.
static struct paint_box find_largest_free(const struct overlay *o, struct paint_box clear)
{
    enum { MOST = 2 * (MORE - PANEL + 1) + 2 };
    double xs[MOST] = {clear.left, clear.left + clear.width};
    double ys[MOST] = {clear.top, clear.top + clear.height};
    struct paint_box best = {0};
    int count = 2;
    for (int i = PANEL; i <= MORE; i++) {
        const struct paint_box b = o->boxes[i];
        if (paint_is_empty(b)) continue;
        xs[count] = b.left, ys[count++] = b.top;
        xs[count] = b.left + b.width, ys[count++] = b.top + b.height;
    }
    for (int i = 0; i < count * count; i++)
        for (int k = 0; k < count * count; k++) {
            const double left = xs[i / count], right = xs[i % count];
            const double top = ys[k / count], bottom = ys[k % count];
            const struct paint_box b = {left, top, right - left, bottom - top};
            if (b.width > 0 && b.height > 0 && b.width * b.height > best.width * best.height &&
                !is_on_panel(o, b))
                best = b;
        }
    return best;
}

// A note stands at the bottom or, where it would cover a panel, at the top, or else in the largest
// area between panels; if possible, it is centred in the window.
static struct paint_box place_note(struct overlay *o, struct paint_box clear)
{
    const char *text = o->content.message;
    const struct paint_box low =
        message_place(&o->message, &o->paint, text, OVERLAY_NOTE, clear, MESSAGE_LOW);
    if (!is_on_panel(o, pixels_of(o, low))) return low;
    const struct paint_box top = find_note_area(o, clear);
    const double middle = clear.left + clear.width / 2;
    struct paint_box even = top;  // its part that is centred in the window
    even.width = 2 * fmin(middle - top.left, top.left + top.width - middle);
    even.left = middle - even.width / 2;
    const bool is_wide = even.width > low.width + 2 * o->paint.base;
    if (top.width >= 12 * o->paint.base)
        return message_place(&o->message, &o->paint, text, OVERLAY_NOTE, is_wide ? even : top,
                             MESSAGE_HIGH);
    const struct paint_box free = find_largest_free(o, clear);
    const bool is_free = free.width >= 9 * o->paint.plain && free.height >= 3 * o->paint.plain;
    return message_place(&o->message, &o->paint, text, OVERLAY_NOTE, is_free ? free : clear,
                         is_free ? MESSAGE_MIDDLE : MESSAGE_LOW);
}

static bool has_message_room(const struct overlay *o, struct paint_box area)
{
    return area.height >= needed_height(o);
}

// Refusals and logs leave docks free if there is enough room above or left of them. Else they cover
// the docks or, if a few lines need it, the bands.
static void place_message(struct overlay *o, struct paint_box clear)
{
    const bool has_room = has_message_room(o, clear);
    const bool is_note = o->content.tone == OVERLAY_NOTE;
    struct paint_box area = has_room                          ? clear
                            : has_message_room(o, o->between) ? o->between
                                                              : rows_of(o, 0, o->paint.height);
    if (is_help_open(&o->content) || !*o->content.message) return;
    if (!is_note && area.width < message_width * o->paint.plain)
        area = rows_of(o, area.top, area.top + area.height);
    const struct paint_box box =
        is_note && has_room
            ? place_note(o, clear)
            : message_place(&o->message, &o->paint, o->content.message, o->content.tone, area,
                            is_note ? MESSAGE_LOW : MESSAGE_MIDDLE);
    o->boxes[MESSAGE] = pixels_of(o, box);
}

// Places a legend in a corner of an area. False: a panel or a tag is there.
static bool place_legend_in(struct overlay *o, int i, struct paint_box area, int corner)
{
    const struct paint_box box =
        pixels_of(o, legend_place(&o->paint, &o->content.legends[i], area,
                                  (enum legend_corner)corner, &o->legend_sizes[i]));
    if (paint_is_empty(box) || is_on(o, box, TAG, MORE)) return false;
    o->boxes[LEGEND + i] = box;
    return true;
}

// Places a legend in a free corner of the area, trying the left or the right first, or else between
// the panels. Without any room it is left out.
static void place_legend(struct overlay *o, int i, struct paint_box area, bool is_right)
{
    if (!o->content.legends[i].low[0]) return;
    for (int corner = 0; corner < LEGEND_CORNERS; corner++)
        if (place_legend_in(o, i, area, corner ^ (int)is_right)) return;
    place_legend_in(o, i, find_largest_free(o, area), is_right);
}

static void place_legends(struct overlay *o, struct paint_box clear)
{
    const struct overlay_pair *pair = &o->content.pair;
    double width;
    if (!has_bands(o) || overlay_number_size(o, &width) > 0) return;  // numbers need no scale
    if (!o->content.legends[1].low[0]) {
        place_legend(o, 0, clear, false);
        return;
    }
    const double right = clear.left + clear.width;
    const double divider = fmin(fmax(clear.left, pair->divider), right);
    const struct paint_box halves[] = {{clear.left, clear.top, divider - clear.left, clear.height},
                                       {divider, clear.top, right - divider, clear.height}};
    for (int i = 0; i < 2; i++) {
        const int half = i ^ (int)pair->is_flipped;
        place_legend(o, i, halves[half], half == 1);
    }
}

// A frame lies just outside of what it is about, if that is drawn, but above the status
// line, whose words are close to the docks. Where a panel has no room, there is none.
static void place_pointer(struct overlay *o)
{
    const struct overlay_pointer *p = &o->content.pointer;
    struct paint_box box = {0};
    if (!has_bands(o)) return;
    if (p->kind == OVERLAY_POINTED_PANEL) box = o->boxes[PANEL + p->index];
    if (p->kind == OVERLAY_POINTED_DOCK) box = o->boxes[DOCK + p->index];
    if (p->kind == OVERLAY_POINTED_LINE && !paint_is_empty(o->boxes[DOCK + p->index]))
        listing_line_box(&o->listings[p->index], p->line, &box);
    if (p->kind == OVERLAY_POINTED_SPOT && paint_has_point(o->room, p->x, p->y))
        box = (struct paint_box){p->x, p->y, 1, 1};
    if (paint_is_empty(box)) return;
    box = pointer_view_place(p, &o->paint, box);
    box.height = fmin(box.height, o->between.top + o->between.height - box.top);
    o->boxes[POINTER] = pixels_of(o, box);
}

static void place_menu(struct overlay *o)
{
    const struct paint_box window = rows_of(o, 0, o->paint.height);
    if (!o->content.menu || is_help_open(&o->content)) return;
    menu_view_place(&o->menu, &o->paint, o->content.menu,
                    paint_inset(window, 0.04 * fmin(window.width, window.height)));
    o->boxes[MENU] = pixels_of(o, o->menu.box);
}

// Each region is placed after those that it keeps clear of.
void overlay_lay_out(struct overlay *o)
{
    struct dock_plan plan = {.em = 0};
    memset(o->boxes, 0, sizeof o->boxes);
    place_bands(o);
    place_docks(o, &plan);
    place_marks(o);
    const struct paint_box clear = has_full_lens(o) ? place_full_lenses(o) : place_caption(o);
    place_listings(o, &plan);
    static const struct overlay_panels closed = {.grid = NULL};
    panel_view_place(&o->panel_view, &o->paint, has_bands(o) ? &o->content.panels : &closed, clear);
    for (int i = 0; i < OVERLAY_PANELS; i++)
        o->boxes[PANEL + i] = pixels_of(o, o->panel_view.places[i].box);
    o->boxes[MORE] = pixels_of(o, o->panel_view.more_box);
    place_tags(o, clear);
    place_legends(o, clear);
    place_message(o, clear);
    place_pointer(o);
    place_menu(o);
    if (!is_help_open(&o->content)) return;
    help_place(&o->help, &o->paint, o->content.help, o->content.help_count, o->content.help_page);
    o->boxes[HELP] = rows_of(o, 0, o->paint.height);
}

#include "screen/overlay.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "screen/overlay_parts.h"

static const double smallest_base = 9;  // pixels

// --- life ---

struct overlay *overlay_create(void)
{
    struct overlay *o = g_try_new0(struct overlay, 1);
    if (!o) return NULL;
    o->context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    cairo_font_options_t *options = cairo_font_options_create();
    // The picture shows through, so that text must have no colour fringes, whatever the desktop
    // says.
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON);
    pango_cairo_context_set_font_options(o->context, options);
    cairo_font_options_destroy(options);
    o->bands = bands_create(o->context, &o->content);
    message_init(&o->message, o->context);
    message_init(&o->caption, o->context);
    o->paint.layout = paint_text_create(o->context);
    return o;
}

static void drop_surface(struct overlay *o)
{
    if (o->paint.cairo) cairo_destroy(o->paint.cairo);
    if (o->surface) cairo_surface_destroy(o->surface);
    o->paint.cairo = NULL;
    o->surface = NULL;
}

void overlay_destroy(struct overlay *o)
{
    if (!o) return;
    drop_surface(o);
    for (int i = 0; i < 2; i++) listing_finish(&o->listings[i]);
    message_finish(&o->caption);
    message_finish(&o->message);
    bands_destroy(o->bands);
    g_object_unref(o->paint.layout);
    g_object_unref(o->context);
    g_free(o);
}

// --- what changed ---

// A window holds 38 rows of text at scale 1, a narrow one fewer.
static double find_base(const struct overlay *o, double scale)
{
    const double natural = fmin(o->paint.height / 38.0, o->paint.width / 50.0);
    return fmax(fmin(natural * scale, o->paint.height / 10.0), smallest_base);
}

// A fingerprint of a region's contents, but for the theme and the base.
static uint64_t hash_content(const struct overlay *o, int i)
{
    if (i < MARKS) return bands_hash(o->bands, i);
    if (i == MARKS) return HASH_VALUE(HASH_VALUE(0, o->content.marks), o->content.numbers);
    const struct overlay_pair *pair = &o->content.pair;
    if (i < PANEL)
        return hash_text(HASH_VALUE(HASH_VALUE(0, pair->active), pair->is_flipped), pair->shown);
    if (i == MORE) return hash_text(0, o->panel_view.more);
    if (i < MORE) return panel_view_hash(&o->content.panels, (enum overlay_panel)(i - PANEL));
    if (i < DOCK && i >= LEGEND) return HASH_VALUE(0, o->content.legends[i - LEGEND]);
    if (i < DOCK + OVERLAY_LENS_A) {  // the owner's fingerprint stands for the lines
        const struct listing *l = o->content.docks.source[i - DOCK];
        return l ? HASH_VALUE(HASH_VALUE(l->hash, l->first), l->is_active) : 0;
    }
    if (i < POINTER) {
        const struct lens_view *lens = o->content.docks.lens[i - DOCK - OVERLAY_LENS_A];
        return lens ? HASH_VALUE(0, *lens) : 0;
    }
    if (i == POINTER) return HASH_VALUE(0, o->content.pointer);
    if (i == MENU) return menu_view_hash(o->content.menu);
    if (i < HELP) return i == CAPTION ? o->caption.hash : o->message.hash;
    return o->help.hash;
}

// Joins what overlaps into one box, so that nothing is drawn twice.
static void add_damage(struct overlay *o, struct paint_box box)
{
    if (paint_is_empty(box)) return;
    for (int i = 0; i < o->damage_count;) {
        if (!paint_has_overlap(o->damage[i], box)) {
            i++;
            continue;
        }
        box = paint_join(box, o->damage[i]);
        o->damage[i] = o->damage[--o->damage_count];
        i = 0;
    }
    assert(o->damage_count < (int)G_N_ELEMENTS(o->damage));
    o->damage[o->damage_count++] = box;
}

// --- drawing ---

// text has 32 bytes.
static void write_number(char *text, const struct overlay_numbers *n, int i)
{
    g_snprintf(text, 32, "%s%.*g", n->values[i] < 0 ? "−" : "", n->digits, fabs(n->values[i]));
}

double overlay_number_size(const struct overlay *o, double *width)
{
    static const double least = 0.35, largest = 4;  // in base sizes
    const struct overlay_numbers *n = &o->content.numbers;
    const double unit = 100;
    double longest = 0;
    char text[32];
    for (int i = 0; i < n->count; i++) {
        write_number(text, n, i);
        longest = fmax(longest, paint_measure(&o->paint, text, unit, PAINT_SEMIBOLD) / unit);
    }
    const double size =
        fmin(largest * o->paint.base, fmin(0.55 * n->first.height, 0.8 * n->first.width / longest));
    *width = longest * size;
    return n->count && size >= least * o->paint.base ? size : 0;
}

// Numbers stand on a plate in the middle of their element. Marks are a dark line about a bright
// one: one of them is seen on any picture.
static void draw_marks(const struct overlay *o)
{
    static const struct paint_color dark = PAINT_RGB(0x000000), bright = PAINT_RGB(0xffe000);
    const struct overlay_marks *m = &o->content.marks;
    const struct overlay_numbers *n = &o->content.numbers;
    const double thick = fmax(1, round(o->paint.plain / 14));
    double longest;
    const double size = overlay_number_size(o, &longest);
    const double width = longest + 0.3 * size, height = 1.3 * size;
    paint_clip(&o->paint, o->room);
    for (int i = 0; i < n->count && size > 0; i++) {
        const double x = n->first.left + (i % n->columns + 0.5) * n->first.width;
        const double y = n->first.top + (i / n->columns + 0.5) * n->first.height;
        char text[32];
        write_number(text, n, i);
        paint_fill_box(&o->paint, (struct paint_box){x - width / 2, y - height / 2, width, height},
                       0.2 * size, paint_fade(o->paint.theme->panel, 0.85));
        paint_write(&o->paint, text, size, PAINT_SEMIBOLD, x, y, PAINT_CENTER,
                    o->paint.theme->text);
    }
    for (int i = 0; i < m->count; i++) {
        const struct paint_box box = m->boxes[i];
        paint_stroke_box(&o->paint, paint_inset(box, -2 * thick), 0, thick, dark);
        paint_stroke_box(&o->paint, paint_inset(box, -thick), 0, thick, bright);
    }
    cairo_restore(o->paint.cairo);
}

static void draw_region(struct overlay *o, int i)
{
    const struct paint *paint = &o->paint;
    if (i < MARKS)
        bands_draw(o->bands, paint, i);
    else if (i == MARKS)
        draw_marks(o);
    else if (i < PANEL)
        tags_draw(paint, &o->content.pair, (enum tag)(i - TAG), o->boxes[i]);
    else if (i < MORE)
        panel_view_draw(&o->panel_view, paint, (enum overlay_panel)(i - PANEL));
    else if (i == MORE)
        panel_view_draw_more(&o->panel_view, paint);
    else if (i < DOCK)
        legend_draw_panel(paint, &o->content.legends[i - LEGEND], o->legend_sizes[i - LEGEND],
                          o->boxes[i]);
    else if (i < DOCK + OVERLAY_LENS_A)
        listing_draw(&o->listings[i - DOCK], paint);
    else if (i < POINTER)
        lens_view_draw(o->content.docks.lens[i - DOCK - OVERLAY_LENS_A], paint,
                       &o->lenses[i - DOCK - OVERLAY_LENS_A]);
    else if (i == POINTER)
        pointer_view_draw(&o->content.pointer, paint, o->boxes[POINTER]);
    else if (i == MENU)
        menu_view_draw(&o->menu, paint, o->content.menu);
    else if (i < HELP)
        message_draw(i == CAPTION ? &o->caption : &o->message, paint);
    else
        help_draw(&o->help, paint);
}

// --- content ---

void overlay_add_status(struct overlay_content *c, const char *format, ...)
{
    char part[sizeof c->status];
    va_list args;
    va_start(args, format);
    g_vsnprintf(part, sizeof part, format, args);
    va_end(args);
    text_join(c->status, sizeof c->status, "\n", "%s", part);
}

// --- update ---

// Adds to the damage the old and the new place of each region whose fingerprint has changed.
static void find_damage(struct overlay *o)
{
    struct paint_box before[REGION_COUNT];
    memcpy(before, o->boxes, sizeof before);
    overlay_lay_out(o);
    for (int i = 0; i < REGION_COUNT; i++) {
        const double sizes[] = {o->paint.base, o->paint.plain};
        const uint64_t place = HASH_VALUE(HASH_VALUE(hash_content(o, i), o->boxes[i]), sizes);
        const bool is_drawn = !paint_is_empty(o->boxes[i]);
        const uint64_t hash = is_drawn ? HASH_VALUE(place, o->content.is_light) : 0;
        if (hash == o->hashes[i]) continue;
        o->hashes[i] = hash;
        add_damage(o, before[i]);
        add_damage(o, o->boxes[i]);
    }
}

bool overlay_update(struct overlay *o, const struct overlay_content *content, int width, int height)
{
    assert(width >= 1 && height >= 1);
    o->damage_count = 0;
    if (!o->surface || width != o->paint.width || height != o->paint.height) {
        drop_surface(o);
        o->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
        o->paint.cairo = cairo_create(o->surface);
        o->paint.width = width;
        o->paint.height = height;
        memset(o->boxes, 0, sizeof o->boxes);
        memset(o->hashes, 0, sizeof o->hashes);
        add_damage(o, (struct paint_box){0, 0, width, height});
    }
    if (cairo_status(o->paint.cairo) != CAIRO_STATUS_SUCCESS) {
        drop_surface(o);
        return false;
    }
    memcpy(&o->content, content, sizeof *content);
    o->paint.theme = paint_theme(content->is_light);
    const double scale = fmin(fmax(OVERLAY_MIN_SCALE, content->scale), OVERLAY_MAX_SCALE);
    o->paint.plain = find_base(o, fmin(1, scale));
    o->paint.base = find_base(o, scale);
    find_damage(o);
    // A region that another one's damage cuts is drawn as a whole, since a clip would change the
    // edges of its shapes.
    for (int i = 0; i < REGION_COUNT; i++) {
        bool is_cut = false;
        for (int k = 0; k < o->damage_count; k++)
            is_cut |= paint_has_overlap(o->boxes[i], o->damage[k]) &&
                      !paint_is_inside(o->boxes[i], o->damage[k]);
        if (!is_cut) continue;
        add_damage(o, o->boxes[i]);
        i = -1;
    }
    // One box at a time: cairo softens edges differently in a clip of several boxes.
    for (int k = 0; k < o->damage_count; k++) {
        paint_clip(&o->paint, o->damage[k]);
        cairo_set_operator(o->paint.cairo, CAIRO_OPERATOR_CLEAR);
        cairo_paint(o->paint.cairo);
        cairo_set_operator(o->paint.cairo, CAIRO_OPERATOR_OVER);
        for (int i = 0; i < REGION_COUNT; i++)
            if (paint_has_overlap(o->boxes[i], o->damage[k])) draw_region(o, i);
        cairo_restore(o->paint.cairo);
    }
    cairo_surface_flush(o->surface);
    return o->damage_count > 0;
}

struct overlay_pixels overlay_pixels(const struct overlay *o)
{
    if (!o->surface) return (struct overlay_pixels){0};
    return (struct overlay_pixels){.pixels = cairo_image_surface_get_data(o->surface),
                                   .width = o->paint.width,
                                   .height = o->paint.height,
                                   .stride = cairo_image_surface_get_stride(o->surface),
                                   .damage = o->damage,
                                   .damage_count = o->damage_count};
}

struct paint_box overlay_room(const struct overlay *o)
{
    return o->room;
}

int overlay_help_pages(const struct overlay *o)
{
    return o->help.pages > 1 ? o->help.pages : 1;
}

bool overlay_find(const struct overlay *o, double x, double y, struct overlay_hit *hit)
{
    return o->surface && panel_view_find(&o->panel_view, x, y, hit);
}

bool overlay_find_menu(const struct overlay *o, double x, double y, int *row)
{
    *row = o->content.menu && o->content.menu->count ? menu_view_row_at(&o->menu, x, y) : -1;
    return paint_has_point(o->boxes[MENU], x, y);
}

bool overlay_box(const struct overlay *o, enum overlay_region region, int index,
                 struct paint_box *box)
{
    static const int first[] = {
        [OVERLAY_PANEL] = PANEL,     [OVERLAY_DOCK] = DOCK,       [OVERLAY_LEGEND] = LEGEND,
        [OVERLAY_CAPTION] = CAPTION, [OVERLAY_MESSAGE] = MESSAGE, [OVERLAY_MENU] = MENU};
    *box = o->boxes[first[region] + index];
    return !paint_is_empty(*box);
}

bool overlay_find_dock(const struct overlay *o, double x, double y, struct overlay_dock_hit *hit)
{
    int dock = 0;
    while (dock < OVERLAY_DOCKS && !paint_has_point(o->boxes[DOCK + dock], x, y)) dock++;
    *hit = (struct overlay_dock_hit){.dock = (enum overlay_dock)dock, .lane = -1};
    if (dock == OVERLAY_DOCKS) return false;
    const int line = dock < OVERLAY_LENS_A ? listing_line_at(&o->listings[dock], x, y) : -1;
    if (line >= 0) hit->line = &o->listings[dock].listing->lines[line];
    if (dock >= OVERLAY_LENS_A)
        hit->lane = lens_view_lane_at(&o->lenses[dock - OVERLAY_LENS_A], x, y);
    return true;
}

const struct lens_place *overlay_lens(const struct overlay *o, int side)
{
    return &o->lenses[side];
}

bool overlay_dock_scroll(const struct overlay *o, enum overlay_dock dock,
                         struct listing_scroll *scroll)
{
    if (dock >= OVERLAY_LENS_A || paint_is_empty(o->boxes[DOCK + dock])) return false;
    *scroll = listing_scrolled(&o->listings[dock]);
    return true;
}

#include "screen/tags.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

// In base sizes, which are bounded here: a letter should not hide what is compared.
static const double letter_side = 1.75, words_padding = 0.7;
static const double gap = 0.45;                            // to the band and to the divider
static const double largest_base = 1.0 / 24;               // of the window's height
static const double letter_part = 0.74, words_part = 0.6;  // of a box's height: the font

struct tags {
    const struct overlay_content *content;
    PangoLayout *layout;
};

struct tags *tags_create(PangoContext *context, const struct overlay_content *content)
{
    struct tags *t = g_new0(struct tags, 1);
    t->content = content;
    t->layout = paint_text_create(context);
    return t;
}

void tags_destroy(struct tags *t)
{
    if (!t) return;
    g_object_unref(t->layout);
    g_free(t);
}

// ---- placing ----

static double find_base(const struct paint *paint)
{
    return fmin(paint->base, largest_base * paint->height);
}

static struct paint_font font_of(const char *text, double height)
{
    const double part = text[0] && text[1] ? words_part : letter_part;
    return (struct paint_font){part * height, PANGO_WEIGHT_BOLD, false};
}

static struct paint_box place_words(struct tags *t, const struct paint *paint,
                                    struct paint_box area)
{
    const double base = find_base(paint), height = round(letter_side * base);
    const char *text = t->content->pair.shown;
    paint_text_set(t->layout, text, font_of(text, height));
    const double width = ceil(paint_text_width(t->layout) + 2 * words_padding * base);
    return (struct paint_box){round(area.left + (area.width - width) / 2),
                              area.top + round(gap * base), width, height};
}

void tags_place(struct tags *t, const struct paint *paint, struct paint_box area,
                struct paint_box boxes[TAG_COUNT])
{
    const struct overlay_pair *pair = &t->content->pair;
    const double side = round(letter_side * find_base(paint));
    const double air = round(gap * find_base(paint)), top = area.top + air;
    const double divider = round(pair->divider);
    memset(boxes, 0, TAG_COUNT * sizeof *boxes);
    if (!t->content->is_comparing) return;
    if (*pair->shown) {
        boxes[TAG_SHOWN] = place_words(t, paint, area);
    } else {
        boxes[TAG_LEFT] = (struct paint_box){divider - air - side, top, side, side};
        boxes[TAG_RIGHT] = (struct paint_box){divider + air, top, side, side};
    }
    for (int i = 0; i < TAG_COUNT; i++)
        if (!paint_is_inside(boxes[i], area)) boxes[i] = (struct paint_box){0, 0, 0, 0};
}

// ---- drawing ----

void tags_draw_box(const struct paint *paint, PangoLayout *layout, const char *text,
                   struct paint_box box, enum tag_look look)
{
    const struct paint_theme *t = paint->theme;
    const bool is_filled = look == TAG_FILLED;
    const double thickness = fmax(1, box.height / 18), rounding = 0.2 * box.height;
    const struct paint_font font = font_of(text, box.height);
    const struct paint_box inside = {box.left + thickness / 2, box.top + thickness / 2,
                                     box.width - thickness, box.height - thickness};
    if (is_filled)
        paint_fill_box(paint->cairo, box, rounding, t->text);
    else
        paint_stroke_box(paint->cairo, inside, rounding - thickness / 2, thickness, t->text);
    paint_text_set(layout, text, font);
    const double left = box.left + (box.width - paint_text_width(layout)) / 2;
    const double baseline = box.top + box.height / 2 + PAINT_HALF_CAPITAL * font.size;
    paint_text_at_baseline(paint->cairo, layout, left, baseline, is_filled ? t->ink : t->text);
}

uint64_t tags_hash(const struct tags *t)
{
    const struct overlay_pair *pair = &t->content->pair;
    return hash_text(HASH_VALUE(HASH_VALUE(0, pair->active), pair->is_flipped), pair->shown);
}

void tags_draw(const struct tags *t, const struct paint *paint, enum tag tag, struct paint_box box)
{
    static const char *const letters[] = {"A", "B"};
    const struct overlay_pair *pair = &t->content->pair;
    const int side = (tag == TAG_RIGHT) != pair->is_flipped;
    const bool is_active = tag != TAG_SHOWN && side == pair->active;
    if (!is_active) paint_fill_box(paint->cairo, box, 0.2 * box.height, paint->theme->panel);
    tags_draw_box(paint, t->layout, tag == TAG_SHOWN ? pair->shown : letters[side], box,
                  is_active ? TAG_FILLED : TAG_OUTLINED);
}

#include <math.h>
#include <string.h>

#include "screen/overlay_parts.h"

// In base sizes, which are bounded here: a letter should not hide what is compared.
static const double letter_side = 1.75, words_padding = 0.7;
static const double gap = 0.45;                            // to the band and to the divider
static const double largest_base = 1.0 / 24;               // of the window's height
static const double letter_part = 0.74, words_part = 0.6;  // of a box's height: the font

// ---- placing ----

static double font_size(const char *text, double height)
{
    return (text[0] && text[1] ? words_part : letter_part) * height;
}

void tags_place(const struct paint *paint, const struct overlay_pair *pair, struct paint_box area,
                struct paint_box boxes[TAG_COUNT])
{
    const double base = fmin(paint->base, largest_base * paint->height);
    const double side = round(letter_side * base), air = round(gap * base), top = area.top + air;
    const double divider = round(pair->divider);
    memset(boxes, 0, TAG_COUNT * sizeof *boxes);
    if (*pair->shown) {
        const double words =
            paint_measure(paint, pair->shown, font_size(pair->shown, side), PAINT_BOLD);
        const double width = ceil(words + 2 * words_padding * base);
        boxes[TAG_SHOWN] =
            (struct paint_box){round(area.left + (area.width - width) / 2), top, width, side};
    } else {
        boxes[TAG_LEFT] = (struct paint_box){divider - air - side, top, side, side};
        boxes[TAG_RIGHT] = (struct paint_box){divider + air, top, side, side};
    }
    for (int i = 0; i < TAG_COUNT; i++)
        if (!paint_is_inside(boxes[i], area)) boxes[i] = (struct paint_box){0, 0, 0, 0};
}

// ---- drawing ----

void tags_draw_box(const struct paint *paint, const char *text, struct paint_box box,
                   bool is_filled)
{
    const struct paint_theme *t = paint->theme;
    const double thickness = fmax(1, box.height / 18), rounding = 0.2 * box.height;
    const struct paint_box inside = paint_inset(box, thickness / 2);
    if (is_filled)
        paint_fill_box(paint, box, rounding, t->text);
    else
        paint_stroke_box(paint, inside, rounding - thickness / 2, thickness, t->text);
    paint_write(paint, text, font_size(text, box.height), PAINT_BOLD, box.left + box.width / 2,
                box.top + box.height / 2, PAINT_CENTER, is_filled ? t->ink : t->text);
}

void tags_draw(const struct paint *paint, const struct overlay_pair *pair, enum tag tag,
               struct paint_box box)
{
    static const char *const letters[] = {"A", "B"};
    const int side = (tag == TAG_RIGHT) != pair->is_flipped;
    const bool is_active = tag != TAG_SHOWN && side == pair->active;
    if (!is_active) paint_fill_box(paint, box, 0.2 * box.height, paint->theme->panel);
    tags_draw_box(paint, tag == TAG_SHOWN ? pair->shown : letters[side], box, is_active);
}

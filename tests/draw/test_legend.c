// Legends: how large they are where there is little room.
#include "unit.h"

#include "canvas.h"
#include "draw/legend.h"

static double size_in(double width, double base, double plain)
{
    OWNED(canvas_close) struct canvas c = canvas_open(1280, 720, base, false);
    const struct legend legend = {.map = COLOR_MAP_RAMP, .low = "0", .high = "14336", .zero = -1};
    double size;
    c.paint.plain = plain;
    const struct paint_box box =
        legend_place(&c.paint, &legend, (struct paint_box){0, 0, width, 430}, 0, &size);
    assert_true(paint_is_empty(box) || box.left + box.width <= width);
    return size;
}

// A picture beside a panel is narrow. What is read from afar takes more of its width there, but
// never more than there is.
TEST(large_text_stays_large_in_a_narrow_place)
{
    enum { PLAIN = 20 };
    assert_true(size_in(1280, 2 * PLAIN, PLAIN) > 1.6 * PLAIN);
    assert_true(size_in(330, 2 * PLAIN, PLAIN) > PLAIN);
    assert_true(size_in(330, PLAIN, PLAIN) <= size_in(1280, PLAIN, PLAIN));
    for (int width = 40; width < 1280; width += 40) size_in(width, 2 * PLAIN, PLAIN);
}

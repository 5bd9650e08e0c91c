// Each map is even, told apart without colours or with two kinds of cones, and found by its name.
#include "unit.h"

#include <math.h>

#include "base/color_map.h"

static double linear(unsigned char value)
{
    const double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

// CIE L*, which the maps were not made with.
static double lightness(const unsigned char *c)
{
    const double y = 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

TEST(names)
{
    for (int i = 0; i < COLOR_MAPS; i++) {
        enum color_map found = COLOR_MAPS;
        assert_true(color_map_find(&found, color_map_name((enum color_map)i)));
        assert_int_equal(found, i);
    }
    enum color_map found = COLOR_MAP_RAMP;
    assert_false(color_map_find(&found, "rainbow"));
    assert_int_equal(found, COLOR_MAP_RAMP);
}

TEST(grey_is_grey)
{
    const struct color_map_table t = color_map_table(COLOR_MAP_GREY);
    for (int i = 0; i < COLOR_MAP_STEPS; i++)
        for (int c = 0; c < 3; c++) assert_int_equal(t.colors[i][c], i);
}

// Each step of the ramp is lighter than those before, and no stretch of it is flat or steep.
TEST(the_ramp_is_even)
{
    const struct color_map_table t = color_map_table(COLOR_MAP_RAMP);
    const double whole = lightness(t.colors[255]) - lightness(t.colors[0]);
    assert_true(whole > 80);
    for (int i = 0; i + 32 < COLOR_MAP_STEPS; i++) {
        const double rise = lightness(t.colors[i + 32]) - lightness(t.colors[i]);
        if (rise < 0.6 * whole / 8 || rise > 1.5 * whole / 8)
            fail_msg("from %d to %d it rises by %g of %g", i, i + 32, rise, whole);
    }
}

// Equal distances from the middle are about equally dark; blue is on one side alone.
TEST(the_signed_map_has_two_like_halves)
{
    const struct color_map_table t = color_map_table(COLOR_MAP_SIGNED);
    assert_true(lightness(t.colors[127]) > 94 && lightness(t.colors[128]) > 94);
    for (int i = 1; i < 128; i++) {
        const unsigned char *low = t.colors[127 - i], *high = t.colors[128 + i];
        if (fabs(lightness(low) - lightness(high)) > 8)
            fail_msg("%d from the middle: %g and %g", i, lightness(low), lightness(high));
        assert_true(lightness(low) <= lightness(t.colors[128 - i]));
        assert_true(i < 8 || (low[2] > low[0] + 5 && high[0] > high[2] + 5));
    }
}

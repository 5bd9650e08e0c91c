#include "base/color_map.h"

#include <math.h>
#include <string.h>

enum { POINTS = 5 };

// Lightness, then green to red, then blue to yellow. Lightness grows by equal steps.
struct oklab {
    double l, a, b;
};

static const struct {
    const char *name;
    struct oklab points[POINTS];
} maps[COLOR_MAPS] = {
    [COLOR_MAP_GREY] = {.name = "grey"},
    [COLOR_MAP_RAMP] = {"ramp",
                        {{0.22, 0.045, -0.078},
                         {0.40, 0, -0.12},
                         {0.58, -0.082, -0.057},
                         {0.76, -0.122, 0.044},
                         {0.94, -0.058, 0.16}}},
    [COLOR_MAP_SIGNED] = {"signed",
                          {{0.34, -0.015, -0.109},
                           {0.655, -0.038, -0.103},
                           {0.97, 0, 0},
                           {0.655, 0.069, 0.098},
                           {0.34, 0.065, 0.055}}},
};

const char *color_map_name(enum color_map map)
{
    return maps[map].name;
}

bool color_map_find(enum color_map *map, const char *name)
{
    for (int i = 0; i < COLOR_MAPS; i++) {
        if (strcmp(maps[i].name, name) != 0) continue;
        *map = (enum color_map)i;
        return true;
    }
    return false;
}

// sRGB's curve.
static unsigned char encode(double light)
{
    const double within = fmin(fmax(light, 0), 1);
    const double curve =
        within <= 0.0031308 ? 12.92 * within : 1.055 * pow(within, 1 / 2.4) - 0.055;
    return (unsigned char)(255 * curve + 0.5);
}

struct color_map_table color_map_table(enum color_map map)
{
    struct color_map_table table;
    for (int i = 0; i < COLOR_MAP_STEPS; i++) {
        const double at = (double)i / (COLOR_MAP_STEPS - 1) * (POINTS - 1);
        const int from = at < POINTS - 2 ? (int)at : POINTS - 2;
        const struct oklab a = maps[map].points[from], b = maps[map].points[from + 1];
        const double part = at - from;
        unsigned char *const rgb = table.colors[i];
        memset(rgb, i, sizeof table.colors[i]);
        if (map == COLOR_MAP_GREY) continue;
        // By way of the answers of the eye's three kinds of cones.
        const struct oklab c = {a.l + (b.l - a.l) * part, a.a + (b.a - a.a) * part,
                                a.b + (b.b - a.b) * part};
        const double l = pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
        const double m = pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
        const double s = pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
        rgb[0] = encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
        rgb[1] = encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
        rgb[2] = encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
    }
    return table;
}

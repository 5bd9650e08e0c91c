#include "scene.h"

#include <math.h>

enum { COLUMNS = 2 };  // looked along for each column of pixels

static const double focal = 1750, eye = 30;  // pixels; metres above the water

// Ridges and gullies: noise folded at its middle, finer noise only where the coarser is high
// (F. K. Musgrave's ridged multifractal, 1994). About 0 ... 2.
static double rock(double x, double z, int octaves)
{
    double sum = 0, weight = 1, share = 1;
    for (int i = 0; i < octaves; i++) {
        const double fold = 1 - abs_of(2 * noise(x, z, 90 + i) - 1) * 1.15;
        const double form = fold > 0 ? fold * fold * share : 0;
        sum += form * weight;
        share = clamp01(form * 2.1 + 0.05);
        weight *= 0.52;
        const double turned = 1.6 * x - 1.2 * z;
        z = 1.2 * x + 1.6 * z;
        x = turned;
    }
    return sum;
}

static double hill(double x, double z, double at_x, double at_z, double radius)
{
    const double dx = (x - at_x) / radius, dz = (z - at_z) / radius;
    return 1 / (1 + dx * dx + dz * dz);
}

static double ground(double x, double z, int octaves)
{
    const double rise = smooth(3300, 8600, z);
    const double mass =
        0.34 + 0.72 * hill(x, z, 1500, 10400, 2500) + 0.50 * hill(x, z, -2500, 9600, 1900) +
        0.45 * hill(x, z, 6800, 13500, 2600) + 0.55 * hill(x, z, -6400, 14000, 2600);
    return rise * mass * (1300 * rock(x / 4300 + 20.4, z / 4300 + 2.5, octaves) - 250) - 20 +
           60 * smooth(3200, 4600, z);
}

// A forest is a bed of cones, one in each cell.
static double tree_top(double x, double z, double *shade)
{
    const double cell = 17;
    const int cx = floor_of(x / cell), cz = floor_of(z / cell);
    double top = 0;
    for (int i = 0; i < 4; i++) {
        const int tx = cx + (x / cell - cx < 0.5 ? -1 : 0) + i % 2,
                  tz = cz + (z / cell - cz < 0.5 ? -1 : 0) + i / 2;
        const double dx = x - cell * (tx + 0.2 + 0.6 * hash(tx, tz, 1)),
                     dz = z - cell * (tz + 0.2 + 0.6 * hash(tx, tz, 2));
        const double height = 13 + 17 * hash(tx, tz, 3);
        const double here = height - sqrt(dx * dx + dz * dz) * height / 6.5;
        if (here > top) top = here, *shade = hash(tx, tz, 4);
    }
    return top;
}

struct spot {
    double x, z, height, tree, shade;
};

static struct spot spot_at(double x, double z)
{
    struct spot s = {x, z, ground(x, z, 9), 0, 0};
    const double line = 330 + 420 * (noise(x / 330, z / 330, 60) - 0.4);
    if (s.height > -4 && s.height < line &&
        noise(x / 60, z / 60, 61) > 0.8 * smooth(line - 330, line + 60, s.height)) {
        s.tree = tree_top(x, z, &s.shade) * (1 - 0.6 * smooth(line - 200, line, s.height));
    }
    return s;
}

static double shadow_at(const struct spot *s, const double sun[3])
{
    double light = 1;
    double reach = 60;
    for (int i = 0; i < 11 && light > 0; i++, reach *= 1.45) {
        const double x = s->x + sun[0] * reach, z = s->z + sun[2] * reach;
        const double above = s->height + sun[1] * reach - ground(x, z, 4);
        const double clear = clamp01(0.5 + above / (0.10 * reach));
        if (clear < light) light = clear;
    }
    return light;
}

static struct colour light_spot(const struct spot *s)
{
    static const double sun[3] = {-0.86, 0.30, -0.41};
    const double step = s->z / focal;
    const double ground_here = s->height + s->tree * 0.5;
    const struct spot right = spot_at(s->x + step, s->z), behind = spot_at(s->x, s->z + step);
    const double nx = -(right.height + right.tree * 0.5 - ground_here) / step,
                 nz = -(behind.height + behind.tree * 0.5 - ground_here) / step;
    const double scale = 1 / sqrt(nx * nx + nz * nz + 1);
    const double facing = (nx * sun[0] + sun[1] + nz * sun[2]) * scale;

    const double grain = clouds(s->x / 40, s->z / 40, 4, 70);
    const double strata = noise(s->height / 19 + 2 * grain, s->x / 900, 71);
    struct colour face = tint((struct colour){0.085f, 0.080f, 0.088f},
                              (struct colour){0.25f, 0.215f, 0.205f}, 0.45 * strata + 0.6 * grain);
    const double snow_line = 520 + 260 * (clouds(s->x / 700, s->z / 700, 4, 72) - 0.5);
    const double snow = smooth(snow_line - 60, snow_line + 240, s->height + 160 * (grain - 0.5)) *
                        smooth(0.47, 0.60, scale + 0.30 * (grain - 0.5));
    face = tint(face, (struct colour){0.86f, 0.88f, 0.94f}, snow);
    if (s->tree > 0.5)
        face = tint((struct colour){0.012f, 0.024f, 0.024f},
                    (struct colour){0.050f, 0.060f, 0.036f}, s->shade);

    const double sunlight = clamp01(facing) * shadow_at(s, sun);
    const double sky = 0.55 + 0.45 * scale;
    return (struct colour){face.r * (float)(2.7 * sunlight + 0.15 * sky),
                           face.g * (float)(1.15 * sunlight + 0.19 * sky),
                           face.b * (float)(0.70 * sunlight + 0.40 * sky)};
}

static const struct colour violet_haze = {0.235f, 0.185f, 0.315f};

static struct colour haze(struct colour face, const struct spot *s)
{
    const double way = s->z / 20000 * (0.35 + 1 / (1 + s->height / 420));
    const double kept = 1 / (1 + way + way * way / 2);
    return tint(violet_haze, face, kept);
}

// Adds what a rising piece of ground shows of each row, from the row of its top to the one below.
static void cover_rows(struct colour *sum, double *cover, double top, double bottom,
                       struct colour face)
{
    for (int y = (int)bottom; y >= 0 && y + 1 > top; y--) {
        if (y >= WATER) continue;
        const double part = ((y + 1 < bottom ? y + 1 : bottom) - (y > top ? y : top)) / COLUMNS;
        cover[y] += part;
        sum[y].r += face.r * (float)part;
        sum[y].g += face.g * (float)part;
        sum[y].b += face.b * (float)part;
    }
}

// Walks away from the viewer along a column and adds the ground wherever it rises into view.
static void climb(struct colour *sum, double *cover, double slope)
{
    double top = WATER;
    for (double z = 3200; z < 21000; z *= 1 + 0.85 / focal) {
        const double side = slope * z;
        if (WATER - (ground(side, z, 4) + 110 - eye) / z * focal > top) continue;
        const struct spot s = spot_at(side, z);
        const double row = WATER - (s.height + s.tree - eye) / z * focal;
        if (row >= top) continue;
        cover_rows(sum, cover, row, top, haze(light_spot(&s), &s));
        top = row;
    }
}

void paint_mountains(struct canvas *c)
{
    for (int x = 0; x < c->width; x++) {
        struct colour sum[WATER] = {{0, 0, 0}};
        double cover[WATER] = {0};
        for (int i = 0; i < COLUMNS; i++) {
            climb(sum, cover, (x + (i + 0.5) / COLUMNS - c->width / 2) / focal);
        }
        for (int y = 0; y < WATER; y++) {
            struct colour *at = canvas_at(c, x, y);
            const struct colour sky = lit(*at, 1 - clamp01(cover[y]));
            *at = (struct colour){sum[y].r + sky.r, sum[y].g + sky.g, sum[y].b + sky.b};
        }
    }
}

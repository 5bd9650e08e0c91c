#include "pictures.h"

#include <math.h>

#include "canvas.h"

// From the far end to the near one: sky, mountains, the far shore, all of that mirrored in the
// lake, then the bank on which the viewer stands. Lengths in pixels, or in metres in the mountains.
enum { WATER = 668 };  // row of the far shore, and the horizon

static const struct colour violet_haze = {0.235f, 0.185f, 0.315f};

// ---- sky ----

static struct colour sky_at(double y)
{
    static const struct {
        double y;
        struct colour light;
    } bands[] = {{0, {0.020f, 0.040f, 0.135f}},   {210, {0.085f, 0.105f, 0.265f}},
                 {380, {0.270f, 0.190f, 0.340f}}, {510, {0.640f, 0.310f, 0.330f}},
                 {600, {0.800f, 0.430f, 0.300f}}, {WATER, {0.640f, 0.400f, 0.360f}}};
    int i = 0;
    while (i < 4 && y > bands[i + 1].y) i++;
    return tint(bands[i].light, bands[i + 1].light,
                clamp01((y - bands[i].y) / (bands[i + 1].y - bands[i].y)));
}

// How thick the clouds are; they lie flat, so they narrow towards the horizon.
static double cloud_at(double x, double y)
{
    const double depth = 240 / (WATER + 90 - y);
    const double u = (x - 700) * depth / 250, v = depth * 7.5;
    const double bend = clouds(u * 0.7, v * 0.7, 3, 40);
    const double body = clouds(u + 1.6 * bend, v * 1.9 - u * 0.25 + 1.2 * bend, 7, 50);
    return smooth(0.50, 0.74, body + 0.05 * wave(x / 2600 + 0.1));
}

static void paint_sky(struct canvas *c)
{
    for (int y = 0; y < WATER; y++) {
        for (int x = 0; x < c->width; x++) {
            const double thick = cloud_at(x, y), below = cloud_at(x - 22, y + 13);
            const double edge = clamp01(0.35 + 1.3 * (thick - below));
            const double low = smooth(60, 520, y);
            const struct colour shade = {0.10f, 0.085f, 0.185f}, fire = {1.05f, 0.42f, 0.30f};
            const struct colour dusk = {0.34f, 0.15f, 0.24f};
            const struct colour cloud = tint(tint(shade, dusk, low), fire, edge * (0.35 + 0.6 * low));
            *canvas_at(c, x, y) = tint(sky_at(y), cloud, thick * 0.85);
        }
    }
}

static void paint_stars(struct canvas *c)
{
    uint32_t r = 17;
    for (int i = 0; i < 420; i++) {
        const double x = next(&r) * c->width, height = next(&r), y = 430 * height * height;
        const double rest = next(&r), power = rest * rest * rest * (1 - y / 430);
        if (cloud_at(x, y) > 0.25) continue;
        const struct colour star = {1, 0.95f, 0.9f};
        canvas_stroke(c, x, y, x, y, 1 + power * 1.6, 1, star, 0.12 + 0.88 * power);
    }
}

// ---- mountains ----

static const double focal = 1750, eye = 30;  // pixels; metres above the water

// Ridges and gullies: octaves count less where the slope is already steep, which looks eroded
// (after I. Quilez, "Elevated", 2009).
static double rock(double x, double z, int octaves)
{
    double sum = 0, weight = 1, slope_x = 0, slope_z = 0;
    for (int i = 0; i < octaves; i++) {
        const int ix = floor_of(x), iz = floor_of(z);
        const double fx = x - ix, fz = z - iz;
        const double u = fx * fx * (3 - 2 * fx), v = fz * fz * (3 - 2 * fz);
        const double a = hash(ix, iz, 90), b = hash(ix + 1, iz, 90) - a;
        const double d = hash(ix, iz + 1, 90) - a, e = hash(ix + 1, iz + 1, 90) - a - b - d;
        slope_x += 6 * fx * (1 - fx) * (b + e * v);
        slope_z += 6 * fz * (1 - fz) * (d + e * u);
        sum += weight * (a + b * u + d * v + e * u * v) / (1 + slope_x * slope_x + slope_z * slope_z);
        weight /= 2;
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
    const double rise = smooth(2300, 7800, z);
    const double mass = 0.30 + 0.95 * hill(x, z, 1150, 9800, 1900) + 0.55 * hill(x, z, -2300, 9000, 1700) +
                        0.35 * hill(x, z, 5200, 12500, 2600) + 0.45 * hill(x, z, -5600, 14000, 2600);
    return rise * mass * (2050 * rock(x / 2300 + 7.3, z / 2300 + 3.1, octaves) - 120) - 20 +
           60 * smooth(2300, 3600, z);
}

// A forest is a bed of cones, one in each cell.
static double tree_top(double x, double z, double *shade)
{
    const double cell = 17;
    const int cx = floor_of(x / cell), cz = floor_of(z / cell);
    double top = 0;
    for (int i = 0; i < 4; i++) {
        const int tx = cx + (x / cell - cx < 0.5 ? -1 : 0) + i % 2, tz = cz + (z / cell - cz < 0.5 ? -1 : 0) + i / 2;
        const double dx = x - cell * (tx + 0.2 + 0.6 * hash(tx, tz, 1)), dz = z - cell * (tz + 0.2 + 0.6 * hash(tx, tz, 2));
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
    struct spot s = {x, z, ground(x, z, 10), 0, 0};
    const double line = 330 + 420 * (noise(x / 330, z / 330, 60) - 0.4);
    if (s.height > -4 && s.height < line && noise(x / 60, z / 60, 61) > 0.22 * smooth(line - 260, line, s.height) * 3) {
        s.tree = tree_top(x, z, &s.shade) * (1 - 0.6 * smooth(line - 200, line, s.height));
    }
    return s;
}

static double shadow_at(const struct spot *s, const double sun[3])
{
    double light = 1;
    double reach = 60;
    for (int i = 0; i < 14; i++, reach *= 1.33) {
        const double x = s->x + sun[0] * reach, z = s->z + sun[2] * reach;
        const double above = s->height + sun[1] * reach - ground(x, z, 6);
        const double clear = clamp01(0.5 + above / (0.10 * reach));
        if (clear < light) light = clear;
    }
    return light;
}

static struct colour light_spot(const struct spot *s)
{
    static const double sun[3] = {-0.80, 0.28, -0.53};
    const double step = s->z / focal;
    const double ground_here = s->height + s->tree * 0.5;
    const struct spot right = spot_at(s->x + step, s->z), behind = spot_at(s->x, s->z + step);
    const double nx = -(right.height + right.tree * 0.5 - ground_here) / step, nz = -(behind.height + behind.tree * 0.5 - ground_here) / step;
    const double scale = 1 / sqrt(nx * nx + nz * nz + 1);
    const double facing = (nx * sun[0] + sun[1] + nz * sun[2]) * scale;

    const double grain = clouds(s->x / 40, s->z / 40, 4, 70);
    const double strata = noise(s->height / 19 + 2 * grain, s->x / 900, 71);
    struct colour face = tint((struct colour){0.10f, 0.085f, 0.085f}, (struct colour){0.28f, 0.22f, 0.20f}, 0.5 * strata + 0.6 * grain);
    const double snow_line = 520 + 260 * (clouds(s->x / 700, s->z / 700, 4, 72) - 0.5);
    const double snow = smooth(snow_line - 60, snow_line + 240, s->height + 160 * (grain - 0.5)) * smooth(0.50, 0.66, scale + 0.22 * (grain - 0.5));
    face = tint(face, (struct colour){0.86f, 0.88f, 0.94f}, snow);
    if (s->tree > 0.5) face = tint((struct colour){0.020f, 0.034f, 0.030f}, (struct colour){0.075f, 0.085f, 0.045f}, s->shade);

    const double sunlight = clamp01(facing) * shadow_at(s, sun);
    const double sky = 0.55 + 0.45 * scale;
    return (struct colour){face.r * (float)(2.35 * sunlight + 0.20 * sky), face.g * (float)(1.02 * sunlight + 0.235 * sky),
                           face.b * (float)(0.62 * sunlight + 0.45 * sky)};
}

static struct colour haze(struct colour face, const struct spot *s)
{
    const double way = s->z / 17000 * (0.35 + 1 / (1 + s->height / 420));
    const double kept = 1 / (1 + way + way * way / 2);
    return tint(violet_haze, face, kept);
}

// Walks away from the viewer and paints each column upwards, wherever the ground rises into view.
static void paint_mountain_column(struct canvas *c, int x)
{
    double top = WATER, cover[WATER] = {0};
    for (double z = 2350; z < 21000; z *= 1 + 0.75 / focal) {
        const double side = (x + 0.5 - c->width / 2) / focal * z;
        if (WATER - (ground(side, z, 4) + 110 - eye) / z * focal > top) continue;
        struct spot s = spot_at(side, z);
        const double row = WATER - (s.height + s.tree - eye) / z * focal;
        if (row >= top - 0.02) continue;
        const struct colour face = haze(light_spot(&s), &s);
        for (int y = (int)top; y >= 0 && y + 1 > row; y--) {
            if (y >= WATER) continue;
            const double part = (y + 1 < top ? y + 1 : top) - (y > row ? y : row);
            // covered in part already: what is new has its share of what is left
            cover[y] += part;
            canvas_blend(c, x, y, face, cover[y] < 0.999 && part < 0.999 ? part / (1 - cover[y] + part) : part / cover[y] );
        }
        top = row;
    }
}

void make_scene(struct view to)
{
    struct canvas c;
    canvas_init(&c, to.width, to.height, (struct colour){0, 0, 0});
    paint_sky(&c);
    paint_stars(&c);
    for (int x = 0; x < c.width; x++) paint_mountain_column(&c, x);
    canvas_finish(&c, to);
}

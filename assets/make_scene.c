#include "pictures.h"

#include <stdlib.h>

#include "canvas.h"
#include "scene.h"

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
            const struct colour cloud =
                tint(tint(shade, dusk, low), fire, edge * (0.35 + 0.6 * low));
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

// ---- the lake ----

static struct colour sample(const struct canvas *c, double x, double y)
{
    x = x < 0 ? 0 : x > c->width - 1.001 ? c->width - 1.001 : x;
    y = y < 0 ? 0 : y > WATER - 2 ? WATER - 2 : y;
    const int ix = (int)x, iy = (int)y;
    return tint(tint(*canvas_at(c, ix, iy), *canvas_at(c, ix + 1, iy), x - ix),
                tint(*canvas_at(c, ix, iy + 1), *canvas_at(c, ix + 1, iy + 1), x - ix), y - iy);
}

// Ripples tilt the mirror: rows are read from higher or lower, the more the nearer they are.
static void paint_lake(struct canvas *c)
{
    for (int y = WATER; y < c->height; y++) {
        const double down = y - WATER + 0.5, depth = 9000 / (down + 14);  // metres away, about
        for (int x = 0; x < c->width; x++) {
            const double u = (x - 960) * depth / 1500, v = depth;
            const double calm = smooth(0.30, 0.72, clouds(u / 190 + 3, v / 30, 3, 21));
            const double swell = clouds(u / 2.6, v * 1.9, 4, 22) - 0.47;
            const double fine = noise(u / 0.9, v * 6.5, 23) - 0.5;
            const double tilt = (swell * 1.5 + fine * 0.55) * mix(0.45, 1, calm);
            const double lift = tilt * (5 + down * 0.24);
            const struct colour mirror =
                sample(c, x + tilt * 5, WATER - 2 - down * 1.02 + lift - abs_of(lift) * 0.5);
            const double clear = mix(0.80, 0.50, clamp01(down / 420)) - 0.25 * clamp01(tilt);
            struct colour water = tint((struct colour){0.008f, 0.017f, 0.034f}, mirror, clear);
            const double breeze =
                smooth(0.60, 0.80, clouds(u / 420 + 9, v / 16, 3, 27)) * smooth(8, 50, down) * 0.35;
            *canvas_at(c, x, y) = tint(water, (struct colour){0.20f, 0.17f, 0.30f},
                                       breeze * (0.6 + 1.2 * clamp01(fine + 0.5)));
        }
    }
}

// Where neighbours differ much anyway, the lowest bits are only there to be stored: they go, and a
// quarter of the file with them. Smooth places keep theirs.
static void drop_bits(struct planes v, int plane)
{
    for (int y = 0; y + 1 < v.height; y++) {
        unsigned char *row = planes_row(v, plane, y), *below = planes_row(v, plane, y + 1);
        for (int x = 1; x + 1 < v.width; x++) {
            const int busy =
                abs(row[x] - row[x + 1]) + abs(row[x] - row[x - 1]) + abs(row[x] - below[x]);
            const int step = busy > 80   ? 16
                             : busy > 18 ? 8
                             : busy > 6  ? 4
                                         : 1,
                      rounded = (row[x] + step / 2) / step * step;
            row[x] = (unsigned char)(rounded > 255 ? 255 : rounded);
        }
    }
}

// From the far end to the near one; the lake mirrors what stands above it.
void make_scene(struct planes to)
{
    struct canvas c;
    canvas_init(&c, to.width, to.height, (struct colour){0, 0, 0});
    paint_sky(&c);
    paint_stars(&c);
    paint_mountains(&c);
    paint_shore(&c);
    paint_lake(&c);
    paint_bank(&c);
    canvas_finish(&c, to);
    for (int plane = 0; plane < to.count; plane++) drop_bits(to, plane);
}

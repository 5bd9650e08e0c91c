#include "scene.h"

// A conifer as the eye sees it far off: tiers of a few strokes, lit from the left.
static void paint_small_tree(struct canvas *c, double x, double base, double height,
                             struct colour dark, struct colour bright, uint32_t *r)
{
    const double lean = (next(r) - 0.5) * 0.04 * height, spread = 0.13 + 0.10 * next(r);
    canvas_stroke(c, x, base, x + lean, base - height, 0.03 * height + 0.4, 0.5, dark, 1);
    const int tiers = 5 + (int)(height / 3.2);
    for (int i = 0; i < tiers; i++) {
        const double t = (i + 0.6 * next(r)) / tiers, y = base - height * (1 - t * 0.93);
        const double half = height * spread * (0.10 + t) * (0.65 + 0.6 * next(r));
        const double middle = x + lean * (1 - t), drop = half * (0.25 + 0.35 * next(r));
        const double thick = 0.6 + height * 0.035;
        canvas_stroke(c, middle, y, middle + half, y + drop, thick, 0.4, dark, 0.9);
        canvas_stroke(c, middle, y, middle - half, y + drop, thick, 0.4,
                      tint(dark, bright, next(r)), 0.95);
    }
}

// Where the far shore stands higher: a wooded tongue of land on the left, the cabin's on the right.
static double shore_rise(double x)
{
    return 30 * smooth(620, 60, x) + 34 * smooth(1180, 1700, x) + 8 * (noise(x / 130, 0, 33) - 0.5);
}

static void paint_forest(struct canvas *c)
{
    static const struct colour far = {0.070f, 0.062f, 0.098f}, near = {0.007f, 0.012f, 0.016f};
    uint32_t r = 5;
    for (int row = 0; row < 8; row++) {
        const double t = row / 7.0;
        for (double x = -20; x < c->width + 20; x += (3.4 + 4.5 * t) * (0.6 + 0.9 * next(&r))) {
            const double rise = shore_rise(x), base = WATER - 1 - 0.8 * rise * (1 - t);
            const double stand = noise(x / 48, row * 7.7, 34),
                         far_off = smooth(60, 420, abs_of(x - 900));
            const double size = (15 + 14 * t + 0.75 * rise + 14 * far_off) *
                                (0.40 + 0.55 * stand + 0.55 * next(&r));
            const int is_clearing = row > 4 && x > 1462 && x < 1580;
            if (is_clearing || (t > 0.4 && stand > 0.62 + 0.006 * rise)) continue;
            const struct colour dark = tint(far, near, 0.15 + 0.85 * t);
            const struct colour bright = tint(dark, (struct colour){0.16f, 0.105f, 0.070f}, 0.36);
            paint_small_tree(c, x, base, size, dark, bright, &r);
        }
    }
}

// Mist over the water, thin and in shreds.
static void paint_mist(struct canvas *c, int top, double strength)
{
    for (int y = top; y < WATER; y++) {
        for (int x = 0; x < c->width; x++) {
            const double t = (double)(y - top) / (WATER - top);
            const double shred = clouds(x / 260.0, y / 34.0, 5, 80);
            const double mist = smooth(0.42, 0.75, shred) * t * (1 - t) * 4 * strength;
            canvas_blend(c, x, y, (struct colour){0.47f, 0.34f, 0.43f}, mist);
        }
    }
}

static void paint_quad(struct canvas *c, double left, double top, double right, double bottom,
                       struct colour over)
{
    const double corners[][2] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
    canvas_fill(c, corners, 4, over, 1);
}

static void paint_window(struct canvas *c, double x, double y, double width, double height)
{
    static const struct colour frame = {0.03f, 0.018f, 0.012f}, lamp = {2.2f, 1.15f, 0.34f};
    paint_quad(c, x - 2, y - 2, x + width + 2, y + height + 2, frame);
    for (int i = 0; i < 6; i++) {
        const double left = x + i % 2 * width / 2, top = y + i / 2 * height / 3;
        paint_quad(c, left + 0.5, top + 0.5, left + width / 2 - 0.5, top + height / 3 - 0.5,
                   lit(lamp, 0.75 + 0.35 * hash(i, (int)x, 3)));
    }
}

static void paint_roof(struct canvas *c, double left, double right, double ridge, double eaves)
{
    const double slope[][2] = {
        {left - 8, eaves}, {left + 16, ridge}, {right - 12, ridge}, {right + 9, eaves}};
    canvas_fill(c, slope, 4, (struct colour){0.050f, 0.046f, 0.060f}, 1);
    for (int i = 0; i < 22; i++) {  // shingles, frosted
        const double t = i / 21.0, x0 = mix(left + 16, right - 12, t),
                     x1 = mix(left - 8, right + 9, t);
        canvas_stroke(c, x0, ridge, x1, eaves, 0.8, 1, (struct colour){0.19f, 0.15f, 0.20f},
                      0.25 + 0.5 * hash(i, 1, 9));
    }
    canvas_stroke(c, left + 16, ridge, right - 12, ridge, 1.8, 1.8,
                  (struct colour){0.45f, 0.27f, 0.25f}, 0.9);
    canvas_stroke(c, left - 8, eaves, right + 9, eaves, 1.8, 1.8,
                  (struct colour){0.02f, 0.014f, 0.014f}, 1);
}

static void paint_smoke(struct canvas *c, double x, double y)
{
    uint32_t r = 3;
    for (int i = 0; i < 260; i++) {
        const double t = i / 260.0, size = 3 + 20 * t;
        const double at = x + 70 * t * t + 12 * t * wave(t * 2.3) + (next(&r) - 0.5) * size;
        const double up = y - 125 * t + (next(&r) - 0.5) * size;
        canvas_stroke(c, at, up, at, up, size * 0.7, size * 0.7,
                      (struct colour){0.55f, 0.43f, 0.50f}, 0.10 * (1 - t));
    }
}

static void paint_cabin(struct canvas *c)
{
    const double left = 1476, right = 1562, ridge = WATER - 58, eaves = WATER - 34,
                 foot = WATER - 5;
    paint_quad(c, 1538, ridge - 11, 1547, ridge + 12, (struct colour){0.055f, 0.045f, 0.045f});
    paint_quad(c, left, eaves - 3, right, foot, (struct colour){0.060f, 0.036f, 0.026f});
    for (double y = eaves; y < foot; y += 3.6) {  // logs
        canvas_stroke(c, left, y, right, y, 1.1, 1.1, (struct colour){0.018f, 0.011f, 0.009f}, 0.9);
        canvas_stroke(c, left, y + 1.6, right, y + 1.6, 1, 1, (struct colour){0.12f, 0.062f, 0.04f},
                      0.5);
    }
    paint_roof(c, left, right, ridge, eaves);
    paint_window(c, 1485, WATER - 27, 12, 13);
    paint_window(c, 1505, WATER - 27, 12, 13);
    paint_window(c, 1541, WATER - 27, 12, 13);
    paint_quad(c, 1524, WATER - 28, 1534, foot, (struct colour){0.30f, 0.11f, 0.035f});
    paint_smoke(c, 1543, ridge - 14);
    canvas_glow(c, 1501, WATER - 20, 14, (struct colour){0.30f, 0.14f, 0.040f});
    canvas_glow(c, 1547, WATER - 20, 12, (struct colour){0.26f, 0.12f, 0.034f});
}

static void paint_shore_line(struct canvas *c)
{
    uint32_t r = 9;
    for (int i = 0; i < 2600; i++) {  // stones and grass where land meets water
        const double x = next(&r) * c->width, size = 1 + 3 * next(&r) * next(&r);
        const double shade = next(&r) * next(&r);
        canvas_stroke(c, x, WATER - 1.5 * next(&r), x + size * 1.5, WATER - 1, size, size * 0.7,
                      (struct colour){0.012f + 0.10f * (float)shade, 0.012f + 0.07f * (float)shade,
                                      0.016f + 0.075f * (float)shade},
                      1);
    }
}

void paint_shore(struct canvas *c)
{
    paint_mist(c, WATER - 130, 0.55);
    paint_forest(c);
    paint_cabin(c);
    paint_mist(c, WATER - 34, 0.30);
    paint_shore_line(c);
}

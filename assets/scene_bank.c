#include "scene.h"

static const struct colour night = {0.006f, 0.009f, 0.013f}, ember = {0.26f, 0.125f, 0.075f};

// Row of the bank's edge.
static double bank_at(double x)
{
    return 1092 - 165 * smooth(800, -60, x) - 60 * smooth(420, 0, x) - 70 * smooth(1720, 1990, x) +
           16 * (noise(x / 60, 0, 11) - 0.5);
}

// ---- pines ----

struct limb {
    double x, y, length;
    double side;  // -1 left, 1 right
    double fall;  // its slope, downwards positive
};

static void paint_limb(struct canvas *c, struct limb l, uint32_t *r)
{
    const int steps = 3 + (int)(l.length / 4);
    double x = l.x, y = l.y;
    for (int i = 0; i < steps; i++) {
        const double t = (double)i / steps, reach = l.length / steps;
        const double nx = x + l.side * reach,
                     ny = y + reach * (l.fall * (1 - 0.9 * t) + 0.5 * (next(r) - 0.5));
        canvas_stroke(c, x, y, nx, ny, 2.4 * (1 - t) + 0.7, 2.0 * (1 - t) + 0.6, night, 1);
        for (int k = 0; k < 4; k++) {
            const double size = (4 + 9 * next(r)) * (1.15 - 0.6 * t), light = next(r);
            const double glow = light * light * (l.side < 0 ? 0.55 : 0.22) * (k == 0 ? 1 : 0.35);
            const double down = k == 0 ? -0.35 : 0.35 + 0.6 * next(r);
            canvas_stroke(c, x, y, x + l.side * size * (0.35 + 0.8 * next(r)), y + size * down, 1.5,
                          0.5, tint(night, ember, glow), 0.95);
        }
        x = nx, y = ny;
    }
}

static void paint_pine(struct canvas *c, double x, double base, double height, uint32_t seed)
{
    uint32_t r = seed * 100000;
    const double top = base - height, lean = (next(&r) - 0.5) * 14;
    canvas_stroke(c, x, base, x + lean, top, height * 0.024, 1.2,
                  (struct colour){0.014f, 0.011f, 0.012f}, 1);
    for (double y = top + 5; y < base - height * 0.07; y += 4.4 * (0.6 + 0.8 * next(&r))) {
        const double t = (y - top) / height, middle = x + lean * (1 - t);
        const double full = 0.215 * height * (t < 0.8 ? 0.04 + t : 0.84 - 0.6 * (t - 0.8));
        const double gap = noise(y / 21, seed, 13);
        for (int side = -1; side <= 1; side += 2) {
            const double length = full * (0.35 + 0.45 * next(&r) + 0.40 * gap);
            paint_limb(c, (struct limb){middle, y, length, side, mix(-0.25, 0.62, t)}, &r);
        }
    }
}

// ---- grass and reeds ----

static void paint_blade(struct canvas *c, double x, double y, double height, double bend,
                        double width, struct colour shade)
{
    double px = x, py = y;
    for (int i = 1; i <= 5; i++) {
        const double t = i / 5.0, nx = x + bend * t * t,
                     ny = y - height * t * (1 - 0.12 * t * abs_of(bend) / height);
        canvas_stroke(c, px, py, nx, ny, width * (1.1 - t + 0.2), width * (1.1 - t), shade, 1);
        px = nx, py = ny;
    }
}

static void paint_grass(struct canvas *c)
{
    uint32_t r = 21;
    for (int i = 0; i < 3400; i++) {
        const double front = i / 3400.0, x = next(&r) * c->width, edge = bank_at(x);
        const double y = mix(edge + 4, c->height + 26, front) + 10 * next(&r);
        const double tuft = noise(x / 36, front * 5, 14);
        if (y > c->height + 40 || edge > c->height) continue;
        const double light = next(&r);
        const struct colour shade =
            tint(night, (struct colour){0.22f, 0.13f, 0.075f}, light * light * light * 0.9);
        const double width = 1.3 + 0.9 * next(&r), bend = 34 * (next(&r) - 0.42);
        paint_blade(c, x, y, (14 + 46 * tuft) * (0.5 + next(&r)), bend, width, shade);
    }
}

static void paint_reeds(struct canvas *c)
{
    uint32_t r = 31;
    for (int i = 0; i < 420; i++) {
        const double spread = 620 * next(&r) * next(&r), x = 330 + spread + 30 * next(&r);
        const double y = bank_at(x) + 14 + 14 * next(&r);
        const double height = (70 + 150 * next(&r)) * smooth(1010, 420, x) + 14, light = next(&r);
        const double bend = height * (next(&r) - 0.40) * 0.45;
        const struct colour shade =
            tint(night, (struct colour){0.30f, 0.165f, 0.085f}, light * light * 0.8);
        paint_blade(c, x, y, height, bend, 1.6 + 0.8 * next(&r), shade);
        if (i % 9 || height < 90) continue;
        const double tip = x + bend * 0.85, head = y - height * 0.93;  // a bulrush's head
        canvas_stroke(c, tip, head, tip + bend * 0.10, head - 17, 5, 4.4,
                      (struct colour){0.030f, 0.014f, 0.009f}, 1);
        canvas_stroke(c, tip - 1.4, head - 1, tip - 1.4 + bend * 0.10, head - 16, 1.2, 1,
                      (struct colour){0.24f, 0.11f, 0.06f}, 0.7);
        canvas_stroke(c, tip + bend * 0.10, head - 17, tip + bend * 0.13, head - 30, 1.2, 0.6,
                      night, 1);
    }
}

static void paint_ground(struct canvas *c)
{
    for (int x = 0; x < c->width; x++) {
        const double edge = bank_at(x);
        for (int y = floor_of(edge); y < c->height; y++) {
            const double soil = clouds(x / 9.0, y / 5.0, 4, 15);
            canvas_blend(c, x, y, lit((struct colour){0.030f, 0.024f, 0.026f}, soil * soil * 1.8),
                         clamp01((y + 1 - edge) / 3));
        }
    }
}

// ---- the jetty ----

struct plank_end {
    double left, right, y;
};

// Across the jetty at a distance; 1 is where it leaves the picture.
static struct plank_end jetty_at(double z)
{
    const double middle = 1030 + 700 / z;
    return (struct plank_end){middle - 165 / z, middle + 165 / z, WATER + 425 / z};
}

static void paint_post(struct canvas *c, double x, double y, double z, double above)
{
    canvas_stroke(c, x, y + 75 / z, x, y, 17 / z, 17 / z, (struct colour){0.008f, 0.008f, 0.012f},
                  0.85);
    canvas_stroke(c, x, y + 26 / z, x, y - above / z, 17 / z, 17 / z,
                  (struct colour){0.022f, 0.016f, 0.016f}, 1);
    canvas_stroke(c, x - 5 / z, y + 20 / z, x - 5 / z, y - above / z, 4 / z, 4 / z,
                  (struct colour){0.20f, 0.11f, 0.08f}, 0.8);
    canvas_stroke(c, x - 5 / z, y - above / z - 3 / z, x + 5 / z, y - above / z - 3 / z, 6 / z,
                  6 / z, (struct colour){0.34f, 0.24f, 0.24f}, 0.8);
}

static void paint_plank(struct canvas *c, double z, double step, uint32_t *r)
{
    const struct plank_end a = jetty_at(z), b = jetty_at(z + step * 0.90);
    const double out = 9 / z * next(r), age = next(r);
    const double corners[][2] = {
        {a.left - out, a.y}, {a.right + out, a.y}, {b.right + out, b.y}, {b.left - out, b.y}};
    const struct colour wood =
        tint((struct colour){0.050f, 0.036f, 0.036f}, (struct colour){0.150f, 0.105f, 0.100f}, age);
    canvas_fill(c, corners, 4, wood, 1);
    for (int i = 0; i < 9; i++) {  // grain
        const double t = next(r), y = mix(a.y, b.y, t), from = next(r), to = from + 0.5 * next(r);
        canvas_stroke(
            c, mix(a.left, a.right, from), y, mix(a.left, a.right, to > 1 ? 1 : to), y, 1.3 / z,
            0.9 / z, next(r) < 0.6 ? (struct colour){0.016f, 0.011f, 0.012f} : lit(wood, 1.7), 0.7);
    }
    canvas_stroke(c, b.left - out, b.y + 0.6, b.right + out, b.y + 0.6, 1.6 / z, 1.6 / z,
                  (struct colour){0.36f, 0.235f, 0.215f}, 0.55);
    for (int side = 0; side < 2; side++) {  // nails
        const double x = side ? a.right - 22 / z : a.left + 22 / z;
        canvas_stroke(c, x, (a.y + b.y) / 2, x, (a.y + b.y) / 2, 3.2 / z, 3.2 / z, night, 0.9);
    }
}

static void paint_lamp(struct canvas *c)
{
    static const struct colour flame = {3.0f, 1.65f, 0.55f};
    const struct plank_end end = jetty_at(3.05);
    const double x = end.left + 3, y = end.y - 58;
    uint32_t r = 41;
    for (int i = 0; i < 150; i++) {  // its light on the ripples
        const double t = next(&r), down = end.y + 12 + 215 * t, wide = 3 + 15 * t * next(&r);
        const double side = x + (next(&r) - 0.5) * (5 + 26 * t);
        canvas_stroke(c, side - wide / 2, down, side + wide / 2, down, 1.5, 1.5,
                      (struct colour){1.5f, 0.72f, 0.22f}, 0.62 * (1 - t) * next(&r));
    }
    canvas_stroke(c, x, end.y + 8, x, y - 9, 3.4, 2.6, (struct colour){0.014f, 0.010f, 0.010f}, 1);
    canvas_stroke(c, x, y - 9, x + 13, y - 9, 2.2, 2.0, (struct colour){0.014f, 0.010f, 0.010f}, 1);
    canvas_stroke(c, x + 12, y - 9, x + 12, y - 4, 1.4, 1.4, night, 1);
    canvas_stroke(c, x + 12, y, x + 12, y + 6, 7.5, 7.5, flame, 1);
    canvas_stroke(c, x + 7.5, y - 4, x + 16.5, y - 4, 2.6, 2.6, night, 1);
    canvas_stroke(c, x + 8, y + 11, x + 16, y + 11, 2, 2, night, 1);
    canvas_glow(c, x + 12, y + 3, 15, (struct colour){0.9f, 0.44f, 0.13f});
    canvas_glow(c, x + 12, y + 3, 62, (struct colour){0.075f, 0.034f, 0.010f});
}

static void paint_jetty(struct canvas *c)
{
    uint32_t r = 51;
    const struct plank_end near = jetty_at(0.9), far = jetty_at(3.1);
    const double shade[][2] = {{near.left - 8, near.y + 40},
                               {near.right, near.y + 40},
                               {far.right, far.y + 14},
                               {far.left - 2, far.y + 14}};
    canvas_fill(c, shade, 4, (struct colour){0.006f, 0.008f, 0.014f}, 0.86);
    for (double z = 3.05; z > 0.9; z -= 0.43)
        paint_post(c, jetty_at(z).right + 3 / z, jetty_at(z).y, z, 46);
    const double beam[][2] = {
        {near.left, near.y}, {far.left, far.y}, {far.left, far.y + 6}, {near.left, near.y + 20}};
    canvas_fill(c, beam, 4, (struct colour){0.030f, 0.021f, 0.020f}, 1);
    for (double z = 3.1; z > 0.9; z -= 0.036) paint_plank(c, z, 0.036, &r);
    for (double z = 3.05; z > 0.9; z -= 0.43)
        paint_post(c, jetty_at(z).left - 3 / z, jetty_at(z).y, z, 46);
    paint_lamp(c);
}

void paint_bank(struct canvas *c)
{
    paint_jetty(c);
    paint_pine(c, 318, bank_at(318) + 22, 452, 3);
    paint_ground(c);
    paint_pine(c, 158, bank_at(158) + 34, 760, 1);
    paint_pine(c, 18, bank_at(18) + 40, 905, 2);
    paint_pine(c, 236, bank_at(236) + 40, 300, 4);
    paint_reeds(c);
    paint_grass(c);
}

#include "pictures.h"

#include <math.h>

#include "canvas.h"

// A grey as it is stored, 0 black to 1 white; the canvas holds its square.
static struct colour grey(double v)
{
    return (struct colour){(float)(v * v), (float)(v * v), (float)(v * v)};
}

static const struct colour white = {1, 1, 1}, black = {0, 0, 0};

static void paint_box(struct canvas *c, int left, int top, int width, int height,
                      struct colour fill)
{
    for (int y = top; y < top + height; y++) {
        for (int x = left; x < left + width; x++) canvas_blend(c, x, y, fill, 1);
    }
}

// ---- letters ----

// Strokes of a letter: corners as pairs of digits, x 0 ... 4 and y 0 ... 6; a blank lifts the pen.
static const struct {
    char letter;
    const char *strokes;
} letters[] = {
    {'B', "00063645443313 3342413000"},
    {'C', "4130100105163645"},
    {'E', "40000646 0333"},
    {'G', "41301001051636454323"},
    {'I', "1030 2026 1636"},
    {'L', "000646"},
    {'O', "103041453616050110"},
    {'P', "06003041423303"},
    {'R', "06003041423303 2346"},
    {'S', "413010010213334445361605"},
    {'T', "0040 2026"},
    {'X', "0046 4006"},
    {'0', "103041453616050110 4105"},
    {'1', "112026 1636"},
    {'2', "01103041420646"},
    {'3', "004022324345361605"},
    {'4', "36300444"},
    {'5', "40000312324345361605"},
    {'6', "413010010516364544331304"},
    {'7', "004016"},
    {'8', "103041423313020110 1304051636454433"},
    {'9', "051636454130100102133342"},
};

static const char *strokes_of(char letter)
{
    for (unsigned i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (letters[i].letter == letter) return letters[i].strokes;
    }
    return "";
}

// unit: pixels to a step of the letter's grid; letters are 6 high and stand 6 apart.
static void write_text(struct canvas *c, double x, double y, double unit, double width,
                       struct colour ink, const char *text)
{
    for (; *text; text++, x += 6 * unit) {
        for (const char *s = strokes_of(*text); s[0] && s[1] && s[2]; s += 2) {
            if (s[2] == ' ') {
                s++;
                continue;
            }
            canvas_stroke(c, x + (s[0] - '0') * unit, y + (s[1] - '0') * unit,
                          x + (s[2] - '0') * unit, y + (s[3] - '0') * unit, width, width, ink, 1);
        }
    }
}

static void paint_texts(struct canvas *c)
{
    static const struct {
        int y, unit, width;
    } lines[] = {{0, 1, 1}, {14, 1, 1}, {32, 2, 1}, {56, 3, 2}, {88, 4, 3}, {126, 6, 5}};
    for (int i = 0; i < 6; i++) {
        write_text(c, 540.5, 806.5 + lines[i].y, lines[i].unit, lines[i].width,
                   i == 1 ? grey(0.62) : white,
                   i < 4 ? "TILESCOPE 0123456789 TILESCOPE" : "TILESCOPE 0123456789");
    }
    write_text(c, 70, 66, 13, 12, white, "TILESCOPE");
    write_text(c, 1483, 66, 7, 4, grey(0.72), "1920X1080");
    write_text(c, 1483.5, 126.5, 2, 1, grey(0.72), "RGB 8 BIT");
}

// ---- frequencies ----

// 64 rays: the real part of (x + iy)^64 changes its sign 128 times around.
static void paint_star(struct canvas *c, int cx, int cy, int radius)
{
    for (int y = -radius; y < radius; y++) {
        for (int x = -radius; x < radius; x++) {
            const double px = x + 0.5, py = y + 0.5, r = sqrt(px * px + py * py);
            double re = px / r, im = py / r;
            for (int i = 0; i < 6; i++) {
                const double square = re * re - im * im;
                im = 2 * re * im;
                re = square;
            }
            canvas_blend(c, cx + x, cy + y, grey(clamp01(0.5 + re * r / 64)), clamp01(radius - r));
        }
    }
}

// Rings from 1 to 3 pixels wide around the star, in the three primaries and white.
static void paint_rings(struct canvas *c, int cx, int cy, int from, int to)
{
    static const struct colour inks[] = {
        {1, 1, 1}, {1, 0.10f, 0.08f}, {0.1f, 0.9f, 0.15f}, {0.12f, 0.3f, 1}};
    int k = 0;
    for (int radius = from; radius < to; radius += 7 + k % 4, k++) {
        const double half = 0.5 + k / 4 % 3 * 0.5;
        for (int y = -radius - 3; y < radius + 3; y++) {
            for (int x = -radius - 3; x < radius + 3; x++) {
                const double px = x + 0.5, py = y + 0.5;
                const double off = abs_of(sqrt(px * px + py * py) - radius);
                canvas_blend(c, cx + x, cy + y, inks[k % 4], clamp01(half + 0.5 - off));
            }
        }
    }
}

// A sine whose frequency grows with the radius, to half a wave a pixel at the rim.
static void paint_zone_plate(struct canvas *c, int left, int top, int size)
{
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            const double px = x + 0.5 - size / 2, py = y + 0.5 - size / 2;
            const double v = 0.5 + 0.5 * wave((px * px + py * py) / (2.0 * size) + 0.25);
            canvas_blend(c, left + x, top + y, grey(v), 1);
        }
    }
}

static void paint_grating(struct canvas *c, int left, int top, int width, int height, int line,
                          int is_upright, struct colour a, struct colour b)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            canvas_blend(c, left + x, top + y, (is_upright ? x : y) / line % 2 ? a : b, 1);
        }
    }
}

static void paint_gratings(struct canvas *c)
{
    static const struct {
        int line;
        const char *label;
    } steps[] = {{1, "1"}, {2, "2"}, {3, "3"}, {4, "4"}, {6, "6"}, {8, "8"}};
    for (int i = 0; i < 6; i++) {
        const int left = 1420 + 74 * i;
        paint_grating(c, left, 196, 66, 140, steps[i].line, 1, black, white);
        paint_grating(c, left, 344, 66, 140, steps[i].line, 0, black, white);
        paint_grating(c, left, 492, 32, 68, steps[i].line, 1, (struct colour){1, 0, 0},
                      (struct colour){0, 1, 0});
        paint_grating(c, left + 34, 492, 32, 68, steps[i].line, 1, (struct colour){0, 0, 1},
                      (struct colour){1, 1, 0});
        write_text(c, left + 0.5, 180.5, 2, 1, white, steps[i].label);
    }
}

static void paint_checkers(struct canvas *c)
{
    static const char *const labels[] = {"1", "2", "4", "8"};
    for (int i = 0; i < 4; i++) {
        const int left = 60 + 114 * i, cell = 1 << i;
        for (int y = 0; y < 96; y++) {
            for (int x = 0; x < 96; x++) {
                canvas_blend(c, left + x, 662 + y, (x / cell + y / cell) % 2 ? white : black, 1);
            }
        }
        write_text(c, left + 0.5, 644.5, 2, 1, white, labels[i]);
    }
}

// ---- edges, points, tones ----

// Single pixels: what becomes of them is the filter's own shape.
static void paint_points(struct canvas *c, int left, int top)
{
    static const struct colour inks[] = {{1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    paint_box(c, left, top, 438, 96, black);
    for (int i = 0; i < 18; i++) {
        for (int k = 0; k < 4; k++)
            canvas_blend(c, left + 14 + 24 * i, top + 12 + 24 * k, inks[k], 1);
    }
}

static void paint_slanted_edges(struct canvas *c)
{
    const double square[][2] = {{1442, 596}, {1604, 582}, {1618, 744}, {1456, 758}};
    const double wedge[][2] = {{1648, 582}, {1850, 666}, {1648, 672}};
    paint_box(c, 1420, 572, 438, 196, grey(0.86));
    canvas_fill(c, square, 4, grey(0.12), 1);
    canvas_fill(c, wedge, 3, black, 1);
    for (int i = 0; i < 22; i++) {  // a fan of hairlines
        canvas_stroke(c, 1640, 756, 1850, 756 - 3.5 * i, 1, 1, black, 1);
    }
}

static void paint_tones(struct canvas *c)
{
    static const struct colour patches[] = {{1, 0, 0},
                                            {0, 1, 0},
                                            {0, 0, 1},
                                            {0, 1, 1},
                                            {1, 0, 1},
                                            {1, 1, 0},
                                            {0.17f, 0.08f, 0.05f},
                                            {0.55f, 0.31f, 0.23f},
                                            {0.12f, 0.20f, 0.34f},
                                            {0.11f, 0.15f, 0.05f},
                                            {0.23f, 0.22f, 0.44f},
                                            {0.68f, 0.21f, 0.03f},
                                            {0.55f, 0.09f, 0.13f},
                                            {0.34f, 0.50f, 0.05f},
                                            {0.76f, 0.37f, 0.03f},
                                            {0.50f, 0.09f, 0.30f}};
    for (int x = 0; x < 1800; x++) paint_box(c, 60 + x, 984, 1, 26, grey(x / 1799.0));
    for (int i = 0; i < 18; i++) paint_box(c, 60 + 100 * i, 1010, 100, 26, grey(i / 17.0));
    for (int i = 0; i < 16; i++)
        paint_box(c, 60 + 114 * (i % 4), 776 + 48 * (i / 4), 96, 40, patches[i]);
    for (int y = 0; y < 88; y++) {  // every hue against every brightness
        for (int x = 0; x < 438; x++) {
            const double hue = x / 73.0, light = 1 - y / 88.0;
            const struct colour pure = {(float)clamp01(abs_of(hue - 3) - 1),
                                        (float)clamp01(2 - abs_of(hue - 2)),
                                        (float)clamp01(2 - abs_of(hue - 4))};
            *canvas_at(c, 1420 + x, 776 + y) =
                light > 0.5 ? tint(pure, white, 2 * light - 1) : lit(pure, 2 * light);
        }
    }
}

// ---- the border ----

static void paint_corner(struct canvas *c, int right, int down, int size, struct colour ink)
{
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size - y; x++) {
            canvas_blend(c, right ? c->width - 1 - x : x, down ? c->height - 1 - y : y, ink, 1);
        }
    }
}

// The outermost pixels count: a ruler on every side, a line on the very edge, and four corners that
// no flip takes for each other.
static void paint_border(struct canvas *c)
{
    for (int i = 0; i < c->width; i += 10) {
        const int length = i % 100 == 0 ? 26 : i % 50 == 0 ? 18 : 10;
        paint_box(c, i, 0, 1, length, white);
        paint_box(c, i, c->height - length, 1, length, grey(0.75));
        if (i >= c->height) continue;
        paint_box(c, 0, i, length, 1, white);
        paint_box(c, c->width - length, i, length, 1, grey(0.75));
    }
    paint_grating(c, 0, 0, c->width, 1, 1, 1, white, black);
    paint_grating(c, 0, c->height - 1, c->width, 1, 4, 1, (struct colour){1, 0.9f, 0}, black);
    paint_grating(c, 0, 0, 1, c->height, 2, 0, (struct colour){0, 1, 1}, black);
    paint_grating(c, c->width - 1, 0, 1, c->height, 8, 0, (struct colour){1, 0, 1}, black);
    paint_corner(c, 0, 0, 48, (struct colour){1, 0.05f, 0.05f});
    paint_corner(c, 1, 0, 36, (struct colour){0.05f, 0.85f, 0.10f});
    paint_corner(c, 0, 1, 36, (struct colour){0.10f, 0.25f, 1});
    paint_corner(c, 1, 1, 24, (struct colour){1, 0.85f, 0});
    write_text(c, 5.5, 6.5, 2, 2, white, "1");
    write_text(c, c->width - 15.5, 5.5, 2, 1, black, "2");
    write_text(c, 5.5, c->height - 18.5, 2, 2, white, "3");
    write_text(c, c->width - 8.5, c->height - 11.5, 1, 1, black, "4");
}

void make_chart(struct planes to)
{
    struct canvas c;
    canvas_init(&c, to.width, to.height, grey(0.22));
    paint_zone_plate(&c, 60, 180, 438);
    paint_star(&c, 960, 450, 280);
    paint_rings(&c, 960, 450, 290, 352);
    paint_gratings(&c);
    paint_checkers(&c);
    paint_slanted_edges(&c);
    paint_points(&c, 1420, 872);
    paint_tones(&c);
    paint_texts(&c);
    paint_border(&c);
    canvas_finish(&c, to);
}

#include "canvas.h"

#include <math.h>
#include <stdlib.h>

void canvas_init(struct canvas *c, int width, int height, struct colour fill)
{
    const long count = (long)width * height;
    *c = (struct canvas){width, height, malloc((size_t)count * sizeof *c->pixels)};
    if (!c->pixels) abort();
    for (long i = 0; i < count; i++) c->pixels[i] = fill;
}

static unsigned char encode(double light)
{
    return (unsigned char)(sqrt(clamp01(light)) * 255 + 0.5);
}

void canvas_finish(struct canvas *c, struct planes to)
{
    for (int y = 0; y < c->height; y++) {
        for (int x = 0; x < c->width; x++) {
            const struct colour from = *canvas_at(c, x, y);
            planes_row(to, 0, y)[x] = encode(from.r);
            planes_row(to, 1, y)[x] = encode(from.g);
            planes_row(to, 2, y)[x] = encode(from.b);
        }
    }
    free(c->pixels);
    *c = (struct canvas){0};
}

void canvas_blend(struct canvas *c, int x, int y, struct colour over, double alpha)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) return;
    struct colour *at = canvas_at(c, x, y);
    *at = tint(*at, over, alpha);
}

void canvas_stroke(struct canvas *c, double x0, double y0, double x1, double y1, double from_width,
                   double to_width, struct colour over, double alpha)
{
    const double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy + 1e-9;
    const double reach = (from_width > to_width ? from_width : to_width) / 2 + 1;
    const int left = floor_of((x0 < x1 ? x0 : x1) - reach);
    const int right = floor_of((x0 < x1 ? x1 : x0) + reach);
    const int top = floor_of((y0 < y1 ? y0 : y1) - reach);
    const int bottom = floor_of((y0 < y1 ? y1 : y0) + reach);
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) {
            const double px = x + 0.5 - x0, py = y + 0.5 - y0;
            const double t = clamp01((px * dx + py * dy) / length2);
            const double ex = px - t * dx, ey = py - t * dy;
            const double width = mix(from_width, to_width, t);
            const double radius = width < 1 ? 0.5 : width / 2;
            const double cover = clamp01(radius + 0.5 - sqrt(ex * ex + ey * ey));
            if (cover > 0) canvas_blend(c, x, y, over, cover * alpha * (width < 1 ? width : 1));
        }
    }
}

// Signed distance of a point to the nearest edge, inside positive.
static double depth_inside(const double (*corners)[2], int count, double sign, double x, double y)
{
    double depth = 1e9;
    for (int i = 0; i < count; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % count];
        const double ex = b[0] - a[0], ey = b[1] - a[1];
        const double d = sign * (ex * (y - a[1]) - ey * (x - a[0])) / sqrt(ex * ex + ey * ey);
        if (d < depth) depth = d;
    }
    return depth;
}

void canvas_fill(struct canvas *c, const double (*corners)[2], int count, struct colour over,
                 double alpha)
{
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9, area = 0;
    for (int i = 0; i < count; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % count];
        area += a[0] * b[1] - a[1] * b[0];
        left = a[0] < left ? a[0] : left, right = a[0] > right ? a[0] : right;
        top = a[1] < top ? a[1] : top, bottom = a[1] > bottom ? a[1] : bottom;
    }
    for (int y = floor_of(top) - 1; y <= floor_of(bottom) + 1; y++) {
        for (int x = floor_of(left) - 1; x <= floor_of(right) + 1; x++) {
            const double d = depth_inside(corners, count, area < 0 ? -1 : 1, x + 0.5, y + 0.5);
            if (d > -0.5) canvas_blend(c, x, y, over, clamp01(d + 0.5) * alpha);
        }
    }
}

void canvas_glow(struct canvas *c, double x, double y, double radius, struct colour light)
{
    for (int py = 0; py < c->height; py++) {
        for (int px = 0; px < c->width; px++) {
            const double dx = (px + 0.5 - x) / radius, dy = (py + 0.5 - y) / radius;
            const double d2 = dx * dx + dy * dy;
            if (d2 > 36) continue;
            const float k = (float)((1 / (1 + d2 * d2 + 2 * d2)) * (1 - d2 / 36));
            struct colour *at = canvas_at(c, px, py);
            *at = (struct colour){at->r + light.r * k, at->g + light.g * k, at->b + light.b * k};
        }
    }
}

double noise(double x, double y, int seed)
{
    const int ix = floor_of(x), iy = floor_of(y);
    const double fx = x - ix, fy = y - iy;
    const double u = fx * fx * (3 - 2 * fx), v = fy * fy * (3 - 2 * fy);
    return mix(mix(hash(ix, iy, seed), hash(ix + 1, iy, seed), u),
               mix(hash(ix, iy + 1, seed), hash(ix + 1, iy + 1, seed), u), v);
}

double clouds(double x, double y, int octaves, int seed)
{
    double sum = 0, weight = 0.5;
    for (int i = 0; i < octaves; i++) {
        sum += weight * noise(x, y, seed + i);
        const double turned = 1.6 * x - 1.2 * y;  // twice as fine, turned by 37 degrees
        y = 1.2 * x + 1.6 * y;
        x = turned;
        weight /= 2;
    }
    return sum;
}

// Bhaskara's approximation of the half wave.
double wave(double turns)
{
    const double t = turns - floor_of(turns);
    const double u = t < 0.5 ? 2 * t : 2 * t - 1;
    const double half = 16 * u * (1 - u) / (5 - 4 * u * (1 - u));
    return t < 0.5 ? half : -half;
}

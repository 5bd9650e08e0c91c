// canvas.h -- a picture in linear light to paint on, and the few words that both pictures need.
//
// The sample pictures must come out the same on every machine: only integers, + - * / and sqrt,
// which IEEE 754 defines to the last bit, and no fused multiply-add (-ffp-contract=off). No libm.
#ifndef CANVAS_H
#define CANVAS_H

#include <stdint.h>

#include "base/planes.h"

struct colour {
    float r, g, b;  // linear light, 1 is white; may be brighter until canvas_finish
};

struct canvas {
    int width, height;  // pixels
    struct colour *pixels;
};

void canvas_init(struct canvas *c, int width, int height, struct colour fill);
// Encodes into three planes of the same size (square root for gamma) and frees the canvas.
void canvas_finish(struct canvas *c, struct planes to);

static inline struct colour *canvas_at(const struct canvas *c, int x, int y)
{
    return &c->pixels[(long)y * c->width + x];
}

// Paints over a pixel; outside the canvas nothing happens.
void canvas_blend(struct canvas *c, int x, int y, struct colour over, double alpha);
// A line with round ends, its diameter going from from_width to to_width, edges smoothed.
void canvas_stroke(struct canvas *c, double x0, double y0, double x1, double y1, double from_width,
                   double to_width, struct colour over, double alpha);
// A convex polygon, corners clockwise or not, edges smoothed.
void canvas_fill(struct canvas *c, const double (*corners)[2], int count, struct colour over,
                 double alpha);
// Adds light that falls off with the distance from a lamp.
void canvas_glow(struct canvas *c, double x, double y, double radius, struct colour light);

static inline double clamp01(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}
static inline double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}
static inline int floor_of(double v)
{
    return (int)v - (v < (int)v);
}
static inline double abs_of(double v)
{
    return v < 0 ? -v : v;
}

// 0 below a, 1 above b, smooth between.
static inline double smooth(double a, double b, double v)
{
    const double t = clamp01((v - a) / (b - a));
    return t * t * (3 - 2 * t);
}

static inline struct colour tint(struct colour a, struct colour b, double t)
{
    const float k = (float)t;
    return (struct colour){a.r + (b.r - a.r) * k, a.g + (b.g - a.g) * k, a.b + (b.b - a.b) * k};
}

static inline struct colour lit(struct colour a, double k)
{
    return (struct colour){a.r * (float)k, a.g * (float)k, a.b * (float)k};
}

// Reproducible noise of a grid point, 0 ... 1 (a finisher of Chris Wellons' hash-prospector).
static inline double hash(int x, int y, int seed)
{
    uint32_t h =
        (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u ^ (uint32_t)seed * 0xc2b2ae3du;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return h / 4294967296.0;
}

// A sequence of random numbers, 0 ... 1. C leaves the order open in which an
// expression calls it: at most once, or as factors of one product.
static inline double next(uint32_t *state)
{
    return hash((int)++*state, 77, 5);
}

double noise(double x, double y, int seed);                // smooth between grid points, 0 ... 1
double clouds(double x, double y, int octaves, int seed);  // noise of noise, about 0 ... 1
double wave(double turns);                                 // sine, to 0.002

#endif

#include "screen/viewport.h"

#include <assert.h>
#include <math.h>

static double area_width(struct viewport_sizes s)
{
    return fmax(1, s.window_width - s.left - s.right);
}

static double area_height(struct viewport_sizes s)
{
    return fmax(1, s.window_height - s.top - s.bottom);
}

static double fit(struct viewport_sizes s)
{
    return fmin(area_width(s) / s.picture_width, area_height(s) / s.picture_height);
}

static double clamp(double value, double low, double high)
{
    return fmax(low, fmin(value, high));
}

// The lengths of one side of the picture and of the area. Starts are not yet on whole pixels.
struct side {
    double area, length;
};

// How far the area's centre may lie from the picture's, in parts of the side.
static double reach(struct side s)
{
    return s.length > s.area ? (s.length - s.area) / 2 / s.length : 0;
}

static double start(struct side s, double centre)
{
    return s.area / 2 - (0.5 + centre) * s.length;
}

static double centre(struct side s, double begin)
{
    return clamp((s.area / 2 - begin) / s.length - 0.5, -reach(s), reach(s));
}

static struct side across(struct viewport_sizes s, double zoom)
{
    return (struct side){area_width(s), fmax(1, zoom * fit(s) * s.picture_width)};
}

static struct side down(struct viewport_sizes s, double zoom)
{
    return (struct side){area_height(s), fmax(1, zoom * fit(s) * s.picture_height)};
}

static struct viewport limit(struct viewport viewport, struct viewport_sizes s)
{
    assert(s.window_width > 0 && s.window_height > 0);
    assert(s.picture_width > 0 && s.picture_height > 0);
    const double zoom = clamp(viewport.zoom, 1, fmax(1, VIEWPORT_LARGEST_PIXEL / fit(s)));
    const double x = reach(across(s, zoom)), y = reach(down(s, zoom));
    return (struct viewport){zoom, clamp(viewport.x, -x, x), clamp(viewport.y, -y, y)};
}

struct viewport_box viewport_place(struct viewport viewport, struct viewport_sizes sizes)
{
    const struct viewport l = limit(viewport, sizes);
    const struct side x = across(sizes, l.zoom), y = down(sizes, l.zoom);
    return (struct viewport_box){sizes.left + floor(start(x, l.x) + 0.5),
                                 sizes.top + floor(start(y, l.y) + 0.5), x.length, y.length};
}

bool viewport_pixel_at(struct viewport viewport, struct viewport_sizes sizes, double x, double y,
                       int *px, int *py)
{
    const struct viewport_box place = viewport_place(viewport, sizes);
    const double column = floor((x - place.left) / place.width * sizes.picture_width);
    const double row = floor((y - place.top) / place.height * sizes.picture_height);
    if (!(column >= 0 && column < sizes.picture_width)) return false;
    if (!(row >= 0 && row < sizes.picture_height)) return false;
    *px = (int)column;
    *py = (int)row;
    return true;
}

// The new centre when a side is scaled around a point of the window.
static double keep(struct side before, struct side after, double centre_before, double point)
{
    const double part = (point - start(before, centre_before)) / before.length;
    return centre(after, point - part * after.length);
}

struct viewport viewport_zoom(struct viewport viewport, struct viewport_sizes sizes, double factor,
                              double x, double y)
{
    assert(factor > 0);
    const struct viewport from = limit(viewport, sizes);
    const double zoom = limit((struct viewport){from.zoom * factor, 0, 0}, sizes).zoom;
    return (struct viewport){
        zoom, keep(across(sizes, from.zoom), across(sizes, zoom), from.x, x - sizes.left),
        keep(down(sizes, from.zoom), down(sizes, zoom), from.y, y - sizes.top)};
}

struct viewport viewport_pan(struct viewport viewport, struct viewport_sizes sizes, double dx,
                             double dy)
{
    const struct viewport from = limit(viewport, sizes);
    const struct side x = across(sizes, from.zoom), y = down(sizes, from.zoom);
    return (struct viewport){from.zoom, centre(x, start(x, from.x) + dx),
                             centre(y, start(y, from.y) + dy)};
}

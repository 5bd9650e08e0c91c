#include "screen/viewport.h"

#include <assert.h>
#include <glib.h>
#include <math.h>

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
    return CLAMP((s.area / 2 - begin) / s.length - 0.5, -reach(s), reach(s));
}

struct sides {
    struct side x, y;
    double fit;  // window pixels of a picture's pixel at zoom 1
};

static struct sides sides_at(struct viewport_sizes s, double zoom)
{
    const double width = fmax(1, s.window_width - s.left - s.right);
    const double height = fmax(1, s.window_height - s.top - s.bottom);
    const double fit = fmin(width / s.picture_width, height / s.picture_height);
    return (struct sides){{width, fmax(1, zoom * fit * s.picture_width)},
                          {height, fmax(1, zoom * fit * s.picture_height)},
                          fit};
}

static struct viewport limit(struct viewport viewport, struct viewport_sizes s)
{
    assert(s.window_width > 0 && s.window_height > 0);
    assert(s.picture_width > 0 && s.picture_height > 0);
    const double largest = VIEWPORT_LARGEST_PIXEL / sides_at(s, 1).fit;
    const double zoom = CLAMP(viewport.zoom, 1, fmax(1, largest));
    const struct sides at = sides_at(s, zoom);
    const double x = reach(at.x), y = reach(at.y);
    return (struct viewport){zoom, CLAMP(viewport.x, -x, x), CLAMP(viewport.y, -y, y)};
}

struct paint_box viewport_place(struct viewport viewport, struct viewport_sizes sizes)
{
    const struct viewport l = limit(viewport, sizes);
    const struct sides at = sides_at(sizes, l.zoom);
    return (struct paint_box){sizes.left + floor(start(at.x, l.x) + 0.5),
                              sizes.top + floor(start(at.y, l.y) + 0.5), at.x.length, at.y.length};
}

bool viewport_pixel_at(struct viewport viewport, struct viewport_sizes sizes, double x, double y,
                       int *px, int *py)
{
    const struct paint_box place = viewport_place(viewport, sizes);
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
    const struct sides before = sides_at(sizes, from.zoom), after = sides_at(sizes, zoom);
    return (struct viewport){zoom, keep(before.x, after.x, from.x, x - sizes.left),
                             keep(before.y, after.y, from.y, y - sizes.top)};
}

struct viewport viewport_pan(struct viewport viewport, struct viewport_sizes sizes, double dx,
                             double dy)
{
    const struct viewport from = limit(viewport, sizes);
    const struct sides at = sides_at(sizes, from.zoom);
    return (struct viewport){from.zoom, centre(at.x, start(at.x, from.x) + dx),
                             centre(at.y, start(at.y, from.y) + dy)};
}

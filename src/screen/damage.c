#include "screen/damage.h"

#include <glib.h>
#include <limits.h>

bool damage_is_empty(cairo_rectangle_int_t b)
{
    return b.width <= 0 || b.height <= 0;
}

bool damage_is_same(cairo_rectangle_int_t a, cairo_rectangle_int_t b)
{
    return (damage_is_empty(a) && damage_is_empty(b)) ||
           (a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height);
}

bool damage_has_overlap(cairo_rectangle_int_t a, cairo_rectangle_int_t b)
{
    return !damage_is_empty(a) && !damage_is_empty(b) && a.x < b.x + b.width &&
           b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

static cairo_rectangle_int_t join(cairo_rectangle_int_t a, cairo_rectangle_int_t b)
{
    const int left = MIN(a.x, b.x), top = MIN(a.y, b.y);
    const int right = MAX(a.x + a.width, b.x + b.width);
    const int bottom = MAX(a.y + a.height, b.y + b.height);
    return (cairo_rectangle_int_t){left, top, right - left, bottom - top};
}

void damage_add(struct damage *d, cairo_rectangle_int_t box)
{
    if (damage_is_empty(box)) return;
    for (int i = 0; i < d->count;) {
        if (!damage_has_overlap(d->boxes[i], box)) {
            i++;
            continue;
        }
        box = join(box, d->boxes[i]);
        d->boxes[i] = d->boxes[--d->count];
        i = 0;
    }
    g_assert(d->count < DAMAGE_MAX);
    d->boxes[d->count++] = box;
}

static bool is_inside(cairo_rectangle_int_t a, cairo_rectangle_int_t of)
{
    return a.x >= of.x && a.y >= of.y && a.x + a.width <= of.x + of.width &&
           a.y + a.height <= of.y + of.height;
}

static bool is_cut(const struct damage *d, cairo_rectangle_int_t box)
{
    for (int i = 0; i < d->count; i++)
        if (damage_has_overlap(box, d->boxes[i]) && !is_inside(box, d->boxes[i])) return true;
    return false;
}

void damage_complete(struct damage *d, const cairo_rectangle_int_t *places, int count)
{
    for (int i = 0; i < count;) {
        if (!is_cut(d, places[i])) {
            i++;
            continue;
        }
        damage_add(d, places[i]);
        i = 0;
    }
}

static long area_of(cairo_rectangle_int_t b)
{
    return (long)b.width * b.height;
}

// Makes one box of the two whose joining adds the least.
static void join_nearest(struct damage *d)
{
    int first = 0, second = 1;
    long least = LONG_MAX;
    for (int i = 0; i < d->count; i++)
        for (int k = i + 1; k < d->count; k++) {
            const cairo_rectangle_int_t a = d->boxes[i], b = d->boxes[k];
            const long added = area_of(join(a, b)) - area_of(a) - area_of(b);
            if (added >= least) continue;
            least = added;
            first = i, second = k;
        }
    const cairo_rectangle_int_t joined = join(d->boxes[first], d->boxes[second]);
    d->boxes[second] = d->boxes[--d->count];
    d->boxes[first] = d->boxes[--d->count];
    damage_add(d, joined);
}

struct damage damage_reduce(const struct damage *d, int max)
{
    struct damage reduced = *d;
    g_assert(max >= 1);
    while (reduced.count > max) join_nearest(&reduced);
    return reduced;
}

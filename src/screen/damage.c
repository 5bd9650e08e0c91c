#include "screen/damage.h"

#include <assert.h>
#include <math.h>

bool damage_is_empty(struct paint_box b)
{
    return b.width <= 0 || b.height <= 0;
}

bool damage_has_overlap(struct paint_box a, struct paint_box b)
{
    return !damage_is_empty(a) && !damage_is_empty(b) && a.left < b.left + b.width &&
           b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}

static struct paint_box join(struct paint_box a, struct paint_box b)
{
    const double left = fmin(a.left, b.left), top = fmin(a.top, b.top);
    return (struct paint_box){left, top, fmax(a.left + a.width, b.left + b.width) - left,
                              fmax(a.top + a.height, b.top + b.height) - top};
}

void damage_add(struct damage *d, struct paint_box box)
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
    assert(d->count < OVERLAY_DAMAGE);
    d->boxes[d->count++] = box;
}

bool damage_cuts(const struct damage *d, struct paint_box box)
{
    for (int i = 0; i < d->count; i++)
        if (damage_has_overlap(box, d->boxes[i]) && !paint_is_inside(box, d->boxes[i])) return true;
    return false;
}

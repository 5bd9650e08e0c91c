#include "app/pointer.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

enum { DRAG_PIXELS = 4 };  // a hand that clicks moves less

static const double ZOOM_STEP = 1.25;

bool pointer_move(struct pointer *p, struct app *a, struct viewport_sizes sizes, int x, int y)
{
    int dx = x - p->x, dy = y - p->y;
    p->is_inside = x >= 0;
    if (!p->is_inside) return false;
    p->x = x;
    p->y = y;
    if (p->is_down && !p->is_dragging) {
        dx = x - p->down_x;
        dy = y - p->down_y;
        p->is_dragging = abs(dx) + abs(dy) >= DRAG_PIXELS;
    }
    if (p->is_dragging) a->viewport = viewport_pan(a->viewport, sizes, dx, dy);
    if (!a->is_comparing || p->is_pinned || p->is_away || p->is_down) return p->is_dragging;
    const double divider = CLAMP((x + 0.5) / sizes.window_width, 0, 1);
    const bool is_moved = divider != a->divider;
    a->divider = divider;
    return is_moved;
}

void pointer_press(struct pointer *p)
{
    p->is_down = true;
    p->is_dragging = false;
    p->down_x = p->x;
    p->down_y = p->y;
}

void pointer_release(struct pointer *p, const struct app *a)
{
    if (p->is_down && !p->is_dragging && a->is_comparing) p->is_pinned = !p->is_pinned;
    p->is_down = p->is_dragging = false;
}

void pointer_zoom(const struct pointer *p, struct app *a, struct viewport_sizes sizes, int steps)
{
    const double x = p->is_inside ? p->x + 0.5 : sizes.window_width / 2.0;
    const double y = p->is_inside ? p->y + 0.5 : sizes.window_height / 2.0;
    a->viewport = viewport_zoom(a->viewport, sizes, pow(ZOOM_STEP, steps), x, y);
}

#include "viewer/lens_subject.h"

#include <glib.h>

#include "filter/block_info.h"
#include "viewer/viewer.h"

// A cursor that stays so long rests. A hand that goes on moves it every 8 to 16 ms.
static const gint64 REST_US = 25000;
static const int64_t MOMENT_US = 75000;  // with that rest before it, a tenth of a second

// The pixel under the cursor, once it rests over the picture.
void lens_subject_follow_cursor(struct lens_subject *s, const struct viewer *v)
{
    const struct pointer *p = &v->pointer;
    const gint64 now = g_get_monotonic_time();
    int x, y;
    if (p->x != s->seen_x || p->y != s->seen_y) s->moved_us = now;
    s->seen_x = p->x;
    s->seen_y = p->y;
    s->may_rest = p->is_inside && !p->is_away && !p->is_down && now - s->moved_us < REST_US;
    if (!p->is_inside || p->is_away || p->is_down || s->may_rest) return;
    if (!viewport_pixel_at(v->app.viewport, viewer_sizes(v), p->x + 0.5, p->y + 0.5, &x, &y))
        return;
    s->x = x;
    s->y = y;
    s->has_rested = true;
}

// Where the element that is shown at a pixel lies in the domain of a lab's launch. Where that is
// not known it is the first place.
static bool find_lab_place(const struct viewer *v, int side, int *x, int *y)
{
    const struct pane_facts *now = viewer_facts(v, side);
    const struct block_info_facts facts = {
        .choice = now->choice, .device = now->device, .picture = now->picture, .x = *x, .y = *y};
    struct block_info b;
    struct error ignored;
    *x = *y = 0;
    if (!block_info_find(&b, &facts, arrays_shown(now->choice.filter, now->array), &ignored) ||
        !b.has_block)
        return false;
    *x = b.domain_x;
    *y = b.domain_y;
    return true;
}

void lens_subject_place(const struct lens_subject *s, struct planes shape, int *x, int *y)
{
    const bool is_known = s->has_rested && s->x < shape.width && s->y < shape.height;
    *x = is_known ? s->x : shape.width / 2;
    *y = is_known ? s->y : shape.height / 2;
}

struct tracing_request lens_subject_block(const struct lens_subject *s, const struct viewer *v,
                                          int side, bool *has_place)
{
    struct tracing_request r = {.choice = viewer_choice(v, side),
                                .filters_version = v->filters_version,
                                .picture_version = v->pictures.version};
    lens_subject_place(s, display_shape(v->display), &r.x, &r.y);
    const struct device *device = viewer_facts(v, side)->device;
    if (device && device->is_gpu) r.multiprocessors = device->multiprocessors;
    *has_place = filter_has_picture(r.choice.filter) || find_lab_place(v, side, &r.x, &r.y);
    return r;
}

bool lens_wait_is_long(struct lens_wait *wait, const struct tracing_request *now, int64_t now_us)
{
    if (!tracing_is_same(&wait->block, now)) *wait = (struct lens_wait){*now, now_us};
    return now_us - wait->since_us >= MOMENT_US;
}

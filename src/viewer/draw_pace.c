#include "viewer/draw_pace.h"

#include <glib.h>
#include <string.h>

static const int64_t QUICK_US = 5000, AWAITED_US = 100000, LONGEST_US = 250000;
static const int64_t PICTURE_US = 1000000 / 5, OTHERS = 3;  // parts of the time, to one of drawing

void draw_pace_add(struct draw_pace *p, const unsigned versions[DRAW_PACE_SIDES])
{
    memcpy(p->present, versions, sizeof p->present);
    p->has_frame = true;
}

static bool has_new_choice(const struct draw_pace *p)
{
    return p->has_frame && memcmp(p->present, p->versions, sizeof p->present) != 0;
}

bool draw_pace_is_due(const struct draw_pace *p, bool is_gpu, int64_t now_us)
{
    if (!p->has_frame) return false;
    return is_gpu || has_new_choice(p) ||
           now_us - p->drawn_us >= MAX(PICTURE_US, OTHERS * p->took_us);
}

bool draw_pace_is_put_off(const struct draw_pace *p, int64_t now_us)
{
    return p->awaited_us && p->took_us > QUICK_US && !has_new_choice(p) &&
           now_us - p->awaited_us < AWAITED_US && now_us - p->drawn_us < LONGEST_US;
}

void draw_pace_drawn(struct draw_pace *p, int64_t start_us, int64_t end_us)
{
    memcpy(p->versions, p->present, sizeof p->versions);
    p->drawn_us = end_us;
    p->took_us = end_us - start_us;
    p->has_frame = false;
}

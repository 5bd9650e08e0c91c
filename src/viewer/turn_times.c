#include "viewer/turn_times.h"

static const int64_t SPAN_US = 5000000;

void turn_times_turn(struct turn_times *p, int64_t now_us, double turn_ms)
{
    if (now_us - p->since_us >= SPAN_US) {
        p->before = p->now;
        p->now = (struct turn_times_span){0};
        p->since_us = now_us;
    }
    if (turn_ms > p->now.longest_ms) p->now.longest_ms = turn_ms;
    p->now.overlay_ms += p->overlay_ms;
    p->now.turns++;
    p->overlay_ms = 0;
}

double turn_times_longest_ms(const struct turn_times *p)
{
    return p->now.longest_ms > p->before.longest_ms ? p->now.longest_ms : p->before.longest_ms;
}

double turn_times_overlay_ms(const struct turn_times *p)
{
    const int turns = p->now.turns + p->before.turns;
    return turns ? (p->now.overlay_ms + p->before.overlay_ms) / turns : 0;
}

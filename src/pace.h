// pace.h -- how evenly the viewer's loop runs: the longest turn, and what the overlay costs.
//
// Over the last 5 to 10 seconds, so that what was long ago is forgotten. Pure; {0} is its
// beginning.
#ifndef PACE_H
#define PACE_H

#include <stdint.h>

struct pace_span {
    double longest_ms, overlay_ms;  // overlay: sum over the turns
    int turns;
};

struct pace {
    struct pace_span now, before;
    int64_t since_us;
    double overlay_ms;  // of the turn in hand
};

// A turn has ended; what it spent on the overlay was added to p->overlay_ms.
void pace_turn(struct pace *p, int64_t now_us, double turn_ms);

double pace_longest_ms(const struct pace *p);
double pace_overlay_ms(const struct pace *p);  // a turn, on average

#endif

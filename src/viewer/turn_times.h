// turn_times.h -- how evenly the viewer's loop runs: its longest turn, and the cost of the overlay.
//
// Both are of the last 5 to 10 seconds. {0} is a valid beginning. The caller gives the time.
#ifndef TURN_TIMES_H
#define TURN_TIMES_H

#include <stdint.h>

struct turn_times_span {
    double longest_ms, overlay_ms;  // overlay: sum over the turns
    int turns;
};

struct turn_times {
    struct turn_times_span now, before;
    int64_t since_us;
    double overlay_ms;  // of the present turn
};

// Ends a turn, whose time for the overlay the caller has added to p->overlay_ms.
void turn_times_turn(struct turn_times *p, int64_t now_us, double turn_ms);

double turn_times_longest_ms(const struct turn_times *p);
double turn_times_overlay_ms(const struct turn_times *p);  // a turn, on average

#endif

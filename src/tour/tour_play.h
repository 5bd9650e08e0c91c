// tour_play.h -- how far a tour has been played, and what it does next.
//
// Keys come a moment apart, so that people can follow, but those that are typed into a list follow
// at once. On the way to a later step the player hurries: it presses every key at once and waits
// for nothing but that step's own end.
//
// It does not press keys, keep settings or read the clock: the caller does. One thread uses it.
#pragma once

#include <stdbool.h>

#include "tour/tour.h"

// {.tour = &t} is its beginning.
struct tour_play {
    const struct tour *tour;  // borrowed
    int line, key;            // the next ones
    double since_s;           // when the last key was pressed, or the present wait began
    bool is_waiting;
    int words;                    // the first line whose caption or claims are shown
    struct tour_pointer pointer;  // what the eye is drawn to
    bool is_hurrying;
    int goal;  // the step at whose end it stops hurrying
};

// Takes one turn of the viewer's loop and returns the key to press now, or NULL. One line ends in a
// turn at most. now_s is a monotonic clock; is_typing: a list is open that takes the keys.
const char *tour_play_turn(struct tour_play *p, double now_s, bool is_typing, bool is_settled);
// Space was pressed: ends a wait, or else plays the rest of the step at once. False: it is over, or
// hurries already.
bool tour_play_go_on(struct tour_play *p);
bool tour_play_is_over(const struct tour_play *p);

int tour_play_step(const struct tour_play *p);        // the present one; once it is over, the last
bool tour_play_is_at_end(const struct tour_play *p);  // of its step: it waits for space
void tour_play_hurry(struct tour_play *p, int step);  // to the end of that step, which lies ahead
// Skips to the end of that step without a key, because its settings are there already.
void tour_play_skip(struct tour_play *p, int step);

// The caption that is shown, or NULL; and the next claim that is shown, behind line `after`, or -1.
// On the way to a later step there are none.
const char *tour_play_caption(const struct tour_play *p);
int tour_play_next_claim(const struct tour_play *p, int after);
// They are of a former step, and the present one has its own caption ahead.
bool tour_play_awaits_caption(const struct tour_play *p);
// Lists the figures of what is shown, at most max. Returns how many.
int tour_play_figures(const struct tour_play *p, struct tour_figure *figures, int max);

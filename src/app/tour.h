// tour.h -- a lecture as a text file, for `tilescope view --script FILE`: keys, captions, waits.
//
// Each line is a step, except empty lines and lines that begin with #:
//
// clang-format off
//     3 Up Up          presses keys, named as for --keys, one after the other
//     caption TEXT     shows a large caption until the next one; \n begins a new line
//     caption          takes the caption away
//     wait             waits until space is pressed
//     wait 2.5         waits that many seconds
//     pause settled    waits until the times on the screen are settled
//
// A caption may hold figures, which are measured on the machine that shows it:
//
//     {ms}       time of a launch in milliseconds      {device}    "NVIDIA H200"
//     {naive}    speed-up over naive, such as "3.4"    {filter}    "mean"
//     {copy}     percent of a device copy's speed      {variant}   "shared"
//     {ms:V}     time of variant V                     {radius}    "5", and so any param's value
//     {x:V}      speed-up of the shown variant over variant V
//     {x:V/W}    speed-up of variant V over variant W, both at the present settings
//     {ms:V@P=5} the same with another value of param P; so {x:V/W@P=5}, {ms@P=5} and {naive@P=5}
// clang-format on
//
// "…" stands for a figure that is not known yet. {{ and }} are braces.
//
// The module does not measure, draw or read the clock; the viewer does. One thread uses it.
#ifndef TOUR_H
#define TOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "filter/filter.h"

enum tour_kind { TOUR_KEYS, TOUR_CAPTION, TOUR_WAIT_SPACE, TOUR_WAIT_SECONDS, TOUR_WAIT_SETTLED };

struct tour_step {
    enum tour_kind kind;
    int line;        // in the file, from 1
    char **keys;     // for KEYS; ends with NULL
    char *caption;   // for CAPTION; empty: take it away
    double seconds;  // for WAIT_SECONDS
};

// A tour owns its steps.
struct tour {
    struct tour_step *steps;
    int count;
};

// Checks all that can be known beforehand: the keys, the figures, and that some filter has each
// variant and param, with that value. On failure err is "path:line: message", and t needs no
// finish.
bool tour_parse(struct tour *t, const char *path, const char *text,
                const struct filter_list *filters, struct error *err);
bool tour_load(struct tour *t, const char *path, const struct filter_list *filters,
               struct error *err);
void tour_finish(struct tour *t);  // accepts a zeroed tour

// ---- captions ----

enum tour_figure_kind {
    TOUR_MS,
    TOUR_SPEED_UP,  // variant's over other
    TOUR_COPY,
    TOUR_DEVICE,
    TOUR_FILTER,
    TOUR_VARIANT,
    TOUR_PARAM
};

struct tour_figure {
    enum tour_figure_kind kind;
    char variant[FILTER_NAME], other[FILTER_NAME];  // for MS and SPEED_UP; empty: the shown one
    char param[FILTER_NAME];                        // for PARAM; or the one with another value
    char value[FILTER_VALUE];                       // that one, as it is typed
};

// Writes a figure without its unit. False: the figure is not known yet.
typedef bool tour_write_figure(void *user, const struct tour_figure *figure, char *text,
                               size_t size);

// Fills the figures into a parsed tour's caption; the caller frees the text.
char *tour_fill(const char *caption, tour_write_figure *write, void *user);

// Lists the figures that a caption needs, at most max. Returns how many.
int tour_figures(const char *caption, struct tour_figure *figures, int max);

// ---- playing ----

// How far a tour has been played. {.tour = &t} is its beginning.
struct tour_play {
    const struct tour *tour;  // borrowed
    int step, key;            // the next ones
    double since_s;           // when the last key was pressed, or the present wait began
    bool is_waiting;
    const char *caption;  // NULL: none
};

// Takes one turn of the viewer's loop and returns the key to press now, or NULL. It may also change
// the caption. Keys come a moment apart, so that people can follow. now_s is a monotonic clock.
const char *tour_turn(struct tour_play *p, double now_s, bool is_settled);
bool tour_go_on(struct tour_play *p);  // space was pressed: ends a wait; false: there is none
bool tour_is_over(const struct tour_play *p);

#endif

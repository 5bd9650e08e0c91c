// tour.h -- a lecture as a text file, for `tilescope view --script FILE`: keys, captions, waits.
//
// One step a line; lines that are empty or begin with # are none:
//
//     3 Up Up            keys, named as for --keys, one after the other
//     caption TEXT…      a large caption, until the next one or `caption` alone; \n begins a new
//     line wait               until space is pressed wait 2.5           seconds pause settled until
//     the times on the screen are settled
//
// Captions hold figures of the machine they are shown on, so that they claim only what is measured:
//
//     {ms}       time of a launch, milliseconds        {device}    "NVIDIA H200"
//     {naive}    speed-up over naive, e.g. "3.4"       {filter}    "mean"
//     {copy}     percent of a device copy's speed      {variant}   "shared"
//     {ms:V}     time of variant V                     {radius}    "5"
//     {x:V}      speed-up of what is shown over variant V
//     {x:V/W}    speed-up of variant V over variant W, both at the present settings
//
// A figure that is not there yet is shown as "…". {{ and }} are braces.
//
// Pure: does not measure, draw or know the time; the viewer does. One thread.
#ifndef TOUR_H
#define TOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "filter/filter.h"

enum tour_kind { TOUR_KEYS, TOUR_CAPTION, TOUR_WAIT_SPACE, TOUR_WAIT_SECONDS, TOUR_WAIT_SETTLED };

struct tour_step {
    enum tour_kind kind;
    int line;        // of the file, from 1
    char **keys;     // of KEYS, NULL-ended
    char *caption;   // of CAPTION; empty: none from now on
    double seconds;  // of WAIT_SECONDS
};

// Owns what it points to.
struct tour {
    struct tour_step *steps;
    int count;
};

// Checks everything that can be known beforehand: keys, figures, and that variants are one of some
// filter's. On failure err is "path:line: message" and t needs no finish.
bool tour_parse(struct tour *t, const char *path, const char *text,
                const struct filter_list *filters, struct error *err);
bool tour_load(struct tour *t, const char *path, const struct filter_list *filters,
               struct error *err);
void tour_finish(struct tour *t);  // accepts a zeroed tour

// ---- captions ----

enum tour_figure_kind {
    TOUR_MS,
    TOUR_SPEED_UP,  // of variant over other
    TOUR_COPY,
    TOUR_DEVICE,
    TOUR_FILTER,
    TOUR_VARIANT,
    TOUR_RADIUS
};

struct tour_figure {
    enum tour_figure_kind kind;
    char variant[FILTER_NAME], other[FILTER_NAME];  // of MS and SPEED_UP; empty: what is shown
};

// Writes a figure without its unit. False: it is not known yet.
typedef bool tour_write_figure(void *user, const struct tour_figure *figure, char *text,
                               size_t size);

// A caption with its figures; the caller frees it. Captions are those of a parsed tour.
char *tour_fill(const char *caption, tour_write_figure *write, void *user);

// The figures of a caption, at most max: what must be measured for it. Returns how many.
int tour_figures(const char *caption, struct tour_figure *figures, int max);

// ---- playing ----

// Where a tour stands. {.tour = &t} is its beginning.
struct tour_play {
    const struct tour *tour;  // borrowed
    int step, key;            // the next ones
    double since_s;           // when the last key was pressed, or the present wait begun
    bool is_waiting;
    const char *caption;  // NULL: none
};

// One turn, whenever the viewer has one: the key to be pressed now, or NULL: nothing, or the
// caption has changed. now_s: a clock that does not jump. Keys come a moment apart, so that they
// can be watched.
const char *tour_turn(struct tour_play *p, double now_s, bool is_settled);
bool tour_go_on(struct tour_play *p);  // space was pressed: ends any wait; false: there is none
bool tour_is_over(const struct tour_play *p);

#endif

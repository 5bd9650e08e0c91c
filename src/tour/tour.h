// tour.h -- a lecture as a text file, for `tilescope view --script TOUR`: keys, captions, claims.
// docs/tours.md says what its lines may be.
//
// The lines between two waits for space are a step: "4 of 17" counts steps, and people go back and
// forth by steps. Texts may hold figures, tour_figure.h.
//
// The module reads and checks. It does not measure, draw or play: tour_play.h does.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "filter/filter.h"
#include "tour/claim.h"

enum tour_kind {
    TOUR_KEYS,
    TOUR_CAPTION,
    TOUR_CLAIM,
    TOUR_NOTE,
    TOUR_SHOW,
    TOUR_WAIT_SPACE,
    TOUR_WAIT_SECONDS,
    TOUR_WAIT_SETTLED
};

struct app;

enum tour_place {
    TOUR_NOWHERE,
    TOUR_BARS,
    TOUR_SWEEP,
    TOUR_HEAT,
    TOUR_BLOCK,
    TOUR_SOURCE,
    TOUR_LENS,
    TOUR_LENS_FULL,
    TOUR_SHARING,
    TOUR_SOURCE_LINE,
    TOUR_SPOT
};

// The place on the screen that is marked.
struct tour_pointer {
    enum tour_place place;
    int line;          // of SOURCE_LINE, in the shown kernel's file
    double x, y;       // of SPOT: pixels
    bool is_relative;  // or parts of the picture, 0 to 1
};

// The most figures of a caption and the claims below it, which are shown together.
enum { TOUR_MAX_FIGURES = 32 };

struct tour_line {
    enum tour_kind kind;
    int number;                   // in the file, from 1
    char **keys;                  // for KEYS; ends with NULL
    char *text;                   // for CAPTION (empty: take it away) and NOTE
    struct claim claim;           // for CLAIM
    struct tour_pointer pointer;  // for SHOW
    double seconds;               // for WAIT_SECONDS
};

// Lines that are played without a press of space. The last of them is the step's wait, which the
// last step may lack.
struct tour_step {
    int first, count;
    char *name;  // its subject, in a line; may hold figures; owned; "": it has no caption
};

// A tour owns its lines, steps and title.
struct tour {
    char *title;  // the file's name where it says none
    struct tour_line *lines;
    int count;
    struct tour_step *steps;
    int step_count;  // at least 1
};

// Checks all that can be known beforehand: the keys, the figures, how many are shown at once, and
// that some filter has each variant and param, with that value. On failure err is "path:line:
// message", and t needs no finish.
bool tour_parse(struct tour *t, const char *path, const char *text,
                const struct filter_list *filters, struct error *err);
bool tour_load(struct tour *t, const char *path, const struct filter_list *filters,
               struct error *err);
void tour_finish(struct tour *t);  // accepts a zeroed tour

// The key that leads to what "show" opens, or NULL once it is open. At most TOUR_OPENING_KEYS keys
// in a row do so: M three times, or &, goes round.
enum { TOUR_OPENING_KEYS = 6 };
const char *tour_opening_key(enum tour_place place, struct app *app);

// tour_handout.h -- plays a tour on the program's state, without a window, and makes its page.
//
// Keys act on struct app as in the window; panels, lens and figures come from the same models. Each
// step of the tour becomes a step of the page: its captions and claims with this machine's figures,
// the picture, the drawings that are open or that it points to, a table of times and counts, the
// kernel, and the commands that measure it again. What was shown before is not shown again: the
// page says in which step it was.
//
// Requests to the window, such as a screenshot, are ignored.
#pragma once

#include "app/app.h"
#include "commands/headless.h"
#include "commands/tour_page.h"
#include "commands/tour_record.h"
#include "device/headers.h"
#include "screen/lens_model.h"
#include "tour/tour.h"

struct tour_handout {
    // The caller's.
    struct tour tour;
    struct headless headless;    // with filters, picture and device
    struct tour_record *record;  // of these
    struct headers headers;
    struct tour_page page;
    char *subject;       // the words of a command that name the picture: "'a b.png'", "--size 9x9"
    char *script;        // the words that name the tour: "banks", "'mine.tour'"
    char *data;          // " --data 'course'"; empty: none
    const char *device;  // of the command line; NULL: none was named
    bool is_plain;       // only claims are wanted, no page

    // The outcome.
    GString *claims;  // a line for each
    int failures;     // how many claims that are not about time do not hold

    // The tour's present view, and those of earlier steps.
    struct app *app;
    struct panel_model *panels;
    struct lens_cursor cursors[APP_SIDES];
    GArray *pictures;   // struct tour_handout_seen
    GArray *sources;    // the same
    GHashTable *parts;  // headings of parts of the source that were shown

    // These are of the present step, page.step.
    GPtrArray *said;  // struct tour_line *: captions and claims that are not written yet
    enum tour_place place;
    GArray *points;  // struct choice: the table's rows
    char *remark;    // about what is not there; NULL: nothing to say
};

// A picture or a kernel that was shown, and in which step.
struct tour_handout_seen {
    struct choice choice;
    int array, step;
};

// Plays all of it, and adds the steps to the page and a line for each claim to the text. False: the
// device failed, or Ctrl-C came.
bool tour_handout_make(struct tour_handout *h, struct error *err);

// ---- between tour_handout.c and tour_handout_draw.c ----

struct choice tour_handout_shown(const struct tour_handout *h);  // on the side where keys act
const char *tour_handout_letter(const struct tour_handout *h, int side);  // "": there is one side

// Does what keys have asked of the lens.
void tour_handout_step_lens(struct tour_handout *h);
// The picture, open panels and lens. False: the device failed, or Ctrl-C came.
bool tour_handout_draw(struct tour_handout *h, struct error *err);
void tour_handout_add_source(struct tour_handout *h);

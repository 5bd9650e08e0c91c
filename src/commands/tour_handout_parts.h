// tour_handout_parts.h -- what the files of the hand-out share: what the tour shows at the moment,
// and what earlier steps have shown. Nobody else includes it.
#ifndef TOUR_HANDOUT_PARTS_H
#define TOUR_HANDOUT_PARTS_H

#include "app/app.h"
#include "commands/tour_handout.h"
#include "screen/lens_model.h"

// A picture that was shown, and in which step.
struct seen_picture {
    struct choice choice;
    int array, step;
};

// A kernel that was shown.
struct seen_source {
    const struct variant *variant;
    int step;
};

struct tour_handout {
    struct tour_handout_setup setup;
    struct tour_page *page;
    struct app *app;
    struct panel_model *panels;
    struct lens_cursor cursors[APP_SIDES];
    GArray *pictures;   // struct seen_picture
    GArray *sources;    // struct seen_source
    GHashTable *parts;  // headings of parts of the source that were shown
    GString *claims;    // a line for each
    int failures;

    // These are of the present step, page->step.
    GPtrArray *said;  // struct tour_line *: captions and claims that are not written yet
    enum tour_place place;
    GArray *points;  // struct choice: the table's rows
    char *remark;    // about what is not there; NULL: nothing to say
};

// ---- tour_handout.c ----

struct choice tour_handout_shown(const struct tour_handout *h);  // on the side where keys act
const char *tour_handout_letter(const struct tour_handout *h, int side);  // "": there is one side

// ---- tour_handout_draw.c ----

// Does what keys have asked of the lens.
void tour_handout_step_lens(struct tour_handout *h);
// The picture, open panels and lens. False: the device failed, or Ctrl-C came.
bool tour_handout_draw(struct tour_handout *h, struct error *err);
void tour_handout_add_source(struct tour_handout *h);

#endif

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
    struct source_model *model;
    GArray *lines;  // struct listing_line: those that no step before has shown
    int step;
};

struct tour_handout {
    struct tour_handout_setup setup;
    struct app *app;
    struct panel_model *panels;
    struct lens_cursor cursors[APP_SIDES];
    GArray *pictures;    // struct seen_picture
    GPtrArray *sources;  // struct seen_source *
    GHashTable *parts;   // headings of parts of the source that were shown
    int failures;

    // Of the step in hand.
    int step;  // from 1
    struct tour_page_step *page;
    GPtrArray *said;  // struct tour_line *: captions and claims that are not written yet
    enum tour_place place;
    GArray *points;  // struct choice: the table's rows
};

// ---- tour_handout.c ----

int tour_handout_point_count(const struct tour_handout *h);
const struct choice *tour_handout_point(const struct tour_handout *h, int index);
int tour_handout_sides(const struct tour_handout *h);
struct choice tour_handout_shown(const struct tour_handout *h, int side);
const char *tour_handout_letter(const struct tour_handout *h, int side);  // "": there is one side

// ---- tour_handout_draw.c ----

// What keys have asked of the lens.
void tour_handout_step_lens(struct tour_handout *h);
// The picture, open panels, lens and source. False: the device failed, or Ctrl-C came.
bool tour_handout_draw(struct tour_handout *h, struct error *err);
void tour_handout_free_source(void *seen_source);

// ---- tour_handout_table.c ----

void tour_handout_add_rows(struct tour_handout *h);
void tour_handout_add_commands(struct tour_handout *h);

#endif

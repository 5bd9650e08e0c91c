// tour_handout.h -- plays a tour on the program's state, without a window, and makes its page: one
// HTML file that holds its pictures.
//
//     title · machine · date                        facts
//     ✓ ✗ …  each claim, with its step              claims
//     1  caption · claims · picture · drawings ·    steps
//        figures · source of the kernel · commands
//
// Keys act on struct app as in the window; panels, lens and figures come from the same models. Each
// step of the tour becomes a step of the page: its captions and claims with this machine's figures,
// the picture, the drawings that are open or that it points to, a table of times and counts, the
// kernel, and the commands that measure it again. What was shown before is not shown again: the
// page says in which step it was.
//
// Times come from the engine and the one record of results, as on the screen; counts from the
// memory lens, which traces the block in the middle. What was measured or counted once is kept for
// the steps that follow, so a figure is the same wherever the page shows it.
//
// Requests to the window, such as a screenshot, are ignored. It writes no file.
#pragma once

#include "app/app.h"
#include "base/rows.h"
#include "commands/headless.h"
#include "device/headers.h"
#include "draw/listing.h"
#include "frame/engine.h"
#include "screen/lens_model.h"
#include "screen/panel_model.h"
#include "tour/tour.h"
#include "tour/tour_value.h"

// Facts, claims and steps as HTML; {0} is a valid nothing.
enum { TOUR_PAGE_PARTS = 7 };
struct tour_page {
    char *title;
    GString *parts[TOUR_PAGE_PARTS];  // tour_page.c names them
    int step;                         // that is being made, from 1
};

struct tour_handout {
    // The caller fills these in, and begins with zeroes.
    const struct options *options;
    char *path;           // of the tour
    char *picture_words;  // "scene.png, 480×270 colour"
    struct tour tour;
    struct headless headless;  // with filters, picture and device
    struct headers headers;
    struct tour_page page;
    struct recording
        *recording;      // whose times take the place of measured ones; NULL: there is none
    double left_s;       // for all measuring but compilers; what it does not reach stays unknown
    char *subject;       // the words of a command that name the picture: "'a b.png'", "--size 9x9"
    char *script;        // the words that name the tour: "banks", "'mine.tour'"
    char *data;          // " --data 'course'"; empty: none
    const char *device;  // of the command line; NULL: none was named
    bool is_plain;       // only claims are wanted, no page

    // The outcome.
    GString *claims;  // a line for each
    int failures;     // how many claims that are not about time do not hold

    // What measures and counts.
    struct builder *builder;
    struct references references;
    struct results *results;
    struct engine *engine;
    struct traces *traces;

    // The tour's present view, and those of earlier steps.
    struct app *app;
    struct panel_model *panels;
    struct lens_cursor cursors[APP_SIDES];
    struct lens_pair pair;
    GArray *pictures;   // struct tour_handout_seen
    GArray *sources;    // the same
    GHashTable *parts;  // headings of parts of the source that were shown

    // These are of the present step, page.step.
    GPtrArray *said;  // struct tour_line *: captions and claims that are not written yet
    GArray *points;   // struct choice: the table's rows
    char *remark;     // about what is not there; NULL: nothing to say
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

// Measures what is wanted of the results, until it is done or refused, or no time is left. False:
// the device failed, or Ctrl-C came.
bool tour_handout_measure(struct tour_handout *h, struct error *err);
// The counts of a choice's block, traced when they are first asked for. NULL: why says why.
const struct lens_result *tour_handout_block(struct tour_handout *h, const struct choice *c,
                                             struct error *why);

// Does what keys have asked of the lens.
void tour_handout_step_lens(struct tour_handout *h);
// The picture, open panels and lens. False: the device failed, or Ctrl-C came.
bool tour_handout_draw(struct tour_handout *h, struct error *err);
void tour_handout_add_source(struct tour_handout *h);

// ---- tour_page.c ----
// The HTML needs no script and fetches nothing; it is well-formed XML and is made to be printed.
// All texts may come from strangers: rows_append_html() escapes them, and nothing else does.

void tour_page_init(struct tour_page *page, const char *title);
void tour_page_finish(struct tour_page *page);
void tour_page_add_fact(struct tour_page *page, const char *name, const char *value);

// A step begins when the one before has ended. Captions, claims and pictures may come in any order;
// then come the table, the source and the commands. words say what a picture shows; the page takes
// over the bytes, a PNG, and shows it width CSS pixels wide.
void tour_page_add_caption(struct tour_page *page, const char *text);
void tour_page_add_claim(struct tour_page *page, const char *sentence,
                         const struct claim_finding *found);
void tour_page_add_picture(struct tour_page *page, const char *words, GByteArray *bytes,
                           double width);
void tour_page_add_table(struct tour_page *page, struct rows *rows, int shown);  // ends the rows
void tour_page_add_source(struct tour_page *page, const struct listing_line *lines, int count);
void tour_page_add_source_of(struct tour_page *page, int step);  // that step has it
void tour_page_add_commands(struct tour_page *page, char *const *commands);
// remark: about what is not there; NULL: nothing to say.
void tour_page_end_step(struct tour_page *page, int step_count, const char *settings,
                        const char *remark);

// All of it; the caller frees it.
char *tour_page_html(const struct tour_page *page);

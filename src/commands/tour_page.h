// tour_page.h -- a tour as a document to be handed out: one HTML file that holds its pictures.
//
//     title · machine · date                        facts
//     ✓ ✗ …  each claim, with its step              claims
//     1  caption · claims · picture · drawings ·    steps
//        figures · source of the kernel · commands
//
// The HTML needs no script and fetches nothing; it is well-formed XML and is made to be printed.
// All texts may come from strangers: they are escaped here, and nowhere else.
//
// It does not play, measure or draw, and writes no file.
#pragma once

#include <glib.h>

#include "draw/listing.h"
#include "tour/claim.h"

// Facts, claims and steps as HTML; {0} is a valid nothing.
enum { TOUR_PAGE_PARTS = 7 };
struct tour_page {
    char *title;
    GString *parts[TOUR_PAGE_PARTS];  // tour_page.c names them
    int step;                         // that is being made, from 1
};

// A row of a step's table: what was measured and counted of a variant.
enum tour_page_column {
    TOUR_PAGE_VARIANT,
    TOUR_PAGE_TIME,
    TOUR_PAGE_SPREAD,
    TOUR_PAGE_COPY,
    TOUR_PAGE_NAIVE,
    TOUR_PAGE_SECTORS,
    TOUR_PAGE_CONFLICTS,
    TOUR_PAGE_CHECK,
    TOUR_PAGE_COLUMNS
};
struct tour_page_row {
    char cells[TOUR_PAGE_COLUMNS][64];
    bool is_shown;
};

void tour_page_init(struct tour_page *page, const char *title);
void tour_page_finish(struct tour_page *page);
void tour_page_add_fact(struct tour_page *page, const char *name, const char *value);

// A step begins when the one before has ended. Captions, claims and pictures may come in any order;
// then come the table, the source and the commands. words say what a picture shows; it takes the
// bytes of a PNG over, and wants width CSS pixels.
void tour_page_add_caption(struct tour_page *page, const char *text);
void tour_page_add_claim(struct tour_page *page, const char *sentence,
                         const struct claim_finding *found);
void tour_page_add_picture(struct tour_page *page, const char *words, GByteArray *bytes,
                           double width);
void tour_page_add_table(struct tour_page *page, const struct tour_page_row *rows, int count);
void tour_page_add_source(struct tour_page *page, const struct listing_line *lines, int count);
void tour_page_add_source_of(struct tour_page *page, int step);  // that step has it
void tour_page_add_commands(struct tour_page *page, char *const *commands);
// remark: about what is not there; NULL: nothing to say.
void tour_page_end_step(struct tour_page *page, int step_count, const char *settings,
                        const char *remark);

// All of it; the caller frees it.
char *tour_page_html(const struct tour_page *page);

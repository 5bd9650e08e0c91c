// tour_page.h -- a tour as a document to be handed out: one HTML file that holds its pictures.
//
//     title · machine · date                        facts
//     ✓ ✗ …  each claim, with its step              claims
//     1  caption · picture · drawings · figures ·   steps
//        claims · source of the kernel · commands
//
// The HTML needs no script and fetches nothing; it is well-formed XML and is made to be printed.
// All texts may come from strangers: they are escaped here, and nowhere else.
//
// It does not play, measure or draw: the owner of struct tour_page does. Pure, but for the files
// that tour_page_save writes.
#ifndef TOUR_PAGE_H
#define TOUR_PAGE_H

#include <glib.h>

#include "base/error.h"
#include "draw/listing.h"
#include "tour/claim.h"

// All pointers are owned by the page, unless they say otherwise.
struct tour_page_fact {
    char *name, *value;
};

struct tour_page_picture {
    char *words;
    GByteArray *bytes;  // of a PNG
    double width;       // that it wants, in CSS pixels
};

struct tour_page_claim {
    enum claim_verdict verdict;
    char *sentence, *figures, *why;  // figures and why may be empty
};

// What was measured and counted of a variant.
struct tour_page_row {
    char variant[64], time[32], spread[64], copy[32], naive[32], sectors[32], conflicts[32];
    char check[32];
    bool is_shown;
};

struct tour_page_step {
    char *settings;         // "Mean · shared · radius 3 · block 32×8"
    GPtrArray *captions;    // char *
    GPtrArray *pictures;    // struct tour_page_picture *
    GPtrArray *claims;      // struct tour_page_claim *
    GArray *rows;           // struct tour_page_row
    GPtrArray *commands;    // char *
    struct listing source;  // its lines are borrowed; count 0: none
    int source_step;        // that has this step's source, from 1; 0: none has it
    char *remark;           // about what is not there; NULL: nothing to say
};

struct tour_page {
    char *title;
    GPtrArray *facts;  // struct tour_page_fact *
    GPtrArray *steps;  // struct tour_page_step *
};

void tour_page_init(struct tour_page *page, const char *title);
void tour_page_finish(struct tour_page *page);

void tour_page_add_fact(struct tour_page *page, const char *name, const char *value);
struct tour_page_step *tour_page_add_step(struct tour_page *page);

// Takes the bytes over.
void tour_page_add_picture(struct tour_page_step *step, const char *words, GByteArray *bytes,
                           double width);

// Whether a path ends in .html or .htm.
bool tour_page_check_path(const char *path, struct error *err);
bool tour_page_save(const struct tour_page *page, const char *path, struct error *err);

// The same as text; the caller frees it.
char *tour_page_html(const struct tour_page *page);

#endif

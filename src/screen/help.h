// help.h -- the help screen: keys as keycaps with what they do, in titled sections.
//
//     ┌──────────────────────────────────────────────┐
//     │ Kernel                     Picture           │
//     │ ─────────────────────      ───────────────── │
//     │ [1] … [9]   variant        [n] [N]  next     │
//     │ [PgUp]      radius by 8    [space]  freeze   │
//     └──────────────────────────────────────────────┘
//
// It has one to three columns, whichever allows the largest font, and keeps sections whole where it
// can. At text scale 1 all of it is one page; larger text makes pages of whole sections. Spaces
// separate keys; "…" and "–" stand between keycaps.
#ifndef HELP_H
#define HELP_H

#include "draw/paint.h"
#include "screen/overlay.h"

enum { HELP_COLUMNS = 3, HELP_ROWS = 192 };

// A page's rows in columns, with lengths in ems: column c holds rows [first[c], first[c + 1]).
struct help_plan {
    int columns, first[HELP_COLUMNS + 1];
    double keys[HELP_COLUMNS], text[HELP_COLUMNS], height;
    double size;  // pixels an em
};

// {0} is a valid beginning; there is nothing to free.
struct help {
    const struct overlay_help *rows;
    int count;
    struct {
        double keys, text;  // widths in ems, so that one measurement serves all sizes
    } sizes[HELP_ROWS];
    struct help_plan plan;  // of the page that is shown
    int page, pages;
    uint64_t hash;  // of all that it was placed with
};

// Lays the rows out over the whole window; a page beyond the last is the last. They must live until
// they are drawn last.
void help_place(struct help *help, const struct paint *paint, const struct overlay_help *rows,
                int count, int page);

void help_draw(const struct help *help, const struct paint *paint);

#endif

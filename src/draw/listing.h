// listing.h -- the lines of a kernel with their numbers, as a column that scrolls.
//
//     mean.cu · shared                          + 14  − 9 against texture
//     ──────────────────────────────────────────────────────────────────
//      41   // The block first copies its pixels …                      ▐
//      44   __global__ void mean_shared(plane out, plane in, int radius)▐
//      45 + const int tile_width = blockDim.x + 2 * p.radius,
//             tile_height = blockDim.y + 2 * p.radius;
//         − sum += fetch(in, x + dx, y + dy);
//
// A line that is too long goes on in the next row, indented. A new line has a plus and a removed
// one a minus, and each a tint. A bar at the right edge says which part of the lines is shown.
//
// Figures of lines stand in a column of their own.
//
// It does not find lines and does not compare them: the owner of struct listing does.
#pragma once

#include <stdint.h>

#include "draw/paint.h"

enum listing_mark {
    LISTING_PLAIN,
    LISTING_ADDED,
    LISTING_REMOVED,
    LISTING_HEADING  // words between two parts, in place of a line
};

struct listing_line {
    const char *text;            // UTF-8 without tabs
    const unsigned char *kinds;  // enum code_kind of each byte; NULL: plain
    const char *file;            // without folders
    int number;                  // 0: none
    // Of an instruction of machine code: the source lines that it comes from, borrowed; else NULL.
    const struct trace_chain *chain;
    enum listing_mark mark;
    char figures[40];  // at the right edge; empty: none
    bool is_worst;     // its figures are marked
    bool is_now;       // an arrow says so
    bool is_at_fault;  // it is tinted, with a triangle
    bool is_marked;    // it is tinted
};

struct listing {
    char title[128], about[128];
    bool is_active;  // keys scroll it: its title is underlined
    const struct listing_line *lines;
    int count;
    int figure_columns;  // 0: no line has figures
    bool is_stale;       // the figures belong to another choice or block
    int first;           // the line that should be at the top
    uint64_t hash;       // of title, about and all lines
};

// The part of a line that fits into one row.
struct listing_row {
    int line, start, length;  // bytes of the line's text
    int indent;               // columns
};

// The place to which a listing is scrolled, in lines; first is at most last.
struct listing_scroll {
    int first, last, page;
};

// The place of a drawn listing. {0} is a valid beginning.
struct listing_view {
    const struct listing *listing;
    struct paint_box box;
    double em, column;  // pixels: the size of its text, and the width of a letter
    int number_columns, columns;
    struct listing_row *rows;  // owned
    int row_count, first_row, shown_rows;
    uint64_t hash;  // of the listing that the rows are of
    int hash_columns;
};

// The size of text at which that many columns and the line numbers fill a box of that width, if the
// letters are as wide as those of a fixed font usually are.
double listing_size(double width, int columns);

// Lays the listing out in the box; it must live until it is drawn last.
void listing_place(struct listing_view *v, const struct paint *paint, const struct listing *listing,
                   struct paint_box box, double em);
void listing_draw(const struct listing_view *v, const struct paint *paint);
void listing_finish(struct listing_view *v);

struct listing_scroll listing_scrolled(const struct listing_view *v);

// The line at a point of the window, or -1.
int listing_line_at(const struct listing_view *v, double x, double y);
// Finds the box of a line's rows. False: they are not drawn.
bool listing_line_box(const struct listing_view *v, int line, struct paint_box *box);

// menu_view.h -- draws the text that the user types over the picture, and the rows that it finds,
// one of them marked.
//
//     ┌──────────────────────────────────────────────────┐
//     │ Find: trans_                              1 of 3 │
//     │ ──────────────────────────────────────────────── │
//     │ ▶ Transpose          lab                       T │
//     │   Transpose: naive   variant · one thread an …   │
//     │ ↑ ↓: choose · Return: go · Esc: close            │
//     └──────────────────────────────────────────────────┘
//
// Its top and width stay while rows come and go. A row that is too long is cut.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "draw/paint.h"

struct menu_row {
    const char *name, *group, *key;
    bool is_present;  // in bold
    bool is_grey;     // cannot be chosen
};

struct menu_view {
    const char *title, *foot;
    const char *why;              // what was refused; it stands in place of rows, if there are none
    const struct menu_row *rows;  // NULL: only a value is typed
    int count;
    int row;  // the marked one
};

// The place of a menu. The shown rows stay the same as long as the marked one is among them:
// menu_view_place() begins with the first row of its last call.
struct menu_place {
    struct paint_box box;
    double em;
    double top;          // of the first row, in pixels
    int first, shown;    // rows
    double names, keys;  // widths of the columns
    double name_em;      // the size of all names
    char counted[32];    // "3 of 21", right of the title; empty: there are no rows
};

uint64_t menu_view_hash(const struct menu_view *m);  // NULL: 0
void menu_view_place(struct menu_place *place, const struct paint *paint, const struct menu_view *m,
                     struct paint_box area);
void menu_view_draw(const struct menu_place *place, const struct paint *paint,
                    const struct menu_view *m);
// The row at a point; -1: none.
int menu_view_row_at(const struct menu_place *place, double x, double y);

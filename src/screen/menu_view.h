// menu_view.h -- a list over the picture, of which one row is marked.
//
//     ┌───────────────────────────────────┐
//     │ What a tile is for         2 of 3 │
//     │ ───────────────────────────────── │
//     │    1  naive: one thread a pixel   │
//     │ ▶  2  texture: the same loads     │
//     │    3  shared: a tile              │
//     │ ↑ ↓  Return  Esc                  │
//     └───────────────────────────────────┘
//
// The rows that fit are those around the marked one. A row that is too long is cut.
#ifndef MENU_VIEW_H
#define MENU_VIEW_H

#include <stdint.h>

#include "draw/paint.h"

struct menu_view {
    const char *title, *foot;
    const char *why;  // in place of rows, of which there are none: what was refused
    const char *const *rows;
    int count;
    int row;  // the marked one
    int now;  // in bold; -1: none
};

// The place of a menu.
struct menu_place {
    struct paint_box box;
    double em;
    int first, shown;  // rows
    double numbers;    // the width of their numbers, in pixels
    double counted;    // and of "3 of 21" right of the title; 0: there are no rows
};

uint64_t menu_view_hash(const struct menu_view *m);  // NULL: 0
void menu_view_place(struct menu_place *place, const struct paint *paint, const struct menu_view *m,
                     struct paint_box area);
void menu_view_draw(const struct menu_place *place, const struct paint *paint,
                    const struct menu_view *m);

#endif

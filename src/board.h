// board.h -- the panels over the picture: bars, sweep, heat map, and facts of the block grid.
//
// Lays them out, draws each on its own, and finds what is under a point. A panel's text is set in
// lines; "label<tab>value" makes two columns, a line without a tab is a heading.
//
// Does not decide when a panel is drawn: overlay.c does.
#ifndef BOARD_H
#define BOARD_H

#include "overlay.h"
#include "paint.h"

struct board;

struct board *board_create(PangoContext *context);
void board_destroy(struct board *board);  // accepts NULL

// Lays the open panels out between the bands; what content borrows must live until the last draw.
void board_place(struct board *board, const struct paint *paint,
                 const struct overlay_board *content, struct paint_box area);
// Where a panel lies; without a width: nowhere.
struct paint_box board_box(const struct board *board, enum overlay_panel panel);

void board_draw(struct board *board, const struct paint *paint, enum overlay_panel panel);

// Of what was drawn last. False: no panel is there.
bool board_find(const struct board *board, double x, double y, struct overlay_hit *hit);

#endif

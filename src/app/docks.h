// docks.h -- actions of keys and the wheel on the docks, which show text beside the picture.
//
// Actions as in app.h: they change the state and nothing else.
#ifndef DOCKS_H
#define DOCKS_H

#include "app/app.h"

void docks_turn_source(struct app *a);        // opens it, marks its changes, closes it
void docks_scroll(struct app *a, int pages);  // of the side that keys act on
void docks_scroll_lines(struct app *a, int side, int lines);
// Steps of the lens's cursor.
void docks_step_instruction(struct app *a, int steps);
void docks_step_instance(struct app *a, int steps);
void docks_step_warp(struct app *a, int steps);
void docks_toggle_whole(struct app *a);  // the lens traces a whole launch, or only the block again
bool docks_stop_whole(struct app *a);    // false: none runs
bool docks_close(struct app *a);         // false: none was open

#endif

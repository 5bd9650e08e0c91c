// menu.h -- a list over the picture from which keys choose: the tours, the steps of a tour, or the
// filters and labs.
//
// While it is open, it takes the arrows, PgUp and PgDn, digits, Return and Esc; all other keys mean
// what they always do. Digits type a row's number. It changes the state and nothing else: the
// viewer fills in the rows and does what is chosen.
#ifndef MENU_H
#define MENU_H

#include "app/app.h"
#include "app/input.h"

void menu_toggle_tours(struct app *a);
void menu_toggle_filters(struct app *a);
void menu_toggle_steps(struct app *a);  // notes when no tour is open

// True: the key was for the open menu. It asks for INPUT_CHOOSE where a row was chosen, which is
// menu_row; the menu is still open then.
bool menu_press(struct app *a, const char *key, enum input_request *asked);

#endif

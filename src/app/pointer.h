// pointer.h -- what the mouse does to the picture: dragging pans, the wheel zooms, the divider
// follows.
//
// While two pictures are compared, the divider follows the cursor. A click pins it, and another one
// releases it. This module knows no window and no panels: the caller keeps events that a panel
// takes.
#pragma once

#include <stdbool.h>

#include "app/app.h"
#include "screen/viewport.h"

struct pointer {
    int x, y;        // the cursor, in window pixels
    bool is_inside;  // the window; false: x and y are its last place
    bool is_down, is_dragging;
    int down_x, down_y;
    bool is_pinned;  // the divider stays
    bool is_away;    // the caller says so: over something that is not the picture
};

// x negative: the cursor has left the window. True: something that is drawn has changed.
bool pointer_move(struct pointer *p, struct app *a, struct viewport_sizes sizes, int x, int y);

// The left button is pressed over the picture, or released.
void pointer_press(struct pointer *p);
void pointer_release(struct pointer *p, const struct app *a);

// Zooms in (positive) or out by steps, about the cursor or, without one, the window's centre.
void pointer_zoom(const struct pointer *p, struct app *a, struct viewport_sizes sizes, int steps);

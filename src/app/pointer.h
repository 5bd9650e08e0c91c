// pointer.h -- what the mouse does to the view: drag pans, the wheel zooms, the divider follows.
//
// While two pictures are compared the divider goes with the cursor; a click lets it stay where it
// is, and another one takes it up again. Knows no window and no panels: whoever hands in events
// keeps those for a panel to itself.
#ifndef POINTER_H
#define POINTER_H

#include <stdbool.h>

#include "app/app.h"
#include "screen/viewport.h"

struct pointer {
    int x, y;        // the cursor, in window pixels
    bool is_inside;  // of the window; false: x and y are where it was last
    bool is_down, is_dragging;
    int down_x, down_y;
    bool is_pinned;  // the divider stays
};

// x negative: the cursor has left. True: something that is drawn changed.
bool pointer_move(struct pointer *p, struct app *a, struct viewport_sizes sizes, int x, int y);

// The left button over the picture.
void pointer_press(struct pointer *p);
void pointer_release(struct pointer *p, const struct app *a);

// The wheel, or a key: steps in (positive) or out about the cursor, or the window's centre while
// there is none.
void pointer_zoom(const struct pointer *p, struct app *a, struct viewport_sizes sizes, int steps);

#endif

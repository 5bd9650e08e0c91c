// lens_parts.h -- shared by lens_view.c, which writes the words of a lens, lens_request.c, which
// draws the request below them, and their test.
#pragma once

#include "draw/lens_view.h"

// In ems of the text.
#define LENS_NUMBER_HEIGHT 1.1
#define LENS_ROW_HEIGHT    1.55

// A view that is being drawn; top is where the next row begins.
struct lens_canvas {
    const struct lens_view *view;
    const struct paint *paint;
    struct lens_place *place;
    double em, left, right, top, bottom;
    double pitch;  // pixels from one cell of the row in hand to the next
};

struct paint_color lens_request_text_color(const struct lens_canvas *c);

// Wavefronts in rows of step pixels each. A full lens has all of them, at most LENS_FULL_ROW ems
// high; a dock has as many as there is room for, less one for the words about the others.
#define LENS_FULL_ROW 2.6
struct lens_rows {
    double step;
    int shown;
};
struct lens_rows lens_request_rows(int count, double room, double em, bool is_full);

// The height that a request needs below the words, in pixels: for its least part in a dock, for all
// of it in a full lens.
double lens_request_room(const struct lens_canvas *c);
void lens_request_draw(struct lens_canvas *c);

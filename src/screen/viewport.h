// viewport.h -- which part of the picture the window shows: fit, zoom, pan. Pure arithmetic.
//
// Window and picture have their origin at the top left. Points are continuous: the middle of the
// window's first pixel is (0.5, 0.5). Zoom 1 fits the whole picture into the area that no band of
// text covers. The picture cannot be dragged out of that area, and a side that is shorter than the
// area's is centred in it. A larger picture shows under the bands, too. Every function applies
// these limits, also to a viewport from another window or picture.
#pragma once

#include <stdbool.h>

#include "draw/paint.h"

struct viewport {
    double zoom;  // times the fitted size, 1 ...; 0 counts as 1, so that {0} fits
    double x, y;  // the area's centre, from that of the picture, in parts of the picture's sides
};

enum { VIEWPORT_LARGEST_PIXEL = 192 };  // window pixels that a picture's pixel can be zoomed to

struct viewport_sizes {
    int window_width, window_height;
    int picture_width, picture_height;
    int top, bottom, left, right;  // how much of the window text covers at each edge
};

// The picture's place in window pixels; it may reach beyond the window. It starts on a whole
// pixel, so that a picture at its own size is shown exactly, and its sides are at least 1 long.
struct paint_box viewport_place(struct viewport viewport, struct viewport_sizes sizes);

// Finds the picture's pixel under a point of the window. Outside of the picture it returns false
// and leaves px and py alone.
bool viewport_pixel_at(struct viewport viewport, struct viewport_sizes sizes, double x, double y,
                       int *px, int *py);

// Zooms by a factor so that what lies under that point of the window stays there.
struct viewport viewport_zoom(struct viewport viewport, struct viewport_sizes sizes, double factor,
                              double x, double y);
// Moves the picture by window pixels.
struct viewport viewport_pan(struct viewport viewport, struct viewport_sizes sizes, double dx,
                             double dy);

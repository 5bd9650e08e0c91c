// viewport.h -- which part of the picture the window shows: fit, zoom, pan. Pure arithmetic.
//
// Window pixels have their origin at the top left, and so has the picture; points are continuous:
// the middle of the window's first pixel is (0.5, 0.5). Zoom 1 fits the whole picture into the
// window; the picture is never dragged out of it, and a side smaller than the window stays in its
// middle. A viewport kept from another window or picture is brought within these limits wherever it
// is used.
#ifndef VIEWPORT_H
#define VIEWPORT_H

#include <stdbool.h>

struct viewport {
    double zoom;  // times the fitted size, 1 ...; 0 counts as 1, so that {0} fits
    double x, y;  // the window's centre, from that of the picture, in parts of the picture's sides
};

enum { VIEWPORT_LARGEST_PIXEL = 192 };  // window pixels that a picture's pixel can be zoomed to

struct viewport_sizes {
    int window_width, window_height;
    int picture_width, picture_height;
};

// Where the picture lies, in window pixels; it may reach beyond the window. Starts on a whole
// pixel, so that a picture at its own size is shown exactly; sides are at least 1, so that none
// vanishes.
struct viewport_box {
    double left, top, width, height;
};
struct viewport_box viewport_place(struct viewport viewport, struct viewport_sizes sizes);

// Window pixels that one pixel of the picture takes.
double viewport_pixel_size(struct viewport viewport, struct viewport_sizes sizes);

// The picture's pixel under a point of the window; false, px and py untouched, outside of the
// picture.
bool viewport_pixel_at(struct viewport viewport, struct viewport_sizes sizes, double x, double y,
                       int *px, int *py);

// Zooms by a factor so that what lies under that point of the window stays there.
struct viewport viewport_zoom(struct viewport viewport, struct viewport_sizes sizes, double factor,
                              double x, double y);
// Moves the picture by window pixels.
struct viewport viewport_pan(struct viewport viewport, struct viewport_sizes sizes, double dx,
                             double dy);

#endif

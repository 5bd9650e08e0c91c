// canvas.h -- a picture in memory with a struct paint, for tests of what is drawn.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "draw/paint.h"

struct canvas {
    cairo_surface_t *surface;
    PangoContext *context;
    struct paint paint;
};

struct canvas canvas_open(int width, int height, double base, bool is_light);
void canvas_close(struct canvas *c);

void canvas_clear(struct canvas *c);

// A row of what has been drawn, as 0xaarrggbb.
const uint32_t *canvas_row(const struct canvas *c, int y);
uint32_t canvas_pixel(struct paint_color color);  // as it is in a row, if it is opaque
// The pixels of a colour between two rows.
int canvas_count(const struct canvas *c, uint32_t pixel, int top, int bottom);
// How many pixels differ between two canvases of one size, from a row on.
long canvas_difference(const struct canvas *a, const struct canvas *b, int top);

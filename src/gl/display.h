// display.h -- draws pictures from pixel-buffer objects, and the overlay over them.
//
// There are one or two layers, A and B, of one shape: one picture made in two ways. Each has a
// buffer and a texture of the picture's size, whatever the window's size. interop.c fills a buffer;
// display_show then copies it into the texture. The shader draws everything that a scene asks for
// (zoom, split, difference, block grid, pixel values) from these textures, so that nothing can be
// older than the picture. It draws a layer that was not shown yet hatched, never black.
//
// It does not know kernels or keys. Every call needs a current GL 3.3 core context. Calls change
// these states: viewport, clear colour, blend function, PACK/UNPACK alignment and row length, the
// active texture unit (the first), and the bindings they use.
#pragma once

#include <stdbool.h>

#include "base/color_map.h"
#include "base/error.h"
#include "base/image.h"
#include "base/planes.h"
#include "screen/overlay.h"
#include "screen/viewport.h"

enum { DISPLAY_LAYERS = 2 };

struct display;

struct display *display_create(const char *shader_folder, struct error *err);
void display_destroy(struct display *d);  // accepts NULL

// Loads the shaders again. On failure the old ones stay and err holds the compiler's log with the
// source lines.
bool display_reload(struct display *d, const char *shader_folder, struct error *err);

// Makes buffers and textures for `layers` (1 or 2) pictures of that shape and deletes the old ones,
// which must not be registered with anything. Fails where GL cannot hold them; then the old ones
// stay.
bool display_set_shape(struct display *d, struct planes shape, int layers, struct error *err);
// Adds or removes layer B, whose buffer must not be registered with anything; A stays as it is.
bool display_set_layers(struct display *d, int layers, struct error *err);

// Replaces a buffer that was lost with its CUDA context by a new one; the picture stays.
bool display_renew_buffer(struct display *d, int layer, struct error *err);

struct planes display_shape(const struct display *d);  // without memory; all zero before set_shape
unsigned int display_buffer(const struct display *d, int layer);  // GL's name; planes_bytes() long

// Makes the buffer's content the layer's picture.
void display_show(struct display *d, int layer);
bool display_has_picture(const struct display *d, int layer);
void display_hide(struct display *d, int layer);  // it has none until the next display_show()

enum display_mode { DISPLAY_ONE, DISPLAY_SPLIT, DISPLAY_DIFFERENCE };

// The picture under the overlay. {.place = viewport_place(...)} shows layer A alone. Without a
// second layer every mode is ONE with layer A.
struct display_scene {
    struct paint_box place;  // of the picture, in window pixels; {0}: no picture
    enum display_mode mode;
    int layer;       // ONE: which. SPLIT: the one to the left of the divider
    double divider;  // SPLIT: window pixels
    // The rows of the window in which the divider is seen, also outside the picture. 0, 0: all.
    double divider_top, divider_bottom;
    enum color_map maps[DISPLAY_LAYERS];  // of the values of a grey picture; a difference is grey
    // DIFFERENCE shows min(255, gain * |A - B|), grey or colour as the picture. Where several
    // pixels share one of the window it shows the largest (of at most 16x16), so that none is lost.
    // 0 counts as 1.
    double gain;
    bool has_values;  // print values into pixels of DISPLAY_VALUE_PIXEL; DIFFERENCE: without gain
    struct display_grid {
        int width, height;  // of a block's pixels; 0: no grid
        int column, row;    // of the block under the cursor, from 0; {-1, -1}: none
        int halo;           // pixels around it that its tile has; 0: no tile
    } grid;
};

// The window pixels that a picture's pixel must cover for its value to be printed in it.
enum { DISPLAY_VALUE_PIXEL_GREY = 40, DISPLAY_VALUE_PIXEL_COLOUR = 56 };

// Draws the scene and the overlay for a window of that size. Copies the overlay's damage if
// has_new_overlay; {0} draws no overlay.
void display_draw(struct display *d, const struct display_scene *scene,
                  struct overlay_pixels overlay, bool has_new_overlay, int width, int height);

// Shows counts in place of a layer's picture until it has another shape, but not in a difference.
// counts: 0 to 255 for each pixel, row after row, in the colours of COLOR_MAP_RAMP. Where several
// pixels share one of the window it shows the largest (of at most 16x16). NULL: the picture again.
void display_set_counts(struct display *d, int layer, const unsigned char *counts);
bool display_has_counts(const struct display *d, int layer);  // false also without such a layer

// Reads back what was drawn and not yet swapped, as a colour picture of that size.
bool display_capture(struct display *d, struct image *image, int width, int height,
                     struct error *err);

// Reads one pixel of a layer's texture, a byte a plane.
void display_read_pixel(struct display *d, int layer, int x, int y, unsigned char *values);

// Reads a layer's texture back into host memory of the buffer's shape.
void display_read(struct display *d, int layer, struct planes host);

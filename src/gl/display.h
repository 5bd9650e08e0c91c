// display.h -- pixel-buffer objects → textures → one quad, then the overlay's texture over it.
//
// There are up to two layers, A and B, of one shape: one picture made in two ways. Each has a
// buffer of the size of the picture, never of the window; a resize only moves what is drawn.
// Whoever fills a buffer (interop.c) does so between display_show calls. What a scene asks for
// (zoom, split, difference, block grid, the values of pixels) is drawn by the shader from the same
// textures, so none of it can be older than the picture. A layer that was not shown yet is drawn
// hatched, never as black.
//
// Does not know kernels or keys. Needs a current GL 3.3 core context in every call. Touches these
// states and leaves them set: viewport, clear colour, blend function, PACK/UNPACK alignment and row
// length, the active texture unit (the first), and the bindings it uses.
#ifndef DISPLAY_H
#define DISPLAY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "base/planes.h"
#include "screen/overlay.h"
#include "screen/viewport.h"

enum { DISPLAY_LAYERS = 2 };

struct display;

struct display *display_create(const char *shader_folder, struct error *err);
void display_destroy(struct display *d);  // accepts NULL

// The shaders from the folder again; on failure the old ones go on and err holds the compiler's log
// with the source lines.
bool display_reload(struct display *d, const char *shader_folder, struct error *err);

// Buffers and textures for `layers` (1 or 2) pictures of that shape; what was shown is gone. The
// old buffers are deleted, so nothing may have them registered. Fails, untouched, beyond what GL
// can hold.
bool display_set_shape(struct display *d, struct planes shape, int layers, struct error *err);
// Adds or takes away layer B, whose buffer nothing may have registered then; A stays as it is.
bool display_set_layers(struct display *d, int layers, struct error *err);

// A fresh buffer of the same size in place of one that was lost with its CUDA context; the picture
// stays.
bool display_renew_buffer(struct display *d, int layer, struct error *err);

struct planes display_shape(const struct display *d);  // without memory; all zero before set_shape
unsigned int display_buffer(const struct display *d, int layer);  // GL's name; planes_bytes() long

// Makes the buffer's content the layer's picture.
void display_show(struct display *d, int layer);

enum display_mode { DISPLAY_ONE, DISPLAY_SPLIT, DISPLAY_DIFFERENCE };

// What is drawn under the overlay. {.place = viewport_place(...)}: layer A alone. Without a second
// layer every mode is ONE with layer A.
struct display_scene {
    struct viewport_box place;  // of the picture, in window pixels; {0}: no picture
    enum display_mode mode;
    int layer;       // ONE: which. SPLIT: the one to the left of the divider
    double divider;  // SPLIT: window pixels
    double gain;  // DIFFERENCE: shown is min(255, gain * |A - B|), grey or colour as the picture.
                  // Where several pixels share one of the window: the largest, so that none is
                  // lost (of 16x16 of them at most). 0 counts as 1
    bool has_values;  // print the pixels' values where DISPLAY_VALUE_PIXEL allows; DIFFERENCE: |A -
                      // B| without gain
    struct display_grid {
        int width, height;  // of a block's pixels; 0: no grid
        int column, row;    // the block under the cursor, counted from 0; {-1, -1}: none
        int halo;           // pixels around it that its tile has; 0: no tile
    } grid;
};

// Window pixels that a picture's pixel must take for its value to be printed in it.
enum { DISPLAY_VALUE_PIXEL_GREY = 40, DISPLAY_VALUE_PIXEL_COLOUR = 56 };

// Draws the scene and the overlay for a window of that size. An overlay without pixels is not
// drawn; of a new one only what is dirty is taken, unless its size is new.
void display_draw(struct display *d, const struct display_scene *scene,
                  struct overlay_pixels overlay, bool has_new_overlay, int width, int height);

// The window as last drawn and not yet swapped, as a colour picture of that size.
bool display_capture(struct display *d, struct image *image, int width, int height,
                     struct error *err);

// A layer's planes, read back from the texture into host memory of the buffer's shape.
void display_read(struct display *d, int layer, struct planes host);

#endif

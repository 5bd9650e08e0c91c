// display.h -- pixel-buffer object → texture → quad, then the overlay's texture over it.
//
// The buffer has the size of the picture, never of the window; a resize only moves the quad.
// Whoever fills the buffer (interop.c) does so between display_show calls. Does not know kernels or
// keys. Needs a current GL 3.3 core context in every call. Touches these states and leaves them
// set: viewport, clear colour, blend function, PACK/UNPACK alignment and row length, and the
// bindings it uses.
#ifndef DISPLAY_H
#define DISPLAY_H

#include <stdbool.h>

#include "error.h"
#include "image.h"
#include "overlay.h"
#include "view.h"

struct display;

struct display *display_create(const char *shader_folder, struct error *err);
void display_destroy(struct display *d);  // accepts NULL

// A buffer and textures for pictures of that shape; what was shown is gone. The old buffer is
// deleted, so nothing may have it registered. Fails, untouched, beyond what GL can hold.
bool display_set_shape(struct display *d, struct view shape, struct error *err);

// A fresh buffer of the same size in place of one that was lost with its CUDA context; the picture
// stays.
bool display_renew_buffer(struct display *d, struct error *err);

unsigned int display_buffer(const struct display *d);  // the PBO's GL name; view_bytes() long

// Makes the buffer's content the picture that is shown.
void display_show(struct display *d);

// Draws picture (fitted, on black) and overlay for a window of that size.
void display_draw(struct display *d, struct overlay_pixels overlay, bool has_new_overlay, int width,
                  int height);

// The window as last drawn and not yet swapped, as a colour picture of that size.
bool display_capture(struct display *d, struct image *image, int width, int height,
                     struct error *err);

// The shown picture's planes, read back from the texture into host memory of the buffer's shape.
void display_read(struct display *d, struct view host);

#endif

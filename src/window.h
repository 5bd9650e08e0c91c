// window.h -- the window: open, keys, size, swap. The only user of freeglut.
//
// A machine without a display, without GLX or without GL 3.3 is an error with its reason, found
// before freeglut could end the process. Does not know what is drawn. Only one window at a time,
// one thread.
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>

#include "error.h"

struct window;

enum window_vsync { WINDOW_VSYNC_UNKNOWN, WINDOW_VSYNC_OFF, WINDOW_VSYNC_ON };

// Called from window_poll only. key is a name as in input.h. The GL context is current in closing:
// the last moment to release what lives in it; it is called exactly once, whoever closes the
// window.
struct window_handler {
    void *user;
    void (*key)(void *user, const char *key);
    void (*exposed)(void *user);  // the content was lost, or the size changed
    void (*closing)(void *user);
};

// Opens a window with a current core-profile GL 3.3 context and GLEW ready. On failure *has_display
// says whether there is anything to open windows on, and err what is missing.
struct window *window_open(const char *title, int width, int height,
                           const struct window_handler *handler, bool *has_display,
                           struct error *err);
void window_close(struct window *w);  // calls closing if nobody did; accepts NULL

void window_poll(struct window *w);  // handles what the user did
bool window_is_open(const struct window *w);
void window_size(const struct window *w, int *width, int *height);  // at least 1
bool window_is_visible(const struct window *w);                     // not minimised
void window_swap(struct window *w);

// Asks for vsync and tells what holds; drivers may refuse.
enum window_vsync window_set_vsync(struct window *w, bool is_on);

void window_set_title(struct window *w, const char *title);

// "vendor, renderer, version" of the context.
const char *window_renderer(const struct window *w);

#endif

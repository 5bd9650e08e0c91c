// window.h -- the window: open, keys, pointer, size, swap. The only user of freeglut.
//
// A machine without a display, without GLX or without GL 3.3 is an error with its reason, found
// before freeglut could end the process. Does not know what is drawn. Only one window at a time,
// one thread.
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>

#include "base/error.h"

struct window;

enum window_vsync { WINDOW_VSYNC_UNKNOWN, WINDOW_VSYNC_OFF, WINDOW_VSYNC_ON };

enum window_button { WINDOW_LEFT = 1, WINDOW_MIDDLE, WINDOW_RIGHT };
enum window_cursor { WINDOW_ARROW, WINDOW_RESIZE_ACROSS, WINDOW_HAND, WINDOW_CROSSHAIR };

// Called from window_poll only; those after closing may be NULL. The GL context is current in
// closing: the last moment to release what lives in it; it is called exactly once, whoever closes
// the window.
//
// A key is a name as in input.h: a printed ASCII character, "space", "Esc", "Return", "Tab",
// "Backspace", "Delete", "Left", "Right", "Up", "Down", "PgUp", "PgDn", "Home", "End", "F1", "F11".
// Shift and Ctrl leave the named ones as they are (Shift+Tab excepted: freeglut swallows it). Of
// what else there is, nothing is heard.
//
// Points are the window's pixels, the first is (0, 0). While a button is down they go on outside of
// the window.
struct window_handler {
    void *user;
    void (*key)(void *user, const char *key);  // again and again while it is held
    void (*exposed)(void *user);               // the content was lost, or the size changed
    void (*closing)(void *user);
    // Once, when the key is let go, by the name it was pressed with.
    void (*released)(void *user, const char *key);
    void (*moved)(void *user, int x, int y);  // (-1, -1): left the window
    void (*button)(void *user, enum window_button button, bool is_down, int x, int y);
    void (*wheel)(void *user, int steps, int x, int y);  // 1: away from the user, -1: towards
};

// Opens a window with a current core-profile GL 3.3 context and GLEW ready. On failure *has_display
// says whether there is anything to open windows on, and err what is missing.
struct window *window_open(const char *title, int width, int height,
                           const struct window_handler *handler, bool *has_display,
                           struct error *err);
void window_close(struct window *w);  // calls closing if nobody did; accepts NULL

void window_poll(struct window *w);                                 // handles what the user did
void window_size(const struct window *w, int *width, int *height);  // at least 1
bool window_is_visible(const struct window *w);                     // not minimised
void window_swap(struct window *w);

// Asks for vsync and tells what holds; drivers may refuse.
enum window_vsync window_set_vsync(struct window *w, bool is_on);

// The whole screen, or back to the size it had. Takes effect in one of the next polls, like any
// change of the size; works without a window manager, too.
void window_set_fullscreen(struct window *w, bool is_on);
void window_set_cursor(struct window *w, enum window_cursor cursor);

// "vendor, renderer, version" of the context.
const char *window_renderer(const struct window *w);

#endif

// window.h -- opens the window and reports keys, pointer and size. The only user of freeglut.
//
// A machine without a display, GLX or GL 3.3 gives an error with its reason instead of ending the
// process as freeglut would. It does not know what is drawn. One window at a time, one thread.
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct window;

enum window_vsync { WINDOW_VSYNC_UNKNOWN, WINDOW_VSYNC_OFF, WINDOW_VSYNC_ON };

enum window_button { WINDOW_LEFT = 1, WINDOW_MIDDLE, WINDOW_RIGHT };
enum window_cursor { WINDOW_ARROW, WINDOW_RESIZE_ACROSS, WINDOW_HAND };

// window_poll calls these; those after closing may be NULL. closing is called exactly once, whoever
// closes the window, with the GL context current: release there what lives in it.
//
// A key is a name as in input.h: a printed ASCII character, "space", "Esc", "Return", "Tab",
// "Backspace", "Delete", "Left", "Right", "Up", "Down", "PgUp", "PgDn", "Home", "End", "F1", "F11",
// "Ctrl+C", "Ctrl+0". Shift and Ctrl do not change a named key, but freeglut swallows Shift+Tab.
// Other keys are not reported.
//
// Points are pixels of the window; the first is (0, 0). While a button is down, points outside of
// the window are reported, too.
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

// Opens a window with a current core-profile GL 3.3 context and GLEW ready. On failure err says
// what is missing, and *has_display whether windows can be opened at all.
struct window *window_open(const char *title, int width, int height,
                           const struct window_handler *handler, bool *has_display,
                           struct error *err);
void window_close(struct window *w);  // calls closing if nobody did; accepts NULL

void window_poll(struct window *w);                                 // handles what the user did
void window_size(const struct window *w, int *width, int *height);  // at least 1
bool window_is_visible(const struct window *w);                     // not minimised
void window_swap(struct window *w);

// Asks for vsync and returns what the driver does.
enum window_vsync window_set_vsync(struct window *w, bool is_on);
const char *window_vsync_name(enum window_vsync vsync);  // "on", "off", "unknown"

// Fills the screen, or goes back to the old size, in one of the next polls. Works without a window
// manager, too.
void window_set_fullscreen(struct window *w, bool is_on);
void window_set_title(struct window *w, const char *title);  // UTF-8
void window_set_cursor(struct window *w, enum window_cursor cursor);

unsigned long window_number(const struct window *w);  // X's name of it

// "vendor, renderer, version" of the context.
const char *window_renderer(const struct window *w);

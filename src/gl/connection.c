#include "gl/connection.h"

#include <X11/Xatom.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/terminal.h"

// Xlib's own handler would end the process.
static int on_error(Display *display, XErrorEvent *event)
{
    (void)display, (void)event;
    return 0;
}

// Xlib cannot go on without its server. It would end the process after this, whose libraries would
// then find their connections lost, too, and each say so.
static int on_gone(Display *display)
{
    terminal_print(stderr, "tilescope: the X server of display '%s' is gone\n",
                   DisplayString(display));
    _exit(EXIT_FAILURE);
}

void connection_survive_errors(void)
{
    XSetErrorHandler(on_error);
    XSetIOErrorHandler(on_gone);
}

bool connection_open(struct connection *c, const char *const *names, Atom *atoms, int count,
                     struct error *err)
{
    Display *display = XOpenDisplay(NULL);
    if (!display) return error_set(err, "the X server takes no other connection");
    connection_survive_errors();
    c->display = display;
    c->window = XCreateSimpleWindow(display, DefaultRootWindow(display), -1, -1, 1, 1, 0, 0, 0);
    XSelectInput(display, c->window, PropertyChangeMask);
    XInternAtoms(display, (char **)(void *)names, count, False, atoms);
    return true;
}

void connection_close(struct connection *c)
{
    if (c->display) XCloseDisplay(c->display);
    *c = (struct connection){.display = NULL};
}

// A property is changed by nothing, and the event about that has the time.
Time connection_time(const struct connection *c)
{
    XEvent event;
    XChangeProperty(c->display, c->window, XA_WM_NAME, XA_STRING, 8, PropModeAppend, NULL, 0);
    XWindowEvent(c->display, c->window, PropertyChangeMask, &event);
    return event.xproperty.time;
}

void connection_put(const struct connection *c, Window to, Atom property, Atom type,
                    const unsigned long *words, int count)
{
    XChangeProperty(c->display, to, property, type, 32, PropModeReplace,
                    (const unsigned char *)words, count);
}

void *connection_get(Display *display, Window of, Atom property, Atom type, int format, long most,
                     unsigned long *count)
{
    Atom found = None;
    int found_format = 0;
    unsigned long rest = 0;
    unsigned char *value = NULL;
    *count = 0;
    XGetWindowProperty(display, of, property, 0, most, False, type, &found, &found_format, count,
                       &rest, &value);
    if (value && found == type && found_format == format && !rest) return value;
    if (value) XFree(value);
    return NULL;
}

size_t connection_most_bytes(const struct connection *c)
{
    enum { HEAD_BYTES = 64 };
    const long words = MAX(XExtendedMaxRequestSize(c->display), XMaxRequestSize(c->display));
    return 4 * (size_t)words - HEAD_BYTES;
}

// connection.h -- a connection of its own to the X server, with a window that is never shown, for
// what freeglut does not do: the clipboard and files that are dropped.
//
// Events of this connection do not reach freeglut, nor freeglut's events this connection. Whoever
// owns it asks for its events. One thread uses it.
#ifndef CONNECTION_H
#define CONNECTION_H

#include <X11/Xlib.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct connection {
    Display *display;  // NULL: it is not open
    Window window;     // reports changes of its properties
};

// Interns the names, too, as many as there are atoms.
bool connection_open(struct connection *c, const char *const *names, Atom *atoms, int count,
                     struct error *err);
void connection_close(struct connection *c);  // accepts a zeroed one

// The server's time now, by which selections are owned.
Time connection_time(const struct connection *c);

// Replaces a property of a window by longs, as X calls its 32-bit words.
void connection_put(const struct connection *c, Window to, Atom property, Atom type,
                    const unsigned long *words, int count);

// A property's value, which the caller frees with XFree; format is 8, or 32 for longs. NULL: there
// is none, it is of another type, or it is longer than `most` 32-bit words.
void *connection_get(Display *display, Window of, Atom property, Atom type, int format, long most,
                     unsigned long *count);

// How many bytes a property of another window can be given in one request.
size_t connection_most_bytes(const struct connection *c);

// A request that fails does not end the process: another program's window may be gone at any time.
// Where it matters, the failure is noticed by what the request has not done. If the server itself
// is gone, the process ends with one line. This holds for all connections of the process.
void connection_survive_errors(void);

#endif

// exchange.h -- what the window gives to other programs and takes from them: the clipboard, and
// files that are dropped (XDND, version 5).
//
//     another program                        exchange
//        TARGETS? ─────────────────────────▶ image/png, UTF8_STRING …
//        image/png ────────────────────────▶ bytes in a property of its window
//
//        XdndEnter, XdndPosition ───────────▶ are there files?
//                 ◀─────────── XdndStatus ──── they may be dropped, as a copy
//        XdndDrop ──────────────────────────▶ asks for the list
//        text/uri-list ─────────────────────▶ file names; ◀── XdndFinished
//
// It has a connection of its own to the X server, with a window that is never shown. freeglut's
// window names that window as its proxy, so that the messages of a drag never reach freeglut. A
// desktop that does not follow the proxy cannot drop files here.
//
// X keeps no copy: what is offered lives in this process. When the exchange is closed, a clipboard
// manager may take it over. Another program that copies something ends the offer.
//
// It does not read the clipboard, does not know the selection of the middle mouse button, and does
// not open the files: their names are as hostile as those of the command line. One thread uses it.
#pragma once

#include <X11/Xlib.h>
#include <glib.h>
#include <stdbool.h>

#include "base/error.h"

struct exchange;

// target: the window on which files are dropped; None: no files. NULL: err says why there is none.
struct exchange *exchange_open(Window target, struct error *err);
void exchange_close(struct exchange *e);  // may wait for a manager, for a second; accepts NULL

// Offers a PNG file and a table, or one of them, in place of what was offered by this process or
// another one. It takes references. The table is UTF-8 without a zero byte at the end; NULL: none.
// A picture goes to others in one request, of 16 MB with most servers; a larger one is refused.
bool exchange_offer(struct exchange *e, GBytes *png, GBytes *table, struct error *err);
bool exchange_has_offer(const struct exchange *e);  // nobody has replaced it yet

// Answers other programs; call it every turn. Returns the files that were dropped since the last
// call, as a list that ends with NULL and that the caller frees with g_strfreev(). NULL: none were,
// or err says why their names cannot be had.
char **exchange_poll(struct exchange *e, struct error *err);

// The names in a text/uri-list of RFC 2483. NULL: err says which line names no file of this
// machine, or that there is none.
char **exchange_read_list(const char *list, struct error *err);

// ---- for all connections of the process ----

// A property's value, which the caller frees with XFree; format is 8, or 32 for longs. NULL: there
// is none, it is of another type, or it is longer than `most` 32-bit words.
void *exchange_property(Display *display, Window of, Atom property, Atom type, int format,
                        long most, unsigned long *count);

// A request that fails does not end the process: another program's window may be gone at any time.
// Where it matters, the failure is noticed by what the request has not done. If the server itself
// is gone, the process ends with one line.
void exchange_survive_errors(void);

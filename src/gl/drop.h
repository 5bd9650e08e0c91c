// drop.h -- files that are dropped on the window: the target's side of XDND, version 5.
//
//     the source                              drop
//        XdndEnter, XdndPosition ───────────▶ are there files?
//                 ◀─────────── XdndStatus ──── they may be dropped, as a copy
//        XdndDrop ──────────────────────────▶ asks for the list
//        text/uri-list ─────────────────────▶ file names; ◀── XdndFinished
//
// freeglut's window names a window of this module's own connection as its proxy, so that the
// messages never reach freeglut. A desktop that does not follow the proxy cannot drop here.
//
// It does not open files: whoever polls decides what they are. Names are as hostile as those of the
// command line. One thread uses it.
#ifndef DROP_H
#define DROP_H

#include <stdbool.h>

#include "base/error.h"

struct drop;

// For the window with that number of X's. NULL: err says why nothing can be dropped there.
struct drop *drop_open(unsigned long window, struct error *err);
void drop_close(struct drop *d);  // accepts NULL

// The files that were dropped since the last call, as a list that ends with NULL and that the
// caller frees with g_strfreev. NULL: nothing was, or err says why it cannot be had.
char **drop_poll(struct drop *d, struct error *err);

// The names in a text/uri-list of RFC 2483. NULL: err says which line names no file of this
// machine, or that there is none.
char **drop_read_list(const char *list, struct error *err);

#endif

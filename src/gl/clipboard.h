// clipboard.h -- offers a picture, and a table beside it, to other programs: X's selection
// CLIPBOARD.
//
//     another program                        clipboard
//        TARGETS? ─────────────────────────▶ image/png, UTF8_STRING …
//        image/png ────────────────────────▶ bytes in a property of its window
//
// X keeps no copy: what is offered lives in this process, and other programs ask for it in
// clipboard_poll(). When the clipboard is closed, a clipboard manager may take it over; without one
// it is gone. Another program that copies something ends the offer.
//
// It does not read the clipboard, and knows nothing of the selection of the middle mouse button.
// One thread uses it.
#ifndef CLIPBOARD_H
#define CLIPBOARD_H

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"

struct clipboard;

// NULL: err says why there is none.
struct clipboard *clipboard_open(struct error *err);
void clipboard_close(struct clipboard *c);  // may wait for a manager, for a second; accepts NULL

// What is offered; NULL: not that. The clipboard takes references.
struct clipboard_offer {
    GBytes *png;    // a whole file
    GBytes *table;  // UTF-8, without a zero byte at the end
};

// Replaces what was offered, by this process or another one. A picture goes to others in one
// request, of 16 MB with most servers; a larger one is refused.
bool clipboard_offer(struct clipboard *c, const struct clipboard_offer *offer, struct error *err);
bool clipboard_has_offer(const struct clipboard *c);  // nobody has replaced it yet

// Answers who asks. Call it every turn.
void clipboard_poll(struct clipboard *c);

#endif

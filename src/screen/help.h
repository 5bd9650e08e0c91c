// help.h -- the help screen: keys as keycaps with what they do, in titled sections.
//
//     ┌──────────────────────────────────────────────┐
//     │ Kernel                     Picture           │
//     │ ─────────────────────      ───────────────── │
//     │ [1] … [9]   variant        [n] [N]  next     │
//     │ [PgUp]      radius by 8    [space]  freeze   │
//     └──────────────────────────────────────────────┘
//
// It has one to three columns, whichever allows the largest font, and keeps sections whole where it
// can. Spaces separate keys; "…" and "–" stand between keycaps.
#ifndef HELP_H
#define HELP_H

#include "draw/paint.h"
#include "screen/overlay.h"

struct help;

struct help *help_create(void);
void help_destroy(struct help *help);  // accepts NULL

// Lays the rows out over the whole window. They must live until they are drawn last.
void help_place(struct help *help, const struct paint *paint, const struct overlay_help *rows,
                int count);

// A fingerprint of all that help_place was given.
uint64_t help_hash(const struct help *help);
void help_draw(const struct help *help, const struct paint *paint);

#endif

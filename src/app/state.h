// state.h -- the interactive program's state as text, and back: what a screenshot carries so that
// the window can be opened exactly as it was.
//
//     {"format": 1, "program": "0.1.0", "picture": "/home/me/scene.png", "grey": false,
//      "sides": [{"filter": "mean", "variant": "shared", "params": {"radius": 5},
//                 "block": [16, 16], "unroll": false}],       two sides while comparing
//      "side": 0, "comparing": false, "divider": 0.5, "bars": true, ... "text_scale": 1}
//
// A block that was not chosen is null. Names stand for filters, variants and params, so that a file
// outlives their order. What is missing but for the sides is as app_init() left it; what this build
// does not know is refused by its name. To add a switch: a row in input.c's table. To add anything
// else: a row in state.c's tables.
//
// Knows neither windows nor devices. Texts are untrusted when read.
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>

#include "app/app.h"
#include "base/error.h"
#include "base/image.h"

enum { STATE_FORMAT = 1, STATE_MAX_BYTES = 1 << 16 };

// The text chunk that carries it.
#define STATE_KEY "tilescope-state"

// What belongs to the state but not to the app.
struct state_picture {
    char *path;    // of the file, in the file system's bytes; NULL: not known
    bool is_grey;  // read as grey
};
void state_picture_finish(struct state_picture *picture);  // accepts a zeroed one

// The state as one line of JSON, at most STATE_MAX_BYTES; the path is written as an absolute one.
// The caller frees it.
char *state_write(const struct app *a, const struct state_picture *picture);

// The same for --dump-state, indented, with what a test wants to know besides: "facts" (as
// caption_list() tells them) and the note. The caller frees it.
char *state_dump(const struct app *a, const struct state_picture *picture,
                 const struct image_text *facts, int count);

// Reads a text into an app that app_init() has just made; picture's path is the caller's to free.
// source names the file in messages. On failure a and picture are untouched and err says in one
// line what this build does not know, or what cannot be.
bool state_read(struct app *a, struct state_picture *picture, const char *text, const char *source,
                struct error *err);

// The same from a PNG file. Also refused: a file that is not a PNG, or carries no settings.
bool state_load(struct app *a, struct state_picture *picture, const char *path, struct error *err);

#endif

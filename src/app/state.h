// state.h -- writes the interactive program's state as text and reads it. A screenshot carries it,
// so that the window can be opened exactly as it was.
//
//     {"format": 1, "program": "0.1.0", "picture": "scene.png", "sha256": "9f86…", "grey": false,
//      "times": "h200",
//      "sides": [{"filter": "mean", "variant": "shared", "params": {"radius": 5},
//                 "block": [16, 16], "unroll": false}],       two sides while comparing
//      "side": 0, "comparing": false, "divider": 0.5, "bars": true, ... "text_scale": 1}
//
// A block that was not chosen is null. A side has "sweep_axis": "c" if the axis is not the filter's
// own, and "array": "a" if an array of its lab was chosen. All of them go by name, so that a file
// does not depend on their order. Missing members, except the sides, stay as app_init() left them.
// A name that this build does not know is refused. To add a switch: a row in input.c's table. To
// add anything else: a row in state.c's tables.
//
// This module does not know windows or devices. It does not trust the texts that it reads.
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "app/app.h"
#include "base/error.h"
#include "base/image.h"

enum { STATE_FORMAT = 1, STATE_MAX_BYTES = 1 << 16 };

// The key of the text chunk that carries it.
#define STATE_KEY "tilescope-state"

// The part of the state that struct app does not hold.
struct state_picture {
    char *name;    // in the file system's bytes; written without its folders; NULL: not known
    char *sha256;  // image_checksum()'s; NULL: not known
    bool is_grey;  // it was read as grey
    char *times;   // whose times were shown (recording_name()); "off": those of a CPU; NULL: others
};
void state_picture_finish(struct state_picture *picture);  // accepts a zeroed one

// Writes the state as one line of JSON of at most STATE_MAX_BYTES. Where the picture lies is
// private and not written. The caller frees it.
char *state_write(const struct app *a, const struct state_picture *picture);

// The same as an object, which the caller deletes. state_read() passes over what others add to it:
// "facts", "serial", "presses" and "notes".
cJSON *state_json(const struct app *a, const struct state_picture *picture);

// Reads a text into an app that app_init() has just made. The caller finishes picture. source
// names the file in messages. On failure a and picture are untouched, and err says in one line what
// this build does not know or what cannot be.
bool state_read(struct app *a, struct state_picture *picture, const char *text, const char *source,
                struct error *err);

// The settings that a PNG file carries, for state_read(). NULL: it has none, or is no such file.
// The caller frees them.
char *state_find(const char *path, struct error *err);

// Reads them from a PNG file.
bool state_load(struct app *a, struct state_picture *picture, const char *path, struct error *err);

// Finds the picture by its name beside the screenshot, in the present folder, or in the folder of
// samples: the first one with the same contents, or else the first one, with err saying that it
// differs. The caller frees the path. NULL: there is none; err says so.
char *state_find_picture(const struct state_picture *picture, const char *shot, const char *samples,
                         struct error *err);

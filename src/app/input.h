// input.h -- the table of keys and switches. The help screen, --help and the saved state are made
// from it; a test holds the keys of the README to it.
//
// A key changes the app's state, turns a switch on or off, or asks the viewer for something. Keys
// have names: the character itself ("3", "[", "F"), or one of Left Right Up Down PgUp PgDn space
// Esc Return Tab Backspace F1 F11 Ctrl+C Ctrl+T Ctrl+0. This module does not read a keyboard:
// window.c and --keys give the names.
#pragma once

#include <stdbool.h>

#include "app/app.h"
#include "app/palette.h"
#include "base/error.h"
#include "screen/overlay.h"

// Requests of a key to the viewer, which the app's state cannot hold.
enum input_request {
    INPUT_NOTHING,
    INPUT_SCREENSHOT,
    INPUT_SHEET,
    INPUT_COPY,  // the window and its table to the clipboard
    INPUT_RELOAD,
    INPUT_BASELINE,  // pin the present result, or let the pinned one go
    INPUT_TIMES,     // of the next recording, or of this device
    INPUT_BEST,      // adopt the heat map's best block
    INPUT_ZOOM,      // in by a step, about the cursor
    INPUT_EXTENT,    // all of a large picture, or its reduced copy
    INPUT_GO_ON,     // what the tour waits for has come
    INPUT_STEP,      // a step of the tour ahead
    INPUT_STEP_BACK,
    INPUT_RETURN,  // to the tour's step and its settings
    INPUT_TOUR,    // to play the one that was chosen
    INPUT_GO_TO,   // the step that was chosen
    INPUT_QUIT,
    INPUT_REQUESTS
};

// Does what a key stands for: a row of the table, or a filter's own key. False: it stands for
// nothing. asked is what the viewer still has to do.
bool input_press(struct app *a, const char *key, enum input_request *asked);

// The rows that the palette lists for what is typed; the caller finishes it.
struct palette input_palette(const struct app *a);

// True when a key stands for something; filters may be NULL.
bool input_is_key(const char *key, const struct filter_list *filters);

// Lists the keys of the table from 0. NULL: there are no more.
const char *input_key(int index);

// Takes its key from each filter or lab that claims one of the table or of another filter. Of two,
// the one that comes with the program keeps it, or else the first. False: err, which may be NULL,
// names the first that lost its key, and counts the others.
bool input_settle_keys(struct filter_list *filters, struct error *err);

// Splits "3 Up Up s q" at blanks into a list that ends with NULL; the caller frees it with
// g_strfreev. NULL: err names a key that does not exist.
char **input_script(const char *text, const struct filter_list *filters, struct error *err);

// The switches of a saved state. input_switch() finds the bool of that name, or NULL.
// input_switch_name() lists the names from 0; NULL: there are no more.
const char *input_switch_name(int index);
bool *input_switch(struct app *a, const char *name);

// The rows of the help screen: the table's, and one for each filter that has a key. They borrow the
// filters' titles, and cannot be copied, because they point into this struct.
struct input_help {
    struct overlay_help rows[72 + APP_MAX_FILTERS];
    int count;
    char keys[APP_MAX_FILTERS][2];
};
void input_help(struct input_help *help, const struct filter_list *filters);

// The same as text for --help, which the caller frees.
char *input_help_text(const struct filter_list *filters);

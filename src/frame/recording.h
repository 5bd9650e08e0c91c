// recording.h -- a file of times that were measured on another device. `tilescope bench --record`
// writes it, and a computer without a GPU shows it.
//
// There is a time for exactly the text, params and block that were measured, and for nothing else.
// A variant's text is compared by its key (kernel_text_key()). Pictures have the recording's size.
// Times are milliseconds of one cold launch, all its passes; results that were wrong or could not
// be compared with their reference have none.
//
// The file is one JSON object, which gzip may have packed. It may come from anybody: whatever it
// holds, reading it ends with times that make sense or with one line that says why not.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "base/stats.h"
#include "device/backend.h"
#include "filter/choice.h"

struct recording {
    struct device device;   // whose times they are: its name, driver and limits; it is not open
    struct planes picture;  // no pixels
    char date[40];          // ISO 8601
    char about[160];        // "NVIDIA H200, recorded 28 Nov 2026"

    // These are the module's own.
    char *headers;      // the folder; owned
    GHashTable *times;  // "mean/naive 32×8 radius 3" to struct stats_summary
    GHashTable *texts;  // "mean/naive" to the key of its text
    GHashTable *known;  // struct variant to the key of its present text
};

// date is ISO 8601; the picture counts by its shape. headers is the folder of kernel.h, which
// kernels that are looked up may include.
struct recording *recording_create(const struct device *device, struct planes picture,
                                   const char *date, const char *headers);
struct recording *recording_load(const char *path, const char *headers, struct error *err);
// The files that the program comes with, by name. The caller frees what these return.
char **recording_installed(void);
char *recording_name(const char *path);  // "h200": the word for one of these; else the file's name
// Finds the file whose times are to be shown: the one that --times names, by such a word or its
// path, or without a word the first that is installed. NULL: none is to be shown, as for "off"; or,
// if err is not empty, the word is unknown, and err lists the words.
char *recording_find_shown(const char *word, struct error *err);
// Reads a recording that is to be shown. It must be a GPU's.
struct recording *recording_open(const char *path, const char *headers, struct error *err);
bool recording_save(const struct recording *r, const char *path, struct error *err);
void recording_destroy(struct recording *r);  // accepts NULL

enum recording_state {
    RECORDING_FOUND,
    RECORDING_EDITED,  // the variant was recorded, with another text
    RECORDING_LACKS,   // nothing is known of this choice
};
// ms is untouched unless it is FOUND. A device copy, which is choice_copy_of(), has no text.
enum recording_state recording_find(struct recording *r, const struct choice *point,
                                    struct stats_summary *ms);
// True if times of a filter are there, whatever its text is now.
bool recording_has_filter(const struct recording *r, const struct filter *f);
// The kernels were read anew: keys of their texts are computed again.
void recording_forget_texts(struct recording *r);

// Replaces times of another text of the same variant.
void recording_add(struct recording *r, const struct choice *point, struct stats_summary ms);

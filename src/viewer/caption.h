// caption.h -- writes the words and numbers of the overlay and of a screenshot's text chunks.
//
// Figures and their units come from measure/figures.h. This module only turns facts into text.
#ifndef CAPTION_H
#define CAPTION_H

#include <stdbool.h>

#include "app/app.h"
#include "base/image.h"
#include "device/backend.h"
#include "gl/interop.h"
#include "measure/baseline.h"
#include "frame/engine.h"

struct overlay_content;

// All facts that the words say.
struct caption_facts {
    struct choice choice;  // what they are about
    const struct device *device;
    struct planes picture;  // its shape
    int array;              // of a lab, that is shown; -1: the first one that it writes
    bool has_common_scale;  // both sides show that array, between the same values:
    struct array_scale scale;
    const char *picture_name;
    enum interop_path path;
    struct engine_report report;  // of the choice; empty unless it is current
    struct result known;          // the same; right only if what is shown was compared
    double copy_ms, naive_ms;     // results_copy_ms(), results_naive_ms(); 0: not known
    bool is_current;              // the shown picture was made with these settings
    bool is_refused;              // it never will be: the launch was refused
    bool is_empty;                // and nothing is shown in its place
    unsigned shown_again;         // frames so far that the window did not take over at once
    double running_s;             // its first frame takes that long, but goes on; 0: it does not
    bool is_compiling;            // nothing can run before the compiler has come back
    bool is_frozen;
    struct stats_summary frame_ms;    // between pictures; count 0: not known
    struct stats_summary host_ms;     // CPU: map, launch, unmap; count 0: not known
    const struct baseline *baseline;  // NULL, or of no samples: none is pinned
    const char *vsync;                // "on", "off" or "unknown"
};

// Two pictures that are compared.
struct caption_pair {
    struct caption_facts sides[2];
    int active;  // the side that keys act on
    bool is_difference_known, is_difference_shown;
    struct image_difference difference;
};

// The colours of what is shown.
enum color_map caption_map(const struct caption_facts *facts);

// Whether the words say something else now, not only other numbers: what was measured, checked or
// shown for the first time, or is no longer.
bool caption_is_news(const struct caption_facts *told, const struct caption_facts *now);

// Write the bands' texts, and the legend of a lab's picture. Messages, help, appearance and the
// pair's divider stay as they are.
void caption_write(struct overlay_content *content, const struct caption_facts *facts);
void caption_write_pair(struct overlay_content *content, const struct caption_pair *pair);

enum { CAPTION_VALUE = 160, CAPTION_STATE = 16384 };

// Adds a text chunk for a PNG, of less than CAPTION_VALUE bytes.
void caption_add(struct image_texts *texts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Replaces the texts by the facts as such chunks.
void caption_list(struct image_texts *texts, const struct caption_facts *facts);
// Adds what state_write() made, for --restore. Leaves it out if it has CAPTION_STATE bytes or more:
// a path may have several thousand characters.
void caption_add_state(struct image_texts *texts, const char *state);

#endif

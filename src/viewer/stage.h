// stage.h -- everything between a picture and the window's buffers: device, path, compiler, frames,
// times, correctness. The viewer tells it what to show and asks what there is to say.
//
// One picture is shown in one way, or in two that are compared: each is a pane (pane.h). Panes fly
// in turns, so that what one takes does not count for the other.
//
// Never stops the picture: compiling, checking and (on the CPU) computing go on beside it. What
// cannot run leaves the last good picture and a trouble. Needs a current GL context. One thread.
#ifndef STAGE_H
#define STAGE_H

#include <stdbool.h>

#include "app/app.h"
#include "base/error.h"
#include "base/image.h"
#include "gl/display.h"
#include "screen/overlay.h"
#include "viewer/caption.h"

struct stage;
struct results;

enum { STAGE_PANES = 2 };

struct stage_options {
    const char *device, *path;   // as on the command line; NULL: auto
    const char *include_folder;  // with kernel.h
    struct display *display;     // borrowed
};

// What is to be shown.
struct stage_wish {
    const struct filter *filter;
    const struct variant *variant;
    struct settings settings;
    bool is_frozen;  // nothing new, unless the wish changed
};

// Why the wish is not on the screen; text empty: it is, or soon will be.
struct stage_trouble {
    char text[4096];
    enum overlay_tone tone;
};

struct stage *stage_open(const struct stage_options *options, struct error *err);
void stage_close(struct stage *s);  // accepts NULL

// Takes the image over on success; on failure the old picture goes on.
bool stage_set_picture(struct stage *s, struct image *image, struct error *err);

// One pane, or two. On failure (memory) it stays with one.
bool stage_set_panes(struct stage *s, int count, struct error *err);

// interop or staged, where the device has both. False: err says why not.
bool stage_set_staged(struct stage *s, bool is_staged, struct error *err);

// One turn: ends the frame in hand if it is complete, begins the next ones. wishes: one a pane.
// True: a new picture is there to be drawn. limit_ms: how long it may wait for the device.
bool stage_step(struct stage *s, const struct stage_wish *wishes, double limit_ms);

// New sources: compiled beside the picture, starting with filter; from then on stage_reloaded
// tells.
void stage_reload(struct stage *s, const struct filter *filter);
enum builder_state stage_reloaded(struct stage *s, struct error *err);  // BUILDING: not yet
// After READY: the old sources' filters may be freed when it returns.
void stage_adopt(struct stage *s);

// Compiles a filter beside the picture, for later.
void stage_prepare(struct stage *s, const struct filter *filter);

// True when what is shown is the wish, its time is settled and its check is done, or when it cannot
// be.
bool stage_is_settled(const struct stage *s);

const struct stage_trouble *stage_trouble(const struct stage *s, int pane);
const char *stage_reasons(const struct stage *s);  // why not a better device or path; may be empty
void stage_facts(const struct stage *s, int pane, struct caption_facts *facts);  // its part of them

// How the two panes' pictures differ, all pixels of them; false while that is not known.
bool stage_difference(struct stage *s, struct image_difference *found);

// What was measured; what is wanted is measured beside the frames.
struct results *stage_results(const struct stage *s);

struct planes
stage_picture(const struct stage *s);  // host memory, until the next stage_set_picture
bool stage_has_watchdog(const struct stage *s);

#endif

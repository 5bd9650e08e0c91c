// stage.h -- everything between a picture and the window's buffers: device, path, compiler, frames,
// times, correctness. The viewer tells it what to show and asks what there is to say.
//
// A picture is shown in one way, or in two that are compared: each is a pane (pane.h). Panes make
// their frames in turns, so that what one takes does not count for the other.
//
// Never stops the picture: compiling, checking and (on the CPU) computing go on beside it. What
// cannot run leaves the last good picture and a trouble. Does not know the window, the overlay or
// the user's state. Needs a current GL context. One thread.
#ifndef STAGE_H
#define STAGE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "filter/choice.h"
#include "frame/builder.h"
#include "gl/display.h"
#include "viewer/trouble.h"

struct stage;
struct results;
struct caption_facts;

enum { STAGE_PANES = 2 };

struct stage_options {
    const char *device, *path;   // as on the command line; NULL: auto
    const char *include_folder;  // with kernel.h
    struct display *display;     // borrowed
};

struct stage *stage_open(const struct stage_options *options, struct error *err);
void stage_close(struct stage *s);  // accepts NULL

// Takes the image over on success; on failure the old picture goes on.
bool stage_set_picture(struct stage *s, struct image *image, struct error *err);

// One pane, or two. On failure (memory) it stays with one.
bool stage_set_panes(struct stage *s, int count, struct error *err);

// interop or staged, where the device has both. False: err says why not.
bool stage_set_staged(struct stage *s, bool is_staged, struct error *err);

// One turn: ends the frame in hand if it is complete, and begins the next ones. There is a choice
// for each pane. Frozen: a pane that shows its choice makes no new frame. limit_ms: how long the
// stage may wait for the device. True: a new picture is there to be drawn.
bool stage_step(struct stage *s, const struct choice *choices, bool is_frozen, double limit_ms);

// Compiles new sources beside the picture, starting with filter. stage_reloaded tells how it goes,
// and BUILDING while it is not known.
void stage_reload(struct stage *s, const struct filter *filter);
enum builder_state stage_reloaded(struct stage *s, struct error *err);
// After READY: runs the new sources. The filters of the old ones may be freed when it returns.
void stage_adopt(struct stage *s);

// Compiles a filter beside the picture, for later.
void stage_prepare(struct stage *s, const struct filter *filter);

// True when what is shown is what was chosen, its time is settled and its check is done, or when
// that cannot be.
bool stage_is_settled(const struct stage *s);

const struct trouble *stage_trouble(const struct stage *s, int pane);
const char *stage_reasons(const struct stage *s);  // why not a better device or path; may be empty
void stage_facts(const struct stage *s, int pane, struct caption_facts *facts);  // its part of them

// How the two panes' pictures differ, all pixels of them; false while that is not known.
bool stage_difference(struct stage *s, struct image_difference *found);

// What was measured. What is wanted there is measured beside the frames.
struct results *stage_results(const struct stage *s);

// In host memory, until the next stage_set_picture.
struct planes stage_picture(const struct stage *s);
bool stage_has_watchdog(const struct stage *s);

#endif

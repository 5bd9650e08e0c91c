// stage.h -- everything between a picture and the window's buffers: device, path, compiler, frames,
// times, checks. The viewer says what to show and asks for the facts.
//
// A picture is shown in one way, or in two that are compared. Each way is a pane (pane.h). Panes
// make their frames in turns, so that the time of one does not count for the other.
//
// The stage never stops the picture: it compiles, checks and (on the CPU) computes on other
// threads. A choice that cannot run leaves the last good picture and a trouble. The stage does not
// know the window, the overlay or the user's state. It needs a current GL context. One thread uses
// it.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/builder.h"
#include "gl/interop.h"
#include "gl/display.h"
#include "viewer/pane.h"

struct frame;

enum { STAGE_PANES = 2 };

// All is borrowed until the stage is closed.
struct stage_options {
    const char *device, *path;   // words of the command line; NULL: auto
    const char *include_folder;  // with kernel.h
    struct display *display;
    struct watchdog *watchdog;  // of the driver's calls of interop; NULL: none
    struct watchdog *endless;   // of waits for a kernel that cannot be stopped; NULL: none
    int most_unrolled;          // unrolled modules that stay loaded; 0: enough for a sweep
};

// Others read it, and set the panes' arrays and elements. The host's results are the record of all
// times, and the choices that they want are measured in the background.
struct stage {
    struct stage_options options;
    struct device_choice chosen;  // when the device was opened; backend and path are the host's now
    struct builder *next;         // of changed sources; NULL: none is being compiled
    const struct filter *changed[STAGE_PANES];  // that it must have; NULL: none

    struct pane_host host;
    struct array_scale scale;  // of both panes, where the host points to it
    struct pane panes[STAGE_PANES];
    int pane_count;
    int turn;  // the pane that has a frame in hand, or may begin the next one

    struct checker *differ;               // compares the two panes' pictures,
    struct image differing[STAGE_PANES];  // which are these
    unsigned differ_versions[STAGE_PANES];
};

struct stage *stage_open(const struct stage_options *options, struct error *err);
void stage_close(struct stage *s);  // accepts NULL

// Shows a picture in host memory, which must stay until the next one is set, or the stage closes.
// All results are forgotten: they were of other pixels. On failure the old picture stays.
bool stage_set_picture(struct stage *s, struct planes picture, struct error *err);

// Sets one pane, or two. On failure (no memory) there is one.
bool stage_set_panes(struct stage *s, int count, struct error *err);

// Chooses staged, or interop if the device has it. False: err says why not.
bool stage_set_staged(struct stage *s, bool is_staged, struct error *err);

// Takes one turn: ends the running frame if it is complete, and begins the next ones. There is a
// choice for each pane. Frozen: a pane that shows its choice makes no new frame. The stage waits
// for the device as long as limit_ms. True: a new picture is there to be drawn.
bool stage_step(struct stage *s, const struct choice *choices, bool is_frozen, double limit_ms);

// Compiles new sources in the background, starting with the filter of each pane; NULL: there is no
// such pane. It goes on if the device is lost meanwhile.
void stage_reload(struct stage *s, const struct filter *const filters[STAGE_PANES]);
// BUILDING: until all of these are compiled. FAILED: one is not, and this is the end; err has the
// compiler's log.
enum builder_state stage_reloaded(struct stage *s, struct error *err);
// After READY: runs the new sources. When it returns, the old filters may be freed.
void stage_adopt(struct stage *s);

// Compiles a filter in the background, for later. is_next: for the next picture, so that it is what
// is compiled soonest (builder_get_first).
void stage_prepare(struct stage *s, const struct filter *filter, bool is_next);

// Plans a choice as it would run here. False: it is not compiled yet; or it cannot be, and err is
// not empty.
bool stage_plan(const struct stage *s, const struct choice *choice, struct frame *frame,
                struct error *err);

// True if the shown picture is the chosen one, its time is settled and its check is done, or if
// that cannot be.
bool stage_is_settled(const struct stage *s);

// The choice whose kernels keep the device: a pane's, or one measured in the background. False:
// nothing runs. Another thread may ask while the stage waits for the device.
bool stage_find_running(const struct stage *s, struct choice *running);

// How the two panes' pictures differ, in all pixels. False: it is not known yet.
bool stage_difference(struct stage *s, struct image_difference *found);

// pane.h -- one picture on the screen: its choice, and the frames that show it.
//
//     choice ──▶ engine (frames, times, checks) ──▶ interop (the layer's buffer) ──▶ display
//
// The display must hold the first frame of each choice as the engine has checked it, or another one
// is made.
//
// A stage has one or two panes on one device. Only one pane has a running frame at a time, so that
// their times do not mix. A pane does not know the window, the overlay or the user's state. It
// needs a current GL context. One thread uses it.
#ifndef PANE_H
#define PANE_H

#include <stdbool.h>

#include "base/error.h"
#include "filter/choice.h"
#include "frame/reference.h"
#include "gl/display.h"
#include "gl/interop.h"
#include "frame/results.h"
#include "viewer/trouble.h"

struct pane;
struct caption_facts;

// What the panes of a stage share. The stage owns it and keeps it up to date.
struct pane_host {
    struct backend *backend;      // NULL: lost
    const struct device *device;  // never NULL
    struct builder *builder;
    struct results *results;
    struct display *display;
    struct watchdog *watchdog;  // of the driver's calls; NULL: none
    struct watchdog *endless;   // of waits for a kernel that cannot be stopped; NULL: none
    enum interop_path path;
    struct planes picture;            // host memory; pixels NULL: none yet
    struct planes shape;              // of what is shown: the picture, or a lab's array
    const char *refusal;              // why the second pane cannot show its choice; or NULL
    const struct array_scale *scale;  // of both panes' pictures; NULL: each has its own
    struct references references;
};

// Makes a pane without a device, for a layer of the display.
struct pane *pane_create(const struct pane_host *host, int layer);
void pane_destroy(struct pane *p);  // accepts NULL; with or without a device

// Opens the host's device, with the host's picture if there is one. The pane must be closed before
// the device goes. The choice and its trouble outlive the device.
bool pane_open(struct pane *p, struct error *err);
void pane_close(struct pane *p);

// The host's picture is another one. On failure the pane keeps the one it had.
bool pane_set_picture(struct pane *p, struct error *err);
// What is shown is begun and checked again.
void pane_forget_picture(struct pane *p);
void pane_release_buffer(struct pane *p);  // before the display's buffer goes
// Takes the layer's buffer along the host's path. False: the pane keeps the buffer it had.
bool pane_take_buffer(struct pane *p, struct error *err);

// Ends the running frame without showing it. Then the queue is idle and GL has its buffer back.
void pane_end_frame(struct pane *p);
// The device is wanted for new kernels, whose code it takes only between two launches. One that
// cannot be stopped is waited for as if the choice had been left.
void pane_make_way(struct pane *p);
void pane_adopt(struct pane *p);  // the host's builder is another one

// Sets what to show; cheap if it is the same. Frozen: the same choice gets no new frame.
void pane_choose(struct pane *p, const struct choice *choice, bool is_frozen);

enum pane_turn {
    PANE_RESTS,      // there is nothing to do, or nothing can be done
    PANE_BUSY,       // its frame runs; no other pane may begin one
    PANE_PRESENTED,  // a new picture is there to be drawn
    PANE_FAULTED,    // the device stopped while it ran this choice; err says how
    PANE_LOST,       // the device stopped while it did not run this choice; err says how
    PANE_RESHAPES,   // its frames have another shape than the host's: pane_shape
};

// Begins a frame, or ends the running one. It waits for the device as long as limit_ms.
enum pane_turn pane_step(struct pane *p, double limit_ms, struct error *err);

// The shape of the frames that it wants to make.
struct planes pane_shape(const struct pane *p);
// Shows another array of a lab; -1: the first one that it writes.
void pane_show_array(struct pane *p, int array);
int pane_array(const struct pane *p);
void pane_look(struct pane *p, long long element);  // engine_look

// Nothing more will be known of what is shown, or nothing can be shown.
bool pane_is_settled(const struct pane *p);
// Its frames have not the host's shape, which is the first pane's to change.
bool pane_waits_for_shape(const struct pane *p);
// Counts up with each choice that it shows; 0: it shows another choice than its own.
unsigned pane_version(const struct pane *p);
const struct trouble *pane_trouble(const struct pane *p);

const struct module *pane_module(const struct pane *p);  // engine_module(), or NULL

// The choice whose kernels are in the queue for this pane. False: none are.
bool pane_find_running(const struct pane *p, struct choice *running);
// After FAULTED or LOST: the choice that the device ran for this pane. False: it ran none.
bool pane_find_culprit(const struct pane *p, struct choice *culprit);
// The choice is FAULTED, so that the pane does not run it again, or REFUSED.
void pane_blame(struct pane *p, enum trouble_kind kind, const char *text);
// The host's path is another one: what is shown came along the former one, and so did its times.
void pane_change_path(struct pane *p);
void pane_facts(const struct pane *p, struct caption_facts *facts);  // its part of them

#endif

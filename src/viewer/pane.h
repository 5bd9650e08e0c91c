// pane.h -- one picture on the screen: what was chosen for it, and the frames that show it.
//
//     choice ──▶ live timer (frames, times) ──▶ interop (the layer's buffer) ──▶ display
//                                                  └─ checker: what is shown, against the reference
//
// A stage has one or two panes on one device. Only one pane has a frame in hand at a time, so that
// their times do not mix. Does not know the window, the overlay or the user's state. Needs a
// current GL context. One thread.
#ifndef PANE_H
#define PANE_H

#include <stdbool.h>

#include "base/error.h"
#include "filter/choice.h"
#include "frame/builder.h"
#include "gl/display.h"
#include "gl/interop.h"
#include "measure/results.h"
#include "viewer/trouble.h"

struct pane;
struct caption_facts;

// What the panes of a stage share. It belongs to the stage, which keeps it up to date.
struct pane_host {
    struct backend *backend;      // NULL: lost
    const struct device *device;  // never NULL
    struct builder *builder;
    struct results *results;
    struct display *display;
    enum interop_path path;
    struct planes picture;  // host memory; pixels NULL: none yet
};

// Without a device yet. layer: of the display.
struct pane *pane_create(const struct pane_host *host, int layer);
void pane_destroy(struct pane *p);  // accepts NULL; with or without a device

// Opens the host's device, with the host's picture if there is one. The pane must be closed before
// the device goes. The choice and its trouble outlive the device.
bool pane_open(struct pane *p, struct error *err);
void pane_close(struct pane *p);

// The host's picture is another one. The pane holds no buffer of the display meanwhile.
bool pane_set_picture(struct pane *p, struct error *err);
void pane_release_buffer(struct pane *p);  // before the display's buffer goes
// Takes the layer's buffer along the host's path. False: the pane keeps the buffer it had.
bool pane_take_buffer(struct pane *p, struct error *err);

// Ends the frame in hand without showing it: then the queue is idle and GL has its buffer back.
void pane_end_frame(struct pane *p);
void pane_adopt(struct pane *p);  // the host's builder is another one
void pane_drain(struct pane *p);  // waits for a check of the host's picture

// What to show from now on; cheap when it is the same. Frozen: no new frame of the same choice.
void pane_choose(struct pane *p, const struct choice *choice, bool is_frozen);

enum pane_turn {
    PANE_RESTS,      // there is nothing to do, or nothing can be done
    PANE_BUSY,       // its frame is under way; nobody else may begin one
    PANE_PRESENTED,  // a new picture is there to be drawn
    PANE_FAULTED,    // the device stopped; err says how
};

// Begins a frame, or ends the one in hand; waits for the device as long as limit_ms.
enum pane_turn pane_step(struct pane *p, double limit_ms, struct error *err);

bool pane_is_settled(const struct pane *p);
bool pane_is_current(const struct pane *p);
// Counts the choices that were shown.
unsigned pane_version(const struct pane *p);
const struct trouble *pane_trouble(const struct pane *p);

// The device stopped while it ran this choice, which is not run again; another one is.
void pane_set_faulted(struct pane *p, const char *text);
void pane_restart_clock(struct pane *p);  // times between frames begin anew
void pane_facts(const struct pane *p, struct caption_facts *facts);  // its part of them

#endif

// pane.h -- one picture on the screen: what is wished for it, and the frames that fulfil it.
//
//     wish ──▶ runner (variant, times) ──▶ interop (the layer's buffer) ──▶ display
//                                             └─ checker: what is shown, against the reference
//
// A stage has one or two panes on one device, and lets one of them fly at a time, so that their
// times do not mix. Needs a current GL context. One thread.
#ifndef PANE_H
#define PANE_H

#include <stdbool.h>

#include "base/error.h"
#include "frame/builder.h"
#include "gl/display.h"
#include "gl/interop.h"
#include "measure/results.h"
#include "viewer/caption.h"
#include "viewer/stage.h"

struct pane;

// What the panes of a stage share; the stage's, which keeps it true.
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

// The host's device: opened with its picture, if there is one; closed before it goes. A wish and
// the trouble with it outlive the device.
bool pane_open(struct pane *p, struct error *err);
void pane_close(struct pane *p);

// The host's picture is another: to be called while the display has no buffer that is lent.
bool pane_set_picture(struct pane *p, struct error *err);
void pane_unlend(struct pane *p);  // before the display's buffer goes
// The layer's buffer along the host's path. False: the present way stays.
bool pane_lend(struct pane *p, struct error *err);

// Ends the frame in hand whatever it is: then the queue is idle and GL has its buffer back.
void pane_end_frame(struct pane *p);
void pane_adopt(struct pane *p);  // the host's builder is another
void pane_drain(struct pane *p);  // waits for a check of the host's picture

// What to show from now on; cheap when it is the same.
void pane_wish(struct pane *p, const struct stage_wish *wish);

enum pane_turn {
    PANE_RESTS,      // nothing to do, or nothing can be done
    PANE_BUSY,       // its frame is under way; nobody else may begin one
    PANE_PRESENTED,  // a new picture is there to be drawn
    PANE_FAULTED,    // the device stopped; err says how
};

// Begins a frame, or ends the one in hand; waits for the device as long as limit_ms.
enum pane_turn pane_step(struct pane *p, double limit_ms, struct error *err);

bool pane_is_busy(const struct pane *p);
bool pane_is_settled(const struct pane *p);
bool pane_is_current(const struct pane *p);
unsigned
pane_version(const struct pane *p);  // counts up with every picture that is not the last one again
const struct stage_trouble *pane_trouble(const struct pane *p);

// The wish faulted and is not run again until it changes; text is the trouble.
void pane_set_faulted(struct pane *p, const char *text);
void pane_restart_clock(struct pane *p);  // times between frames begin anew
void pane_facts(const struct pane *p, struct caption_facts *facts);

#endif

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
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/engine.h"
#include "frame/reference.h"
#include "gl/display.h"
#include "gl/interop.h"

// Why a picture on the screen is not what was chosen. The kind says what the viewer does about it,
// and how it is shown; the text is for the user.
enum trouble_kind {
    TROUBLE_NONE,
    TROUBLE_BROKEN,   // the kernel does not compile; the text is the compiler's log
    TROUBLE_REFUSED,  // this launch cannot be
    TROUBLE_LATE,     // the frame in hand may never be complete
    TROUBLE_FAULTED,  // the device stopped
};

struct trouble {
    enum trouble_kind kind;
    char text[4096];  // NONE: empty
};

// The part that the panes of a stage share. The stage owns it and keeps it up to date.
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

// Others read it, and set the array and the element.
struct pane {
    const struct pane_host *host;
    int layer;
    struct engine *engine;  // NULL: no device
    struct interop *interop;
    struct planes lent;  // the buffer, while the engine writes it; pixels NULL: OpenGL has it
    struct image seen;   // what the window held after the last first frame of a choice
    int tries;           // frames in a row that it did not hold

    struct choice choice;  // filter NULL: none
    bool is_frozen;
    int array, shown_array;    // of a lab; -1: the first one that it writes
    long long element;         // of that array, whose value the facts have; -1: none
    struct array_scale scale;  // what the choice is painted with; high < low: its own
    const char *refusal;       // the host's, when it was chosen
    unsigned version, begun;   // of the last picture, and of the frame in hand
    unsigned shown;  // the version that is shown: another one for each choice; 0: of another choice
    unsigned shown_again;  // frames that the window did not take over
    char *printed;         // by the choice's first frame; NULL: nothing
    unsigned prints;       // counts up when it is another text
    struct trouble trouble;

    gint64 begin_us;                 // of the frame in hand, or of what is measured
    gint64 left_us;                  // when it was left
    struct backend_work begun_work,  // of the device, when it began,
        ended_work;                  // and when a block had ended last
    double running_s;                // how long the frame runs, while its blocks end; 0: not long
    double host_us;                  // CPU: to map, launch once and unmap
    gint64 last_picture_us;
    struct stats frame_ms, host_ms;
};

// Makes a pane without a device, for a layer of the display.
void pane_init(struct pane *p, const struct pane_host *host, int layer);
void pane_finish(struct pane *p);  // with or without a device

// Opens the host's device, with the host's picture if there is one. The pane must be closed before
// the device goes. The choice and its trouble outlive the device.
bool pane_open(struct pane *p, struct error *err);
void pane_close(struct pane *p);

// The host's picture is another one. On failure the pane keeps the one it had.
bool pane_set_picture(struct pane *p, struct error *err);
// Begins and checks the shown choice again.
void pane_forget_picture(struct pane *p);
void pane_release_buffer(struct pane *p);  // before the display's buffer goes
// Takes the layer's buffer along the host's path. False: the pane keeps the buffer it had.
bool pane_take_buffer(struct pane *p, struct error *err);

// Ends the running frame without showing it. Then the queue is idle and GL has its buffer back.
void pane_end_frame(struct pane *p);
// The device is wanted for new kernels, whose code it takes only between two launches. A launch
// that cannot be stopped is waited for as if the choice had been left.
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
    PANE_RESHAPES,   // its frames have another shape than the host's: frame_picture()
};

// Begins a frame, or ends the running one. It waits for the device as long as limit_ms.
enum pane_turn pane_step(struct pane *p, double limit_ms, struct error *err);

// Nothing more will be known of what is shown, or nothing can be shown.
bool pane_is_settled(const struct pane *p);
// Its frames have another shape than the host's, which only the first pane changes.
bool pane_waits_for_shape(const struct pane *p);
// The choice is FAULTED, so that the pane does not run it again, or REFUSED.
void pane_blame(struct pane *p, enum trouble_kind kind, const char *text);
// Call it when the host's path is another one: the shown frame and its times are of the former
// path.
void pane_change_path(struct pane *p);

// Whose time a side shows: its own device's, or a recording's (frame/recording.h). Where there is
// no recorded one, device, picture and choice are those of the local time.
struct pane_times {
    bool is_recorded;
    const struct device *device;
    struct planes picture;          // what they are of; its shape
    struct choice choice;           // the same: a lab's sizes may be others than the shown ones
    const char *about;              // "NVIDIA H200, recorded 28 Nov 2026"; NULL: measured here
    char missing[96];               // why nothing is recorded; empty: it is
    struct stats_summary local_ms;  // of this device, where recorded times are shown
};

// The facts about one side of the window.
struct pane_facts {
    const struct device *device;
    struct planes picture;  // its shape
    bool has_common_scale;  // both sides show that array, between the same values:
    struct array_scale scale;
    enum interop_path path;
    struct engine_report report;  // empty unless the choice is current
    struct pane_times timed;
    bool has_gpu_times;             // known.ms is a GPU's, or will be
    struct result known;            // no times unless it is current; right only if it was compared
    double copy_ms, naive_ms;       // results_copy_ms(), results_naive_ms(); 0: not known
    double check_done;              // how much of a running check is done, 0 ... 1
    bool is_current;                // the shown picture was made with these settings
    bool is_refused;                // it never will be current: the launch was refused
    bool is_empty;                  // and nothing is shown in its place
    unsigned shown_again;           // frames so far that the window did not take over at once
    double running_s;               // how long its first frame has run, if it is late; else 0
    bool is_compiling;              // nothing can run before the compiler has come back
    struct stats_summary frame_ms;  // between pictures; count 0: not known
    struct stats_summary host_ms;   // CPU: map, launch, unmap; count 0: not known

    // What a GPU runs of the choice; NULL: it is not there yet, or a CPU runs it.
    const struct build_code *loaded;

    // The viewer's part, which pane_facts leaves as it is.
    struct choice choice;  // what they are about
    int array;             // that is shown of it: arrays_shown()
    const char *picture_name;
    struct planes whole;  // the shape of the picture that is shown reduced; width 0: it is not
    bool lacks_gpu;       // kernels run on the CPU because there is no other device
    bool is_frozen;
    const struct baseline *baseline;  // NULL, or of no samples: none is pinned
    const char *vsync;                // "on", "off" or "unknown"
};

void pane_facts(const struct pane *p, struct pane_facts *facts);

// The shown array, where it lies, and its picture (array_picture()).
struct pane_array {
    const struct array *array;
    struct array_place place;  // zeros: it is not known, and so is the rest
    struct planes picture;
    int columns, step;
};
struct pane_array pane_shown_array(const struct pane_facts *facts);

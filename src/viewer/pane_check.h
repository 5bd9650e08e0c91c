// pane_check.h -- whether the picture that a pane shows is right.
//
// A filter's picture is read back from the display and compared with the file's REFERENCE on a
// thread, once for each choice. The live timer checks labs itself; of those, this module only says
// what the results know. It launches nothing. It needs a current GL
// context. One thread uses it.
#ifndef PANE_CHECK_H
#define PANE_CHECK_H

#include <stdbool.h>

#include "filter/choice.h"
#include "frame/checker.h"

struct caption_facts;
struct live_timer;
struct pane_host;

struct pane_check {
    const struct pane_host *host;  // borrowed
    int layer;                     // of the display
    struct checker *checker;
    struct choice choice;  // what the check is of
    bool is_begun;         // it is of the frame that was completed last
    bool is_due;           // as soon as its reference is compiled
    bool is_read;          // what the texture holds is in the checker's buffer
    struct planes kept;    // what the device has made, in its other one; pixels NULL: not kept
    int tries;             // frames in a row that the texture did not hold
};

void pane_check_init(struct pane_check *k, const struct pane_host *host, int layer);
void pane_check_finish(struct pane_check *k);

// A frame of the timer's choice is complete. True: it is of another choice than before, or the
// first one since pane_check_forget(). Such a frame is kept before its target goes back to the
// window, and looked for once the display shows it.
//
// OpenGL may leave an upload out and show the picture before. Where the window's own memory is the
// target, there is nothing to compare with, and nothing is kept.
bool pane_check_begin(struct pane_check *k, const struct live_timer *timer);
void pane_check_keep(struct pane_check *k, struct planes target);
// Whether the texture holds what was kept, if anything was. False: pane_check_begin() is true again
// for the next frame.
bool pane_check_look(struct pane_check *k);

// Compares what is shown, if that is due.
void pane_check_step(struct pane_check *k);
void pane_check_tell(const struct pane_check *k);  // the results, what was found
// Something else will be shown. What is read by a running check must stay until it is drained.
void pane_check_forget(struct pane_check *k);
void pane_check_drain(struct pane_check *k);

bool pane_check_is_done(const struct pane_check *k);
// What is shown cannot be checked without another frame of it.
bool pane_check_wants_frame(const struct pane_check *k);
// Writes the check's part of the facts. Until a frame is shown, they are of the pane's own choice.
void pane_check_facts(const struct pane_check *k, const struct choice *choice,
                      struct caption_facts *facts);

#endif

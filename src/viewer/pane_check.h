// pane_check.h -- whether the picture that a pane shows is right.
//
// A filter's picture is read back from the display and compared with the file's REFERENCE on a
// thread, once for each choice. The live timer checks labs and files without a REFERENCE itself;
// of those, this module only says what the results know. It launches nothing. It needs a current GL
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
    bool is_begun;         // it is of what is shown
    bool is_due;           // as soon as its reference is compiled
    bool is_read;          // what the texture held is in the checker's buffer
    struct image kept;     // what the device has made; pixels NULL: not kept
};

void pane_check_init(struct pane_check *k, const struct pane_host *host, int layer);
void pane_check_finish(struct pane_check *k);

// The display shows a frame of the timer's choice. True: it is another choice than before, or the
// first one since pane_check_forget().
bool pane_check_begin(struct pane_check *k, const struct live_timer *timer);

// A window may keep the picture before: on a GPU that many programs share, a texture was seen that
// had not taken over what a kernel had written into its buffer. So of each new choice the first
// frame is copied before its target goes back to the window; in a moment, the texture must hold the
// same. Where the window's own memory is the target, nothing is kept.
void pane_check_keep(struct pane_check *k, struct planes target);
bool pane_check_is_shown(struct pane_check *k);  // true, too, if nothing was kept

// Compares what is shown, if that is due. is_idle: the queue is, so that the device can be asked.
void pane_check_step(struct pane_check *k, struct live_timer *timer, bool is_idle);
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

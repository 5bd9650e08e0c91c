// result_checker.h -- compares what launches have left in memory with the reference, and tells the
// results what it finds.
//
//     of a picture    some rows of the target, a few hundred kilobytes at most
//     of a lab        some elements of its out arrays (lab_checker.h)
//
// Where the file has no REFERENCE, the caller is asked to run the file's first variant in the same
// memory; what that leaves is the reference.
//
// The comparison runs on the checker's thread. This module launches nothing. One thread uses it.
#ifndef RESULT_CHECKER_H
#define RESULT_CHECKER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "frame/checker.h"
#include "frame/frame.h"
#include "frame/lab_checker.h"
#include "measure/results.h"

struct result_checker {
    struct results *results;              // borrowed
    const struct references *references;  // borrowed; NULL: the device is asked
    struct planes picture;                // the frames' source in host memory, borrowed
    struct checker *checker;
    struct lab_checker labs;
    bool is_running;       // a check whose result was not told yet
    struct choice choice;  // its
    bool wants_plain;      // it waits for the file's first variant to be run
    struct lab_check plain;
    struct reference_rows rows;
    struct reference_samples samples;
};

void result_checker_init(struct result_checker *k, struct results *results);
void result_checker_finish(struct result_checker *k);

// Begins a check of a choice, which the frame's launches have just computed into memory; the queue
// must be idle. Nothing begins while the reference is being compiled or a lab's in arrays are being
// copied: call it again after another launch. most_bytes is lab_checker_begin's. False: the device
// failed.
bool result_checker_begin(struct result_checker *k, const struct frame *frame,
                          const struct frame_memory *memory, const struct choice *choice,
                          double most_bytes, struct error *err);
// Whether a check waits for the plain frame (frame_plan_plain) to be run in the same memory. What
// is due follows at once: result_checker_take_plain() when it has run (false: the device failed),
// or result_checker_give_up(); why: NULL, or why it cannot run.
bool result_checker_wants_plain(const struct result_checker *k);
bool result_checker_take_plain(struct result_checker *k, const struct frame *plain,
                               const struct frame_memory *memory, struct error *err);
void result_checker_give_up(struct result_checker *k, const char *why);
// Tells the results if the check is complete.
void result_checker_poll(struct result_checker *k);
// How much of a running check of that choice of a lab is done, 0 ... 1.
double result_checker_progress(const struct result_checker *k, const struct choice *choice);
// Tells the results what a checker found of a choice. False: it has found nothing yet.
bool result_checker_tell(struct checker *checker, struct results *results,
                         const struct choice *choice);
// Frees the copies of a lab's arrays, while no check runs; the next check of a lab makes new ones.
void result_checker_drop_arrays(struct result_checker *k);
// Ends a check without telling. Sources or picture have changed.
void result_checker_forget(struct result_checker *k);

#endif

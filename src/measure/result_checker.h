// result_checker.h -- compares what launches have left in memory with the reference, and tells the
// results what it finds.
//
//     of a picture    some rows of the target, a few hundred kilobytes at most
//     of a lab        some elements of its out arrays (lab_checker.h)
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
    const struct references *references;  // borrowed; NULL: nothing is checked
    struct planes picture;                // the frames' source in host memory, borrowed
    struct checker *checker;
    struct lab_checker labs;
    bool is_running;       // a check whose result was not told yet
    struct choice choice;  // its
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

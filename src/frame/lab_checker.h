// lab_checker.h -- brings together what a check of a lab needs: its references, compiled for the
// host, host copies of its in arrays, and the checker's thread.
//
// One thread makes all calls.
#ifndef LAB_CHECKER_H
#define LAB_CHECKER_H

#include <stdbool.h>

#include "base/error.h"
#include "frame/checker.h"
#include "frame/lab_check.h"
#include "frame/references.h"

struct lab_checker {
    const struct references *references;  // borrowed
    struct lab_data data;
    // One that is to check many variants sets this: all checks of the same data are then of the
    // same elements, and the owner says when a check has left its answers.
    bool keeps_answers, has_answers;
    struct lab_check_pair answers[LAB_CHECK_RUNS * LAB_CHECK_RUN];
};

enum lab_checker_state {
    LAB_CHECKER_WAITS,  // for the compiler, or for more of the in arrays: ask again
    LAB_CHECKER_IMPOSSIBLE,
    LAB_CHECKER_BEGUN,  // checker_result() will have it
};

// Begins a check of what a planned frame has left in memory; the queue must be idle. most_bytes:
// waits until all in arrays are copied, and refuses those that hold more; 0: copies some megabytes
// a call, of any. False: the device failed.
bool lab_checker_begin(struct lab_checker *k, struct checker *checker, const struct frame *frame,
                       const struct frame_memory *memory, double most_bytes,
                       enum lab_checker_state *state, struct error *err);

// The sources changed, or the checker_drain()ed checks are over for good.
void lab_checker_forget(struct lab_checker *k);

#endif

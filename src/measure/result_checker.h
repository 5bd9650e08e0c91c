// result_checker.h -- has a checker compare what launches have left in memory, and tells the
// results what it finds.
//
// This module launches nothing. One thread uses it.
#ifndef RESULT_CHECKER_H
#define RESULT_CHECKER_H

#include <stdbool.h>

#include "base/error.h"
#include "frame/checker.h"
#include "measure/results.h"

struct result_checker {
    struct results *results;              // borrowed
    const struct references *references;  // borrowed; NULL: nothing is checked
    struct planes picture;                // the frames' source in host memory, borrowed
    struct checker *checker;
    bool is_running;       // a check whose result was not told yet
    bool is_done;          // the last one has told that the result is right or wrong
    struct choice choice;  // the check's
};

// Begins a check of a choice in place of the one before. The caller fills in the task but for
// references and source. *begun is checker_begin's. False: the device failed.
bool result_checker_begin(struct result_checker *k, const struct choice *choice,
                          struct checker_task task, enum checker_begun *begun, struct error *err);
// Tells the results if the check is complete.
void result_checker_poll(struct result_checker *k);
// Ends a check without telling. Sources or picture have changed.
void result_checker_forget(struct result_checker *k);

#endif

// edges.h -- runs the variants of an edited file at two awkward sizes (trials.h), and compares
// their results with the reference (check.h).
//
// This finds a `<=` in place of a `<` while the kernel is being written, although the sizes that
// the window shows are multiples of a block. It has a CPU device of its own, whose threads give way
// to all others: a kernel that faults or does not end there disturbs nobody. A variant that does
// not take such a size, cannot be compared or takes seconds is passed over.
//
// edges_run() takes long: call it on a thread of its own. Another thread may read `tried` and what
// is found, and set `stop`.
#pragma once

#include <stdatomic.h>

#include "filter/choice.h"

enum { EDGES_TEXT = 256 };

struct edges_found {
    char where[64];        // "at 33×17: first at (32, 4)"; empty: nothing is wrong
    char why[EDGES_TEXT];  // how the kernel failed; empty: it did not
};

struct edges {
    char *include;          // the folder with kernel.h; owned, as the filter is
    struct filter *filter;  // a copy
    struct settings settings;
    int first;         // the variant that runs first; the others follow, round the end
    atomic_bool stop;  // becomes true: it ends soon
    atomic_int tried;  // how many variants are done
    struct edges_found found[FILTER_MAX_VARIANTS];  // by variant; final once the variant is done
};

struct edges *edges_create(const char *include, const struct choice *choice);
void edges_destroy(struct edges *e);  // accepts NULL; edges_run has ended
void edges_run(void *edges);

// inspection.h -- looks through the logs of one trial: for accesses outside of the arrays, for
// threads that race, and, where traffic is counted, for what each request costs.
//
// proctor.h hands the logs over; it believes nothing else. One thread.
#pragma once

#include "frame/trials.h"
#include "grade/wire.h"
#include "lens/model.h"

struct inspection;

// If the trial is_counted, it counts requests and does not look for races. The filter must outlive
// it.
struct inspection *inspection_create(const struct filter *f, const struct trial *trial);
void inspection_destroy(struct inspection *i);  // accepts NULL

// Follows the trial's launches: where their memory is, then each pass and the blocks of it.
void inspection_take_memory(struct inspection *i, const struct wire_memory *list, int count);
void inspection_take_pass(struct inspection *i, const struct launch_config *config);
void inspection_take_block(struct inspection *i, const struct trace_block *block);

// Call this after a trial has run. True: it must run again, with the same inspection, because the
// counts are not settled (counting.h).
bool inspection_must_repeat(struct inspection *i);

// A finding, with the places in the compiled code that it is about.
struct finding {
    char what[256];  // empty: nothing
    unsigned int site[3];
    int site_count;
};
const struct finding *inspection_bounds(const struct inspection *i);
struct finding inspection_race(struct inspection *i);

// Sums over all passes, of global or shared memory.
struct lens_counts inspection_counts(const struct inspection *i, enum trace_space space);
// The site with most sectors, or wavefronts, beyond the ideal. False: there is none.
bool inspection_worst(struct inspection *i, enum trace_space space, unsigned int *site);

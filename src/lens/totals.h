// totals.h -- the counts of a launch, for each of its instructions.
//
// Requests of one site are kept apart if they differ in what they do, where, or in bytes a lane:
// one instruction may copy from global to shared memory, or follow pointers into both.
//
// One thread at a time: each worker of a launch has totals of its own, which are merged at its end.
#ifndef TOTALS_H
#define TOTALS_H

#include "lens/model.h"

struct totals;

struct totals_row {
    unsigned int site;          // as in trace.h
    unsigned char kind, space;  // enum trace_kind and enum trace_space
    unsigned char bytes;        // a lane
    struct lens_counts counts;
};

struct totals *totals_create(void);
void totals_destroy(struct totals *t);  // accepts NULL

void totals_add(struct totals *t, const struct lens_request *r);
void totals_merge(struct totals *to, const struct totals *from);
void totals_clear(struct totals *t);

// The rows by rising site, then kind, space and bytes. They are valid until the next change.
const struct totals_row *totals_rows(struct totals *t, int *count);

// The sum over all instructions that do that.
struct lens_counts totals_of(const struct totals *t, enum trace_space space, enum trace_kind kind);

#endif

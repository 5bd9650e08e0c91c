// checker.h -- compares a kernel's result with the reference, or with another kernel's result, on a
// thread of its own.
//
// It runs one check at a time, and a new one replaces a waiting one. One thread makes all calls.
#ifndef CHECKER_H
#define CHECKER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "filter/filter.h"
#include "filter/reference.h"

struct checker;

enum checker_state { CHECKER_NONE, CHECKER_RUNNING, CHECKER_DONE };

struct checker *checker_create(void);
void checker_destroy(struct checker *c);  // accepts NULL

// Memory for a result of that shape, to be filled by the caller before checker_begin. Waits for a
// check in hand, which is a few milliseconds. Pixels are NULL when there is no memory.
struct planes checker_buffer(struct checker *c, struct planes shape);

// Compares a few hundred pixels of the buffer with the filter's reference over source, which must
// stay as it is until checker_drain. rows: the only ones that the caller has filled; NULL: all are.
// NONE from then on when the filter has no reference.
void checker_begin(struct checker *c, const struct filter *f, struct planes source,
                   const struct param_values *values, const struct reference_rows *rows);

// Instead: another result of the same shape, and all pixels of the two compared with each other.
struct planes checker_other(struct checker *c, struct planes shape);
void checker_begin_pair(struct checker *c);

// The last check's state; DONE fills the result.
enum checker_state checker_result(struct checker *c, struct image_difference *result);

void checker_drain(struct checker *c);   // waits for the check in hand
void checker_forget(struct checker *c);  // the result no longer matters

#endif

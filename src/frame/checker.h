// checker.h -- compares a kernel's result with the reference, or with another kernel's result, on a
// thread of its own.
//
// It runs one check at a time, and a new one replaces a waiting one. One thread makes all calls.
#ifndef CHECKER_H
#define CHECKER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/lab_check.h"
#include "frame/reference.h"

struct checker;

enum checker_state { CHECKER_NONE, CHECKER_RUNNING, CHECKER_DONE, CHECKER_FAILED };

struct checker *checker_create(void);
void checker_destroy(struct checker *c);  // accepts NULL

// Memory for a result of that shape, which the caller fills before checker_begin. It drains. Pixels
// are NULL if there is no memory.
struct planes checker_buffer(struct checker *c, struct planes shape);

// Some hundred random pixels of a buffer of which the caller has filled these rows; NULL: all.
struct reference_samples checker_samples(const struct reference_rows *rows);

// Compares such pixels of the buffer with a filter's reference over source. Both must stay as they
// are until checker_drain.
void checker_begin(struct checker *c, const struct reference *reference, struct planes source,
                   const struct reference_samples *samples);

// Compares elements of a lab's arrays instead. The check is copied; what it borrows must stay until
// checker_drain.
void checker_begin_lab(struct checker *c, const struct lab_check *check);

// Compares all pixels of two results instead; this is the second one's memory.
struct planes checker_other(struct checker *c, struct planes shape);
void checker_begin_pair(struct checker *c);

// The last check's state. DONE fills the result; FAILED says in err what the REFERENCE did instead
// of coming back.
enum checker_state checker_result(struct checker *c, struct image_difference *result,
                                  struct error *err);
// How much of a lab's running check is done, 0 ... 1.
double checker_progress(struct checker *c);

// The result no longer matters, and a running check ends soon. checker_drain waits until it has; it
// waits for a few milliseconds.
void checker_forget(struct checker *c);
void checker_drain(struct checker *c);

#endif

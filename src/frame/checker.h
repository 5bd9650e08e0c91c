// checker.h -- compares a frame's result with the file's REFERENCE, or two pictures with each
// other, on a thread of its own.
//
// It runs one check at a time, and brings together what that needs: the reference, compiled for the
// host, and host copies of a lab's in arrays. One thread makes all calls.
#ifndef CHECKER_H
#define CHECKER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/check.h"

struct checker;

enum checker_state {
    CHECKER_NONE,
    CHECKER_WAITS,       // for the compiler, or for more of the in arrays: begin again
    CHECKER_IMPOSSIBLE,  // there is nothing to compare with, or no memory
    CHECKER_LOST,        // the device failed
    CHECKER_RUNNING,
    CHECKER_DONE,    // there is a result
    CHECKER_FAILED,  // the REFERENCE faulted, or did not come back
};

struct checker *checker_create(void);
void checker_destroy(struct checker *c);  // accepts NULL

// A check of what a planned frame has left in its memory. The queue must be idle.
struct checker_task {
    const struct references *references;  // NULL: nobody compiles
    const struct frame *frame;
    const struct frame_memory *memory;
    // Of a picture: what the frame began with, in host memory, which stays until checker_forget();
    // what its target holds, in host memory (pixels NULL: some rows are read); how many pixels are
    // compared (0: some hundred).
    struct planes source, result;
    int pixels;
    // Waits until all in arrays are copied, and refuses those that hold more bytes. 0: copies some
    // megabytes a call, of any.
    double most_bytes;
    // All checks of the same source and params are of the same samples, and the reference answers
    // once for all of them.
    bool keeps_answers;
};

// Begins a check in place of the one before. RUNNING: checker_result() will have it. Else WAITS,
// IMPOSSIBLE or LOST; err says how the device failed.
enum checker_state checker_begin(struct checker *c, const struct checker_task *task,
                                 struct error *err);
// The same, and waits while it WAITS.
enum checker_state checker_begin_now(struct checker *c, const struct checker_task *task,
                                     struct error *err);
// Compares all pixels of two pictures of one shape instead, which stay until checker_forget().
void checker_begin_pair(struct checker *c, struct planes a, struct planes b);

// The last check's state. DONE fills the result; FAILED says in err what the REFERENCE did.
enum checker_state checker_result(struct checker *c, struct image_difference *result,
                                  struct error *err);
double checker_progress(struct checker *c);  // how much of a running check is done, 0 ... 1
// What a check that is DONE has compared.
const struct check *checker_check(const struct checker *c);

// Ends a running check without a result, which takes some milliseconds, and frees the copies. What
// was borrowed may go.
void checker_forget(struct checker *c);

#endif

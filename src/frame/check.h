// check.h -- a frame's result, compared with the file's REFERENCE.
//
//     a picture    pixels: corners and edges first, then others that a seed spreads
//     an array     runs of elements: the first, the last, and others that a seed spreads; or all
//
// Samples are taken from a picture in host memory, or read from the device's memory. A REFERENCE
// reads what the frame began with, in host memory (struct check_inputs). A checker does all of it,
// one check at a time, and compares on a thread of its own. One thread, which uses the backend,
// makes all calls; check_compare() may run on another one.
#ifndef CHECK_H
#define CHECK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/frame.h"
#include "frame/reference.h"

// ---- what a frame began with ----

// Arrays are laid out as on the device; only the in arrays are there. {0}: nothing.
struct check_inputs {
    struct planes picture;  // borrowed, and set by the caller
    unsigned char *memory;
    struct arrays_layout layout;
    const struct filter *filter;
    struct param_values params;
    int array;    // the one that is being copied; all before it are there
    size_t done;  // of its bytes
};

bool check_inputs_is_of(const struct check_inputs *inputs, const struct frame *frame);
// The bytes that are copied: all up to the last in array that is no picture.
size_t check_inputs_bytes(const struct frame *frame);
// Makes room for a planned frame's arrays. False: no memory.
bool check_inputs_begin(struct check_inputs *inputs, const struct frame *frame, struct error *err);
// Copies some megabytes more, and waits for them. *is_complete: all are there.
bool check_inputs_step(struct check_inputs *inputs, const struct frame *frame,
                       const struct frame_memory *memory, bool *is_complete, struct error *err);
void check_inputs_finish(struct check_inputs *inputs);  // accepts a zeroed one

// ---- samples ----

enum { CHECK_MOST = 1024, CHECK_ROWS = 16, CHECK_RUNS = 16, CHECK_RUN = 32 };

// What a REFERENCE may take for one pixel or element, in milliseconds of processor time, before it
// counts as endless. Of the program's own, the slowest takes half a second: one bin of 2^30 bytes.
enum { CHECK_LIMIT_MS = 3000 };

struct check_sample {
    int array;
    long long index;
    double is, wanted;
};

bool check_sample_is_right(const struct check_sample *s);  // after check_compare()

// The caller fills in the first two.
struct check {
    struct reference reference;
    const struct check_inputs *inputs;  // complete; borrowed
    struct check_sample samples[CHECK_MOST];
    int count;
    int written_behind;  // the number of an array from 1, behind which something was written; or 0
    bool has_answers;    // the same samples were compared before: they keep what was wanted
};

// Takes so many pixels of a picture, at most CHECK_MOST.
void check_take(struct check *check, struct planes result, int count, unsigned int seed);
// Reads a frame's result from its memory, and waits: elements of the arrays, and what lies behind
// them, which frame_poison() has filled before; or so many pixels of some rows of the target: the
// first, the last, and others.
bool check_read(struct check *check, const struct frame *frame, const struct frame_memory *memory,
                int count, unsigned int seed, struct error *err);
// Counts the samples that are compared up in steps. stop: when it becomes true, the rest is left
// out; NULL: never. x and y of what is found are a column and a row; plane is that of a picture, or
// else the array.
// False: the REFERENCE faulted, or did not come back.
bool check_compare(struct check *check, const atomic_bool *stop, atomic_uint *steps,
                   struct image_difference *found, struct error *err);

// ---- a checker ----

// It compares a frame with the REFERENCE, or two pictures with each other.
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

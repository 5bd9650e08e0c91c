// check.h -- compares a frame's result with the file's reference.
//
// A checker takes samples: runs of elements of a picture's planes or of arrays. Those at corners
// and edges come first, then others that a seed spreads; small pictures and arrays are compared as
// a whole. If it is asked for lines, a whole row follows and, where reading costs little, a whole
// column, as far as the reference comes in CHECK_LINES_MS: what is wrong in every row or in every
// column shows there. It reads them from the device's memory, copies what the reference reads to
// the host, and compares on a thread of its own, one check at a time. Samples that are off by no
// more than the choice's tolerance (filter_tolerance) count as equal. One thread, which uses the
// backend, makes all calls.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/frame.h"
#include "frame/reference.h"

// Samples of a run are read at once, with what lies between them.
enum { CHECK_MOST = 4096, CHECK_SAMPLES = 512, CHECK_RUN = 8, CHECK_SPAN = 256 };
enum { CHECK_LINES = 8192, CHECK_LINES_MS = 30 };  // their elements at most, of the thread's time

struct check_sample {
    int array;
    long long index;
    double is, wanted;
    bool is_right;  // within the tolerance
};

struct checker;

enum checker_state {
    CHECKER_NONE,
    CHECKER_WAITS,       // for the compiler, or for more of the in arrays: begin again
    CHECKER_IMPOSSIBLE,  // there is nothing to compare with, or no memory
    CHECKER_LOST,        // the device failed
    CHECKER_RUNNING,
    CHECKER_DONE,    // there is a result
    CHECKER_FAILED,  // the reference faulted, or did not come back
};

struct checker *checker_create(void);
void checker_destroy(struct checker *c);  // accepts NULL

// A check of the results of a planned frame. frame_poison() has filled its memory before, so that
// the check also finds what was written behind an array. The queue must be idle.
struct checker_task {
    const struct references *references;  // NULL: nobody compiles
    const struct frame *frame;
    const struct frame_memory *memory;
    // The picture that a filter's frame began with, in host memory. It stays until
    // checker_forget().
    struct planes source;
    int samples;  // at most CHECK_MOST; 0: CHECK_SAMPLES
    bool has_lines;
    // Above 0: one call copies all in arrays, and refuses those that hold more bytes than this. 0:
    // each call copies some megabytes, however many there are.
    double most_bytes;
    // All checks of the same source and params compare the same samples, which the reference
    // computes once.
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

// The last check's state. DONE fills the result: x and y are a column and a row, and plane is a
// picture's plane, or else the array's index. FAILED says in err what the reference did.
enum checker_state checker_result(struct checker *c, struct image_difference *result,
                                  struct error *err);
double checker_progress(struct checker *c);  // how much of a running check is done, 0 ... 1
// The comparison of a check that is DONE.
const struct check_sample *checker_samples(const struct checker *c, int *count);

// True if the order of float additions explains that a lab's result differs. Its check is DONE.
//
// Sums of the same n numbers in two orders differ by at most about n / 2^24 of the sum of their
// magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). What a lab adds
// up is not known here. So n is the longest side of its in arrays, and the largest magnitude of the
// float in arrays and of what is wanted stands for the sum. No more than a thousandth of it is
// explained. If each wanted element of an array is found in them, too, the lab only moves values,
// and nothing is explained.
bool checker_rounding_explains(const struct checker *c);

// Ends a running check without a result, which takes some milliseconds, and frees the copies. Then
// what was borrowed may be freed.
void checker_forget(struct checker *c);

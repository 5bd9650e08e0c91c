// headless.h -- runs variants over a picture, or variants of a lab, without a window, one after the
// other. `tilescope render`, its sheet and the hand-out of a tour share it.
//
// The struct owns everything; {0} is a valid nothing.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/frame.h"

struct headless {
    struct filter_list filters;
    struct image picture;  // of filters
    struct image result;   // of the last run: of the picture's shape, or a lab's array as a picture
    char *picture_path, *picture_sha256;
    bool is_grey;  // the picture was read as grey
    int array;     // of a lab, that is painted; -1: the first one that it writes
    bool is_once;  // only one variant will run, so the others' kernels are not compiled
    struct backend *backend;
    double kernel_ms;  // one cold launch of the last run
};

// Poisons a frame's target, launches, and waits; *ms is the time of the launches. If they take 5 s
// and stderr is a terminal, it says so there in one line. What kernels printed goes to stderr, too.
// A signal that ends the program cancels the launches where the device can; err says so.
bool headless_launch(const struct frame *frame, const struct frame_memory *memory, double *ms,
                     struct error *err);
bool headless_run(struct headless *r, const struct choice *s, struct error *err);
void headless_finish(struct headless *r);

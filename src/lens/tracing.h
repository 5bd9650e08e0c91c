// tracing.h -- traces a choice on the emulator and counts: one block, or a whole launch.
//
// It has a CPU device of its own, so it disturbs no other, whatever device shows the picture. All
// passes of the variant run. What a pass reads is there, because those before it ran in whole, or
// because the blocks that the traced one needs have run (traced_block.h).
// Kernels of prepare= run, too, but are not counted. A kernel that faults, does too much or does
// not end is given up; the device is then opened anew for the next request.
//
// Its memory is bounded (share.h). One thread makes all calls, and they wait. traces.h does this
// beside the picture.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "filter/choice.h"
#include "lens/lens_result.h"
#include "lens/share.h"

struct tracing;

struct tracing_request {
    struct choice choice;      // borrowed while it runs
    unsigned filters_version;  // counts up when kernels or their headers were saved
    struct planes picture;     // in host memory, borrowed alike; of a lab it does not matter
    unsigned picture_version;  // another number: other pixels
    bool is_whole;             // else only the block of x and y
    int x, y;          // a pixel of the first plane that the block writes, or a column and row of a
                       // lab's domain; beyond it: the nearest
    bool has_sectors;  // a whole launch's sectors are counted, too; it is still the same request
    int multiprocessors;  // of the device whose launch it is, for grids that depend on it; 0: of
                          // this CPU
};

// True: the same launch on the same picture; for tracing_is_same, also the same part of it.
bool tracing_is_same_launch(const struct tracing_request *a, const struct tracing_request *b);
bool tracing_is_same(const struct tracing_request *a, const struct tracing_request *b);

// Other threads may read and change this while a request runs. {0} is a valid nothing.
struct tracing_watch {
    atomic_bool cancel;        // becomes true: the request fails soon with "cancelled"; kernels
                               // that are being compiled become ready first
    atomic_bool cancel_build;  // becomes true: compiling them fails soon, too
    atomic_bool is_building;   // its kernels are compiled
    atomic_uint permille;      // of a whole launch
};

// include: the folder with kernel.h. NULL: there is no device or no C++ compiler, and err says why.
struct tracing *tracing_create(const char *include, enum share share, struct error *err);
void tracing_destroy(struct tracing *t);  // accepts NULL

// NULL: err has one line that says why, or the compiler's log. The caller frees the result.
struct lens_result *tracing_run(struct tracing *t, const struct tracing_request *request,
                                struct tracing_watch *watch, struct error *err);

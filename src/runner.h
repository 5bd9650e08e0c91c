// runner.h -- keeps one variant running on one picture, and measures it honestly.
//
// Between frames it is told what to run; each frame it is handed a target and queues, in this
// order,
//
//     mark · the frame, n times · mark · now and then: a device copy, or the naive variant, timed
//     alike
//
// Times are of the device's clock. Launches shorter than 0.2 ms are repeated within a frame (n) so
// that the marks' own resolution does not show; the time is the span over n. The copy moves the
// picture's bytes from one buffer to another in the same conditions: it is the floor that "% of
// copy" means.
//
// Does not know windows, GL or text. One thread.
#ifndef RUNNER_H
#define RUNNER_H

#include <stdbool.h>

#include "backend.h"
#include "builder.h"
#include "error.h"
#include "filter.h"
#include "launch.h"
#include "stats.h"

struct runner;

enum runner_state {
    RUNNER_COMPILING,  // the first module for this filter is not there yet
    RUNNER_REFUSED,    // the launch would be illegal, or the kernel does not compile; err says why
    RUNNER_READY,      // runner_begin may be called
};

// What is known about the frames shown.
struct runner_report {
    struct stats_summary ms;  // of one launch of the variant, all its passes
    bool is_settled;
    bool is_generic;            // unrolled was asked for, but its module is still being compiled
    int repeats;                // launches in the last frame
    double copy_ms;             // median; 0: not measured yet
    double naive_ms;            // median for the same params and unroll; 0: not measured
    struct kernel_facts facts;  // of the first pass
    size_t shared_bytes;        // dynamic, of the first pass
    struct occupancy occupancy;
};

// The builder compiles for the same backend; both are borrowed.
struct runner *runner_create(struct backend *b, struct builder *builder);
void runner_destroy(struct runner *r);  // accepts NULL; waits for the queue

// Brings a picture (host memory, copied) onto the device. Call between frames.
bool runner_set_picture(struct runner *r, struct view picture, struct error *err);

// After the sources changed: compile with another builder from now on; what was measured is
// forgotten. Waits for the queue, so that the old builder may go.
void runner_adopt(struct runner *r, struct builder *builder);

// What to run from now on. Cheap when nothing changed; else times start anew.
enum runner_state runner_choose(struct runner *r, const struct filter *f, const struct variant *v,
                                const struct settings *s, struct error *err);

// Queues a frame into target (backend memory of the picture's shape). Only when READY.
bool runner_begin(struct runner *r, struct view target, struct error *err);
// IDLE: the frame begun last is complete and its time counted. FAILED: a device fault.
enum backend_state runner_poll(struct runner *r, struct error *err);
// Gives the frame in hand up: its time does not count and its target is undefined.
void runner_cancel(struct runner *r);

// Asks the driver for the occupancy: not for every frame.
struct runner_report runner_report(const struct runner *r);

// CPU time to queue one launch of the last frame.
double runner_launch_ms(const struct runner *r);

// Milliseconds that a launch will take, from what was measured on this picture: of the same variant
// if anything is, else of the filter's slowest. Rather too long than too short; 0: nothing is
// known.
double runner_predict(const struct runner *r, const struct filter *f, const struct variant *v,
                      const struct settings *s);

#endif

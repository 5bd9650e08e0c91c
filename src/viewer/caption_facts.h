// caption_facts.h -- what there is to say about a side of the window. Its pane knows most of it.
#ifndef CAPTION_FACTS_H
#define CAPTION_FACTS_H

#include <stdbool.h>

#include "frame/engine.h"
#include "gl/interop.h"
#include "measure/baseline.h"

struct caption_facts {
    struct choice choice;  // what they are about
    const struct device *device;
    struct planes picture;  // its shape
    int array;              // of a lab, that is shown; -1: the first one that it writes
    bool has_common_scale;  // both sides show that array, between the same values:
    struct array_scale scale;
    const char *picture_name;
    enum interop_path path;
    bool lacks_gpu;               // kernels run on the CPU because there is no other device
    struct engine_report report;  // empty unless the choice is current
    struct result known;          // no times unless it is current; right only if it was compared
    double copy_ms, naive_ms;     // results_copy_ms(), results_naive_ms(); 0: not known
    double check_done;            // how much of a running check is done, 0 ... 1
    bool is_current;              // the shown picture was made with these settings
    bool is_refused;              // it never will be: the launch was refused
    bool is_empty;                // and nothing is shown in its place
    unsigned shown_again;         // frames so far that the window did not take over at once
    double running_s;             // its first frame takes that long, but goes on; 0: it does not
    bool is_compiling;            // nothing can run before the compiler has come back
    bool is_frozen;
    struct stats_summary frame_ms;    // between pictures; count 0: not known
    struct stats_summary host_ms;     // CPU: map, launch, unmap; count 0: not known
    const struct baseline *baseline;  // NULL, or of no samples: none is pinned
    const char *vsync;                // "on", "off" or "unknown"
};

#endif

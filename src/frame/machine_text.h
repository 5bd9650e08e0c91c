// machine_text.h -- the machine code of a kernel file as text for machine_code.h, with or without a
// GPU. nvdisasm prints the code that the device loaded, or else the code that NVRTC makes of the
// file.
//
// A call takes 0.1 to 2 s. Any thread may call. NVRTC may run in a process apart (translator.h).
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/machine_code.h"
#include "filter/filter.h"
#include "frame/translator.h"

// The target to compile for if nobody names one: the GPU, or else an H200, whose times come with
// the program.
struct build_target machine_text_target(const struct device *device);
// Reads "sm_86" or "86". False: err shows the form.
bool machine_text_read_arch(const char *text, struct build_target *target, struct error *err);

struct machine_text {
    char *text;  // of all kernels of the file; g_free frees it; NULL: there is none
    struct error
        why_no_sass;  // why it is PTX, though SASS was wanted; empty: it is what was wanted
};

// asked: the params as literals (launch_build, or ""), the headers' folder and the target; with
// cancel, which stops nvdisasm, too, NVRTC runs apart. loaded: what a GPU runs of the file; NULL:
// NVRTC compiles it. False: NVRTC is not installed, refuses the file or the architecture, or was
// stopped.
bool machine_text_make(struct machine_text *m, const struct filter *f,
                       const struct translation *asked, const struct build_code *loaded,
                       struct error *err);

// machine_text.h -- what a GPU runs of a kernel file, as text for machine_code.h, with or without a
// GPU: NVRTC compiles the file as it does for the device, and nvdisasm prints the machine code.
//
// It takes 0.1 to 2 s and holds the caller for as long. Any thread may call.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/filter.h"

// What to compile for if nobody says: the GPU, or else the one of the times that the program comes
// with, an H200.
struct build_target machine_text_target(const struct device *device);
// Reads "sm_86" or "86". False: err shows the form.
bool machine_text_read_arch(const char *text, struct build_target *target, struct error *err);

struct machine_text {
    char *text;  // of all kernels of the file; g_free frees it; NULL: there is none
    struct error
        why_no_sass;  // why it is PTX, though SASS was wanted; empty: it is what was wanted
};

// params: literals (launch_build), or "". include: the folder of the shared headers. False: NVRTC
// is not installed, or refuses the file or the architecture.
bool machine_text_make(struct machine_text *m, const struct filter *f, const char *params,
                       const char *include, struct build_target target, struct error *err);

// device_choice.h -- chooses the device that computes and the path on which its pictures reach the
// window, and says why it took no better ones.
//
// It prefers the GPU that draws the window, by interop; then any GPU, staged; then the CPU. It
// needs a current GL context.
#ifndef DEVICE_CHOICE_H
#define DEVICE_CHOICE_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "gl/interop.h"

struct device_choice {
    struct backend *backend;  // the caller closes it
    enum interop_path path;
    bool has_interop;    // whether interop works; where staged is asked for, whether it may
    char reasons[2048];  // a line for each better choice that was not taken
};

// device and path are words of the command line; "auto" or NULL: the best. err says why a forced
// one is refused. Nothing is mapped where staged is asked for. The watchdog guards the attempt;
// NULL: none.
bool device_choice_make(struct device_choice *c, const char *device, const char *path,
                        struct watchdog *watchdog, struct error *err);

#endif

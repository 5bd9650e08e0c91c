// device_suite.h -- what test_kernels and test_labs have in common: the command line, the device,
// the references and the kernel files.
//
//     test_<name> DEVICE [BILLIONS [NAME [FOLDER]]]      skips (77) where there is no such device
//
// BILLIONS of steps bound what is run (0: nothing does), and NAME is the only file to look at.
#ifndef DEVICE_SUITE_H
#define DEVICE_SUITE_H

#include "base/error.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "frame/reference.h"

struct device_suite {
    struct backend *backend;
    struct references references;
    struct filter_list filters;
    double max_steps;
    const char *only;  // NULL: all
};

// What a program's main does. `check` looks at all files and fills `outcome` for the last line; it
// returns false with err if it could not go on.
struct device_suite_outcome {
    long run, wrong, refused, left_out;
};
typedef bool device_suite_check(struct device_suite *s, struct device_suite_outcome *outcome,
                                struct error *err);
int device_suite_main(int argc, char **argv, device_suite_check *check);

#endif

// headless.h -- runs variants over a picture without a window, one after the other. `tilescope
// render` and its sheet share it.
//
// It does not print. The struct owns everything; {0} is a valid nothing.
#ifndef HEADLESS_H
#define HEADLESS_H

#include <stdbool.h>

#include "app/options.h"
#include "base/error.h"
#include "base/image.h"
#include "device/backend.h"

struct headless {
    struct filter_list filters;
    struct image picture, result;  // result is the last run's and has the picture's shape
    char *picture_path, *picture_sha256;
    bool is_grey;  // the picture was read as grey
    struct backend *backend;
    double kernel_ms;  // one cold launch of the last run
};

bool headless_load_picture(struct headless *r, const char *path, bool is_grey, struct error *err);
bool headless_run(struct headless *r, const struct choice *s, struct error *err);
void headless_finish(struct headless *r);

// Adds the text chunks that name a choice and the device.
void headless_describe(const struct headless *r, const struct choice *s, struct image_texts *texts);

// `render --sheet`, in render_sheet.c: makes one picture of all wanted variants and their times.
enum outcome headless_sheet(const struct options *o, const char *picture, const char *output);

#endif

// rendering.h -- what `tilescope render` and its sheet share: the filters, a picture and a device,
// and variants run over the picture one after the other, without a window.
//
// Does not print. Everything is owned and released as a whole; {0} is a valid nothing.
#ifndef RENDERING_H
#define RENDERING_H

#include <stdbool.h>

#include "backend.h"
#include "error.h"
#include "image.h"
#include "options.h"

struct rendering {
    struct filter_list filters;
    struct image picture, result;  // result: of the last run, of the picture's shape
    char *picture_path;
    bool is_grey;  // the picture was read as grey
    struct backend *backend;
    double kernel_ms;  // of the last run: one cold launch
};

bool rendering_load_filters(struct rendering *r, const struct options *o, struct error *err);
bool rendering_load_picture(struct rendering *r, const char *path, bool is_grey, struct error *err);
bool rendering_open_device(struct rendering *r, const struct options *o, struct error *err);
bool rendering_run(struct rendering *r, const struct selection *s, struct error *err);
void rendering_finish(struct rendering *r);

// The settings as state.h's text, for the picture to carry; the caller frees it.
char *rendering_state(const struct rendering *r, const struct selection *s);

// The text chunks that name a selection and the device; their texts live in the struct.
enum { RENDERING_MAX_TEXTS = 12 + FILTER_MAX_PARAMS };
struct rendering_texts {
    struct image_text texts[RENDERING_MAX_TEXTS];
    int count;
    char values[FILTER_MAX_PARAMS][FILTER_VALUE];
    char block[32], size[32];
    char *picture_name, *state;  // owned
};
void rendering_describe(const struct rendering *r, const struct selection *s,
                        struct rendering_texts *texts);
void rendering_texts_finish(struct rendering_texts *texts);

// `render --sheet`, in render_sheet.c: every variant asked for, as one picture with their times.
enum outcome rendering_sheet(const struct options *o, const char *picture, const char *output);

#endif

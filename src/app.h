// app.h -- the state of the interactive program, and what each action does to it.
//
// Actions only change state, within limits; the viewer looks at the state before every frame and
// acts. Does not know GL, backends or files. One thread.
#ifndef APP_H
#define APP_H

#include <stdbool.h>

#include "filter.h"
#include "launch.h"

enum { APP_MAX_FILTERS = 64 };

// A filter's own choice; each filter remembers its last.
struct app_choice {
    int variant;
    struct settings settings;
};

struct app {
    const struct filter_list *filters;  // borrowed
    int filter;
    int param;  // of the filter, for app_change_param; where that is none or the radius: the first
                // other
    struct app_choice choices[APP_MAX_FILTERS];

    int picture, picture_count;
    bool wants_staged;  // path: host copies although interop would work
    bool wants_vsync;
    bool is_frozen, is_bare, is_light, has_help;  // bare: without overlay
    double text_scale;                            // 0.5 ... 4

    // Wishes; the viewer fulfils and clears them.
    bool wants_screenshot, wants_reload, wants_quit;

    char note[160];  // what to tell the user about the last action; empty: nothing
};

void app_init(struct app *a, const struct filter_list *filters, int picture_count);

// After a reload: keeps the choices of filters and variants that still exist, by name.
void app_adopt(struct app *a, const struct filter_list *filters);

const struct filter *app_filter(const struct app *a);
const struct variant *app_variant(const struct app *a);
struct settings *app_settings(struct app *a);

// Actions. What step, index and so on mean stands in input.c's table.
void app_choose_variant(struct app *a, int index);  // notes when there is none
void app_step_variant(struct app *a, int step);
void app_step_filter(struct app *a, int step);
void app_step_radius(struct app *a, int step);
void app_step_param(struct app *a, int step);    // chooses among the params beside the radius
void app_change_param(struct app *a, int step);  // ints by one, floats by a 256th of their range
void app_scale_block_width(struct app *a, int step);  // halves (-1) or doubles (+1), 1 ... 1024
void app_scale_block_height(struct app *a, int step);
void app_step_block(struct app *a, int step);  // through the common shapes
void app_toggle_unroll(struct app *a, int unused);
void app_toggle_staged(struct app *a, int unused);
void app_step_picture(struct app *a, int step);
void app_ask_screenshot(struct app *a, int unused);
void app_ask_reload(struct app *a, int unused);
void app_ask_quit(struct app *a, int unused);  // closes the help screen first, if open
void app_toggle_frozen(struct app *a, int unused);
void app_toggle_vsync(struct app *a, int unused);
void app_toggle_bare(struct app *a, int unused);
void app_toggle_theme(struct app *a, int unused);
void app_toggle_help(struct app *a, int unused);
void app_scale_text(struct app *a, int step);

#endif

// app.h -- the state of the interactive program, and what each action does to it.
//
// Actions change the state within its limits, and nothing else. The viewer's jobs look at the state
// every turn and follow it. Switches have no action here: input.c's table names their bools. Does
// not know GL, backends or files. One thread.
#ifndef APP_H
#define APP_H

#include <stdbool.h>

#include "filter/filter.h"
#include "filter/launch.h"
#include "screen/viewport.h"

enum { APP_MAX_FILTERS = 64, APP_UNDOS = 64 };
enum { APP_A, APP_B, APP_SIDES };

// A filter's own choice; each filter remembers its last.
struct app_choice {
    int variant;
    struct settings settings;
    int kept_width, kept_height;  // block to go back to after a variant that has its own; 0: none
};

// One of the two pictures that are compared: what it is made with.
struct app_side {
    int filter;
    int param;  // of the filter, for app_change_param; where that is none or the radius: the first
                // other
    struct app_choice choices[APP_MAX_FILTERS];
};

// What a side was before an action, to be able to go back.
struct app_mark {
    int side, filter;
    struct app_choice choice;
    int undo_count;
};

struct app {
    const struct filter_list *filters;  // borrowed

    struct app_side sides[APP_SIDES];
    int side;           // that keys act on, and that is shown where there is only one: then APP_A
    bool is_comparing;  // both are shown
    bool has_compared;  // B has been chosen once
    bool is_flipped;    // while a key is held: each side shows the other's picture
    bool has_difference;
    double divider;  // between them, in parts of the window's width

    bool has_bars, has_sweep, has_heat, has_grid;  // panels that are open
    struct viewport viewport;

    int picture, picture_count;
    bool is_staged;  // pictures go through the host although interop would work
    bool has_vsync;  // is asked of the driver
    bool is_frozen, has_help, is_light, is_fullscreen;
    bool is_bare;       // without bands and panels
    double text_scale;  // 0.5 ... 4

    bool has_tour;  // a tour is being played: space goes on with it

    struct app_mark undo[APP_UNDOS];  // oldest first
    int undo_count;

    char note[160];  // what to tell the user about the last action; empty: nothing
};

void app_init(struct app *a, const struct filter_list *filters, int picture_count);

// After a reload: keeps the choices of filters and variants that still exist, by name.
void app_adopt(struct app *a, const struct filter_list *filters);

// Of the side that keys act on.
const struct filter *app_filter(const struct app *a);
const struct variant *app_variant(const struct app *a);
struct settings *app_settings(struct app *a);

// Of any side.
const struct filter *app_side_filter(const struct app *a, int side);
struct app_choice *app_side_choice(struct app *a, int side);

// Whoever lets the user change something marks before and records after it, for app_undo.
struct app_mark app_mark(struct app *a);
void app_record(struct app *a, const struct app_mark *before);

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
void app_step_picture(struct app *a, int step);
void app_undo(struct app *a, int unused);  // the last change of a filter, variant or setting
void app_toggle_compare(struct app *a,
                        int unused);  // closed, the side that keys acted on stays, as A
void app_swap_sides(struct app *a, int unused);
void app_set_flipped(struct app *a, int is_flipped);
void app_toggle_difference(struct app *a, int unused);
void app_toggle_sweep(struct app *a, int unused);
void app_fit(struct app *a, int unused);  // the picture into the window
void app_set_block(struct app *a, int width, int height);
void app_set_radius(struct app *a, int radius);
void app_scale_text(struct app *a, int step);

// Actions that may have nothing to do, and then the key asks the viewer for something instead.
bool app_close(struct app *a);       // what is open over the picture, one at a time
bool app_close_help(struct app *a);  // the help screen only
bool app_freeze(struct app *a);      // or goes on; nothing to do while a tour is played

#endif

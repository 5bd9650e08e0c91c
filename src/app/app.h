// app.h -- the state of the interactive program, and what each action does to it.
//
// Actions change the state within its limits, and nothing else. The viewer's jobs follow the state
// every turn. Switches have no action here; input.c's table names their bools. This module does not
// know GL, backends or files. One thread uses it.
#pragma once

#include <stdbool.h>

#include "filter/filter.h"
#include "screen/baseline.h"
#include "screen/lens_model.h"
#include "screen/viewport.h"

enum { APP_MAX_FILTERS = FILTER_MAX_FILES, APP_UNDOS = 64 };
enum { APP_A, APP_B, APP_SIDES };

// The last choice for a filter. Each filter remembers its own.
struct app_choice {
    int variant;
    struct settings settings;
    int kept_width, kept_height;  // the block before a variant that has its own; 0: none
    char axis[FILTER_NAME];       // the param that a sweep goes through; empty: the filter's own
    char array[ARRAYS_NAME];      // of a lab, that is shown; empty: the first one that it writes
};

// One of the two pictures that are compared: its filters and choices.
struct app_side {
    int filter;
    int param;  // for app_change_param; the filter's own axis, or none: the first other
    struct app_choice choices[APP_MAX_FILTERS];
};

// A side as it was before an action, for app_undo.
struct app_mark {
    int side, filter;
    struct app_choice choice;
    int undo_count;
};

// How far a source dock is scrolled: its first line. The viewer says how far it can be, and how
// many lines are on a page.
struct app_scroll {
    double first;
    int last, page;
};

// Where the lens goes. Steps wait until the viewer has the traced block, also while it is closed. A
// lens that opens on another kernel begins at its first request.
struct app_lens {
    int steps[LENS_WAYS];             // asked for and not yet gone; the viewer goes them
    bool is_new;                      // begins; the viewer has not seen that yet
    const struct variant *closed_on;  // only compared, never read
};

// The text typed over the picture: words that find a row, or a value (palette.h).
enum app_menu {
    APP_MENU_NONE,
    APP_MENU_ALL,  // finds everything
    APP_MENU_TOURS,
    APP_MENU_STEPS,
    APP_MENU_VALUE
};

struct app {
    const struct filter_list *filters;  // borrowed

    struct app_side sides[APP_SIDES];
    int side;           // keys act on it; APP_A if only one is shown
    bool is_comparing;  // both are shown
    bool has_compared;  // B has been chosen once
    bool is_flipped;    // each side shows the other's picture, while a key is held
    bool has_difference;
    double divider;  // its place, as a part of the window's width

    bool has_bars, has_sweep, has_heat, has_grid;  // panels that are open
    bool has_roof;                                 // the roofline, in the sweep's place
    bool has_source, has_changes;  // has_changes: with what the variant above does not have
    bool has_machine;              // the machine code, in the source's place
    const char *no_machine;        // why none can be shown; NULL: it can. The viewer says
    struct app_scroll scrolls[APP_SIDES];
    bool has_lens, has_full_lens;  // full: it has the whole window, while it is open
    bool is_playing;               // the lens steps by itself, while it is open
    int play_pace;                 // it goes 2 to that power steps a second
    struct app_lens lens;
    bool has_whole[APP_SIDES];         // the lens is to trace the side's whole launch
    bool runs_whole[APP_SIDES];        // and does so now: the viewer says
    bool has_sharing[SHARING_COUNTS];  // one at most: what is counted of sectors
    struct viewport viewport;

    int picture, picture_count;
    bool is_staged;  // pictures go through the host, even if interop works
    bool has_vsync;  // the driver is asked for it
    bool is_frozen, has_help, is_light, is_fullscreen;
    int help_page, help_pages;  // the one shown, from 0; how many the screen made: the viewer says
    bool is_bare;               // without bands and panels
    double text_scale;          // see overlay.h

    struct baseline baseline;  // with which results are compared; ms.count 0: none

    bool has_tour;  // a tour is played; space continues it
    // The open tour's steps, and the present one from 0: the viewer says. 0 steps: none is open
    int tour_steps, tour_step;
    char *const *tour_names, *const *step_names;  // end with NULL; NULL: none. The viewer says
    enum app_menu menu;
    int menu_row;    // the row that is marked, from 0; there may be fewer by now
    char typed[64];  // so far
    int chosen;      // the tour or step for INPUT_TOUR or INPUT_GO_TO

    bool is_leaving;       // Esc was pressed once, and quits when it is pressed again
    bool is_saved_broken;  // the kernels run as they were: what is in the files now cannot run

    bool is_used;  // a key was pressed, or the state is one that was saved

    struct app_mark undo[APP_UNDOS];  // oldest first
    int undo_count;

    char note[160];  // what to tell the user about the last action; empty: nothing
};

void app_init(struct app *a, const struct filter_list *filters, int picture_count);

// After a reload: keeps the choices of filters and variants that still exist, by name. old is what
// the state was made with; its address may be another one by now.
void app_adopt(struct app *a, const struct filter_list *old, const struct filter_list *filters);

// These are of the side that keys act on.
const struct filter *app_filter(const struct app *a);
const struct variant *app_variant(const struct app *a);
struct settings *app_settings(struct app *a);

int app_sides(const struct app *a);  // how many are shown

// These are of any side.
const struct filter *app_side_filter(const struct app *a, int side);
struct app_choice *app_side_choice(struct app *a, int side);
struct choice app_chosen(const struct app *a, int side);
void app_take(struct app *a, int side, const struct choice *c);  // which is of the app's filters
int app_axis(const struct app *a, int side);  // of the shown filter, see axis.h; -1: it has none
// The index of the param that was chosen for the shown filter, or its axis; -1: it has none.
int app_param(const struct app *a);
// The index of the array that was chosen for the shown lab; -1: none was.
int app_array(const struct app *a, int side);

// For app_undo: take a mark before the user changes something, and record it afterwards.
struct app_mark app_mark(struct app *a);
void app_record(struct app *a, const struct app_mark *before);

// Actions. input.c's table says what step and index mean.
void app_choose_variant(struct app *a, int index);  // notes when there is none
void app_step_variant(struct app *a, int step);
void app_step_filter(struct app *a, int step);
void app_step_axis(struct app *a, int step);  // changes the axis' param
// Chooses among the params; one that can be the axis becomes it.
void app_step_param(struct app *a, int step);
void app_choose_param(struct app *a, int index);  // the param of that index
// Changes the chosen param, but not the filter's own axis: ints as app_step_axis does, floats by a
// 256th of their range.
void app_change_param(struct app *a, int step);
// Doubles the block's width (1) or height (2), or halves it (-1, -2); 1 ... 1024.
void app_scale_block(struct app *a, int side);
void app_step_block(struct app *a, int step);  // through the common shapes
void app_toggle_unroll(struct app *a);
void app_step_picture(struct app *a, int step);  // in a lab, its arrays
void app_undo(struct app *a);                    // the last change of a filter, variant or setting
// When it closes, the side that keys act on stays, as A.
void app_toggle_compare(struct app *a);
void app_swap_sides(struct app *a);
// Chooses the side that keys act on, while two are compared. Ignores a side that is not there.
void app_choose_side(struct app *a, int side);
void app_set_flipped(struct app *a, int is_flipped);
void app_toggle_difference(struct app *a);
void app_toggle_sweep(struct app *a);
void app_toggle_roof(struct app *a);
// Docks: opens the source, marks its changes, shows its machine code, closes it; scrolls it on the
// side that keys act on.
void app_turn_source(struct app *a);
void app_show_machine(struct app *a);  // notes why where there is none
void app_scroll_pages(struct app *a, int pages);
void app_scroll_lines(struct app *a, int side, int lines);
void app_turn_lens(struct app *a);  // opens the lens, gives it the whole window, closes it
void app_close_lens(struct app *a);
bool app_is_covered(const struct app *a);  // the lens has the whole window
// The lens steps through the warps, then through the instructions, or stops.
void app_toggle_play(struct app *a);
bool app_is_playing(const struct app *a);
double app_play_rate(const struct app *a);  // steps a second
// Takes the lens's cursor a step ahead along a way: 1 + enum lens_way; negative: back.
void app_step_lens(struct app *a, int way);
void app_toggle_whole(struct app *a);  // the lens traces a whole launch, or only the block again
// Shows what the lens counts of each sector in place of the picture: requests, warps, blocks, the
// picture again.
void app_turn_sharing(struct app *a);
enum sharing_by app_sharing(const struct app *a);  // SHARING_COUNTS: none, or the lens is closed
void app_fit(struct app *a);                       // the picture into the window
void app_scale_text(struct app *a, int step);      // or changes the pace while the lens plays

// app_close and app_freeze: false if there is nothing to do; then the key asks the viewer instead.
// Stops a whole launch of the lens, or closes what is open over the picture, one at a time. A tour
// goes on, and it asks once before the program ends.
bool app_close(struct app *a);
void app_turn_help(struct app *a);  // opens the help, turns its page, closes it after the last
bool app_freeze(struct app *a);     // or continues; nothing to do while a tour is played

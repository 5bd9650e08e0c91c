// viewer.h -- the window's state and its loop. view_command.c opens and closes what viewer.c runs;
// viewer_events.c takes keys and mouse in, viewer_show.c draws, viewer_save.c writes files.
//
//     keys ──▶ app (what is wished) ──▶ stage (what runs) ──▶ display ──▶ swap
//                                         └─ facts ──▶ caption ──▶ overlay ─┘
#ifndef VIEWER_H
#define VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "app/app.h"
#include "app/input.h"
#include "app/options.h"
#include "app/pointer.h"
#include "app/tour.h"
#include "base/error.h"
#include "gl/display.h"
#include "gl/window.h"
#include "measure/results.h"
#include "screen/overlay.h"
#include "screen/panel_model.h"
#include "viewer/caption.h"
#include "viewer/jobs.h"
#include "viewer/screenshot.h"
#include "viewer/stage.h"
#include "viewer/turn_times.h"
#include "viewer/watch.h"

struct viewer {
    const struct options *options;
    struct filter_list filters, next_filters;  // next: read, being compiled
    struct app app;
    char **pictures;
    int picture;  // shown
    char *picture_name;
    bool is_grey;  // pictures are read as grey

    struct watch *watch, *shader_watch;  // of the kernels' folder, and the shaders'

    struct window *window;
    int width, height;  // of the window at first
    struct display *display;
    struct stage *stage;
    struct overlay *overlay;
    struct overlay_content content;
    struct overlay_help help[INPUT_MAX_HELP];
    int help_count;
    enum window_vsync vsync;
    bool has_vsync_wish, is_fullscreen;
    struct pointer pointer;
    struct panel_model *panels;
    struct jobs *jobs;
    int asked[INPUT_REQUESTS];         // how often, and not yet taken
    bool is_closing;                   // the user quits, or the window was closed
    struct choice instead[APP_SIDES];  // shown in place of the user's choice; filter NULL: that
    struct choice shown[APP_SIDES];    // what viewer_facts last told of
    bool has_block;
    struct display_grid scene_grid;  // when there is a block under the cursor

    struct screenshot *screenshot;
    char *dumped;   // what --dump-state wrote last
    char **script;  // keys still to play; NULL: none
    int script_at;
    struct turn_times turn_times;
    struct tour tour;
    struct tour_play play;
    int64_t key_us, note_us, caption_us;
    char note[256];
    char reload_trouble[4096];

    char asked_key[16];
    double allowed_ms;
    bool needs_draw, needs_caption, shaders_wanted;
    char shader_trouble[4096];
    bool is_failed, has_display;
    struct error err;
};

// Until the user quits.
void viewer_loop(struct viewer *v);

// Shows a picture of the list. On failure the old one stays.
bool viewer_load_picture(struct viewer *v, int index, struct error *err);

void viewer_note(struct viewer *v, const char *text);  // for a few seconds

// How often that was asked for since it was last taken.
int viewer_take(struct viewer *v, enum input_request request);

// A side shows this choice until it is told otherwise; NULL: the user's again. The user's choice
// stays as it is meanwhile, and so do keys and saved states.
void viewer_show(struct viewer *v, int side, const struct choice *choice);
struct choice viewer_choice(const struct viewer *v, int side);        // what a side shows
struct choice viewer_users_choice(const struct viewer *v, int side);  // what the user chose

struct viewport_sizes viewer_sizes(const struct viewer *v);  // window and picture, in pixels

// ---- viewer_events.c ----

struct window_handler viewer_handler(struct viewer *v);  // what the window tells
void viewer_press(struct viewer *v, const char *key);

// ---- viewer_show.c ----

struct caption_facts viewer_facts(struct viewer *v, int side);
void viewer_write(struct viewer *v);  // the overlay's content
void viewer_draw(struct viewer *v);   // when there is something new; else rests for a moment

// ---- viewer_save.c ----

void viewer_take_screenshot(struct viewer *v, int width,
                            int height);  // of what was drawn and not yet swapped
void viewer_end_screenshot(struct viewer *v, bool is_waiting);  // tells where it is
void viewer_tell_saved(struct viewer *v, const char *path, const struct error *err);
void viewer_texts(struct viewer *v, struct caption_texts *texts);  // that a file of it carries
void viewer_dump(struct viewer *v);                                // --dump-state, where it changed

// ---- viewer_panels.c ----

void viewer_update_panels(struct viewer *v);  // every turn
bool viewer_point_panels(struct viewer *v);   // the cursor moved; true: it is over a panel
bool viewer_click_panels(struct viewer *v);   // true: the click was for a panel
void viewer_adopt_best(struct viewer *v);     // the heat map's
void viewer_save_sweep(struct viewer *v);     // as CSV and SVG

// ---- viewer_tour.c ----

void viewer_follow_tour(struct viewer *v);        // every turn
void viewer_write_tour(struct viewer *v);         // its caption, into the overlay's content
unsigned viewer_tour_variants(struct viewer *v);  // that the caption tells of: one bit each

#endif

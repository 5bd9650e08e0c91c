// viewer.h -- the window's state and its loop. view_command.c opens and closes what viewer.c runs.
//
//     keys ──▶ app (what is wished) ──▶ stage (what runs) ──▶ display ──▶ swap
//                                         └─ facts ──▶ caption ──▶ overlay ─┘
#ifndef VIEWER_H
#define VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "app.h"
#include "display.h"
#include "error.h"
#include "input.h"
#include "options.h"
#include "overlay.h"
#include "shot.h"
#include "stage.h"
#include "watch.h"
#include "window.h"

struct viewer {
    const struct options *options;
    struct filter_list filters, next_filters;  // next: read, being compiled
    struct app app;
    char **pictures;
    int picture;  // shown
    char *picture_name;

    struct watch *watch;  // of the kernels' folder

    struct window *window;
    int width, height;  // of the window at first
    struct display *display;
    struct stage *stage;
    struct overlay *overlay;
    struct overlay_content content;
    struct overlay_help help[INPUT_MAX_HELP];
    int help_count;
    enum window_vsync vsync;
    bool has_vsync_wish;

    struct shot *shot;
    char **script;  // keys still to play; NULL: none
    int script_at;
    int64_t key_us, note_us, caption_us;
    char note[256];
    char reload_trouble[4096];

    char asked_key[16];
    double allowed_ms;
    bool needs_draw, needs_caption;
    bool is_failed, has_display;
    struct error err;
};

// What the window tells.
struct window_handler viewer_handler(struct viewer *v);

// Shows a picture of the list. On failure the old one stays.
bool viewer_load_picture(struct viewer *v, int index, struct error *err);

// Until the user quits.
void viewer_loop(struct viewer *v);

#endif

#include "viewer/viewer.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/image.h"

static const double FRAME_LIMIT_MS = 8;         // a turn waits this long for the device
static const gint64 CAPTION_EVERY_US = 200000;  // numbers that change faster cannot be read
static const gint64 NOTE_US = 2500000;
static const gint64 KEY_PATIENCE_US = 20000000;  // a played key waits this long for settled times

void viewer_note(struct viewer *v, const char *text)
{
    g_strlcpy(v->note, text, sizeof v->note);
    v->note_us = g_get_monotonic_time();
    v->needs_caption = true;
}

// ---- wishes ----

int viewer_take(struct viewer *v, enum input_request request)
{
    const int count = v->asked[request];
    v->asked[request] = 0;
    return count;
}

void viewer_show(struct viewer *v, int side, const struct choice *choice)
{
    v->instead[side] = choice ? *choice : (struct choice){0};
}

struct choice viewer_users_choice(const struct viewer *v, int side)
{
    const struct filter *f = app_side_filter(&v->app, side);
    const struct app_choice *c = &v->app.sides[side].choices[v->app.sides[side].filter];
    return (struct choice){f, &f->variants[c->variant], c->settings};
}

struct choice viewer_choice(const struct viewer *v, int side)
{
    return v->instead[side].filter ? v->instead[side] : viewer_users_choice(v, side);
}

struct viewport_sizes viewer_sizes(const struct viewer *v)
{
    struct viewport_sizes sizes = {0};
    const struct planes picture = display_shape(v->display);
    window_size(v->window, &sizes.window_width, &sizes.window_height);
    sizes.picture_width = picture.width;
    sizes.picture_height = picture.height;
    return sizes;
}

bool viewer_load_picture(struct viewer *v, int index, struct error *err)
{
    struct image image = {0};
    if (!image_load(&image, v->pictures[index], v->is_grey, err)) return false;
    const bool is_good = stage_set_picture(v->stage, &image, err);
    image_finish(&image);
    if (!is_good) return error_prefix(err, "%s: ", v->pictures[index]);
    v->picture = index;
    g_free(v->picture_name);
    v->picture_name = g_path_get_basename(v->pictures[index]);
    return true;
}

static void follow_picture(struct viewer *v)
{
    struct error err = {""};
    if (v->app.picture == v->picture || viewer_load_picture(v, v->app.picture, &err)) return;
    v->app.picture = v->picture;
    viewer_note(v, err.text);
}

static void follow_path(struct viewer *v)
{
    struct error err = {""};
    if (stage_set_staged(v->stage, v->app.is_staged, &err)) return;
    v->app.is_staged = !v->app.is_staged;
    viewer_note(v, err.text);
}

static void follow_panes(struct viewer *v)
{
    struct error err = {""};
    if (stage_set_panes(v->stage, v->app.is_comparing ? 2 : 1, &err)) return;
    app_toggle_compare(&v->app, 0);
    viewer_note(v, err.text);
}

static void follow_fullscreen(struct viewer *v)
{
    if (v->app.is_fullscreen == v->is_fullscreen) return;
    v->is_fullscreen = v->app.is_fullscreen;
    window_set_fullscreen(v->window, v->is_fullscreen);
}

static void follow_zoom(struct viewer *v)
{
    const int steps = viewer_take(v, INPUT_ZOOM);
    if (!steps) return;
    pointer_zoom(&v->pointer, &v->app, viewer_sizes(v), steps);
    v->needs_draw = v->needs_caption = true;
}

// Saved shaders are used at once; while they do not compile, the last good ones are.
static void follow_shaders(struct viewer *v)
{
    struct error err = {""};
    if (!v->shaders_wanted && !watch_has_changed(v->shader_watch)) return;
    v->shaders_wanted = false;
    char *folder = options_shader_folder(v->options);
    const bool is_good = display_reload(v->display, folder, &err);
    g_free(folder);
    g_strlcpy(v->shader_trouble, is_good ? "" : err.text, sizeof v->shader_trouble);
    v->needs_draw = v->needs_caption = true;
}

static void follow_vsync(struct viewer *v)
{
    if (v->app.has_vsync == v->has_vsync_wish) return;
    v->has_vsync_wish = v->app.has_vsync;
    v->vsync = window_set_vsync(v->window, v->app.has_vsync);
}

static void set_reload_trouble(struct viewer *v, const struct error *err)
{
    g_strlcpy(v->reload_trouble, err->text, sizeof v->reload_trouble);
    v->needs_caption = true;
}

// The filters on the screen; others may go.
static bool are_still_there(const struct app *a, const struct filter_list *next, struct error *err)
{
    for (int side = 0; side < (a->is_comparing ? APP_SIDES : 1); side++) {
        const struct filter *f = app_side_filter(a, side);
        if (filter_find(next, f->name)) continue;
        char *name = g_path_get_basename(f->path);
        error_set(err, "%s is gone: its kernels run on as they were", name);
        g_free(name);
        return false;
    }
    return true;
}

static void begin_reload(struct viewer *v)
{
    struct error err = {""};
    struct filter_list next = {0};
    v->asked[INPUT_RELOAD] = 0;
    char *folder = options_kernel_folder(v->options);
    const bool is_good = filter_list_load(&next, folder, &err) && input_check(&next, &err) &&
                         are_still_there(&v->app, &next, &err);
    g_free(folder);
    if (!is_good) {
        filter_list_finish(&next);
        set_reload_trouble(v, &err);
        return;
    }
    filter_list_finish(&v->next_filters);
    v->next_filters = next;
    const struct filter *same = filter_find(&next, app_filter(&v->app)->name);
    stage_reload(v->stage, same ? same : &v->next_filters.filters[0]);
}

// The old kernels run until the new ones are compiled; if they do not compile, the old ones go on.
static void end_reload(struct viewer *v)
{
    struct error err = {""};
    switch (stage_reloaded(v->stage, &err)) {
    case BUILDER_BUILDING:
        return;
    case BUILDER_FAILED:
        filter_list_finish(&v->next_filters);
        set_reload_trouble(v, &err);
        return;
    case BUILDER_READY:
        break;
    }
    stage_adopt(v->stage);
    struct filter_list old = v->filters;
    v->filters = v->next_filters;
    for (int i = 0; i < APP_SIDES; i++) viewer_show(v, i, NULL);
    v->next_filters = (struct filter_list){0};
    app_adopt(&v->app, &v->filters);
    panel_model_forget(v->panels);
    filter_list_finish(&old);
    v->reload_trouble[0] = '\0';
    viewer_note(v, "kernels reloaded");
}

static void follow_wishes(struct viewer *v)
{
    viewer_follow_tour(v);  // first: its keys are wishes too
    follow_picture(v);
    follow_panes(v);
    follow_path(v);
    follow_vsync(v);
    follow_fullscreen(v);
    follow_zoom(v);
    v->shaders_wanted |= v->asked[INPUT_RELOAD] > 0;
    follow_shaders(v);
    if (viewer_take(v, INPUT_BEST)) viewer_adopt_best(v);
    if (watch_has_changed(v->watch)) v->asked[INPUT_RELOAD]++;
    if (v->asked[INPUT_RELOAD] && !v->next_filters.count) begin_reload(v);  // one after the other
    if (v->next_filters.count) end_reload(v);
}

// ---- the loop ----

static bool is_busy(const struct viewer *v)
{
    return v->screenshot || v->next_filters.count || v->asked[INPUT_SCREENSHOT] ||
           v->asked[INPUT_RELOAD] || !stage_is_settled(v->stage);
}

// Plays the script's next key once what the last one did is on the screen, measured and checked.
static void play_keys(struct viewer *v)
{
    if (!v->script || !v->script[v->script_at]) return;
    const gint64 now = g_get_monotonic_time();
    if (jobs_are_busy(v->jobs) || v->asked[INPUT_SHEET]) return;
    if (is_busy(v) && now - v->key_us < KEY_PATIENCE_US) return;
    viewer_press(v, v->script[v->script_at++]);
    v->key_us = now;
    v->needs_draw = true;
}

static double ms_since(gint64 start_us)
{
    return (double)(g_get_monotonic_time() - start_us) / 1000;
}

static void turn(struct viewer *v)
{
    follow_wishes(v);
    struct stage_wish wishes[STAGE_PANES];
    for (int i = 0; i < STAGE_PANES; i++) {
        const struct choice c = viewer_choice(v, i);
        wishes[i] = (struct stage_wish){c.filter, c.variant, c.settings, v->app.is_frozen};
    }
    v->needs_draw |= stage_step(v->stage, wishes, FRAME_LIMIT_MS);
    jobs_step(v->jobs, JOB_SHOWS, v);
    const gint64 start = g_get_monotonic_time();
    viewer_update_panels(v);
    v->turn_times.overlay_ms += ms_since(start);
    viewer_end_screenshot(v, false);

    const gint64 now = g_get_monotonic_time();
    if (v->note[0] && now - v->note_us > NOTE_US) {
        v->note[0] = '\0';
        v->needs_caption = true;
    }
    if (now - v->caption_us > CAPTION_EVERY_US) v->needs_caption = true;
    if (window_is_visible(v->window))
        viewer_draw(v);
    else
        g_usleep(10000);
}

void viewer_loop(struct viewer *v)
{
    v->key_us = g_get_monotonic_time();
    while (!v->is_closing) {
        window_poll(v->window);
        if (v->is_closing) break;
        play_keys(v);
        if (v->is_closing) break;
        const gint64 start = g_get_monotonic_time();
        turn(v);
        turn_times_turn(&v->turn_times, g_get_monotonic_time(), ms_since(start));
    }
    viewer_end_screenshot(v, true);
    jobs_end(v->jobs, v);
    if (v->stage) follow_panes(v);  // the last key may have opened or closed one
    viewer_dump(v);
    if (!v->asked[INPUT_SCREENSHOT]) return;
    fprintf(stderr, "tilescope: no screenshot: the window was never visible\n");
    v->is_failed = true;
}

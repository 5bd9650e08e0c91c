#include "viewer.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "caption.h"
#include "image.h"

static const double FRAME_LIMIT_MS = 8;         // a turn waits this long for the device
static const double ASK_MS = 1000;              // launches predicted to be longer are asked about
static const gint64 CAPTION_EVERY_US = 200000;  // numbers that change faster cannot be read
static const gint64 NOTE_US = 2500000;
static const gint64 KEY_PATIENCE_US = 20000000;  // a played key waits this long for settled times

static void show_note(struct viewer *v, const char *text)
{
    g_strlcpy(v->note, text, sizeof v->note);
    v->note_us = g_get_monotonic_time();
    v->needs_caption = true;
}

// ---- keys ----

static bool is_same_choice(const struct app *a, const struct app *b)
{
    const struct app_choice *x = &a->choices[a->filter], *y = &b->choices[b->filter];
    return a->filter == b->filter && x->variant == y->variant &&
           launch_is_same(&x->settings, &y->settings);
}

static struct stage_wish wish_of(struct viewer *v)
{
    return (struct stage_wish){.filter = app_filter(&v->app),
                               .variant = app_variant(&v->app),
                               .settings = *app_settings(&v->app),
                               .is_frozen = v->app.is_frozen};
}

// A launch that would take seconds is held back until its key is pressed a second time.
static bool is_held_back(struct viewer *v, const struct app *before, const char *key)
{
    const struct stage_wish wish = wish_of(v);
    const double ms = stage_predict_ms(v->stage, &wish);
    if (ms <= MAX(ASK_MS, v->allowed_ms) || is_same_choice(before, &v->app)) return false;
    if (!strcmp(v->asked_key, key)) {
        v->allowed_ms = 1.5 * ms;
        v->asked_key[0] = '\0';
        return false;
    }
    char text[200];
    g_snprintf(text, sizeof text, "predicted to take %.1f s a frame%s: press %s again to run it",
               ms / 1000, stage_has_watchdog(v->stage) ? ", the driver may stop it" : "", key);
    v->app = *before;
    show_note(v, text);
    g_strlcpy(v->asked_key, key, sizeof v->asked_key);
    return true;
}

static void press(void *user, const char *key)
{
    struct viewer *v = user;
    const struct app before = v->app;
    v->app.note[0] = '\0';
    v->note[0] = '\0';
    v->needs_caption = true;
    if (!input_press(&v->app, key)) return;
    if (is_held_back(v, &before, key)) return;
    v->asked_key[0] = '\0';
    if (!is_same_choice(&before, &v->app)) v->reload_trouble[0] = '\0';
    if (v->app.note[0]) show_note(v, v->app.note);
}

static bool is_busy(const struct viewer *v)
{
    return v->shot || v->next_filters.count || v->app.wants_screenshot || v->app.wants_reload ||
           !stage_is_settled(v->stage);
}

// Plays the script's next key once what the last one did is on the screen, measured and checked.
static void play_keys(struct viewer *v)
{
    if (!v->script || !v->script[v->script_at]) return;
    const gint64 now = g_get_monotonic_time();
    if (is_busy(v) && now - v->key_us < KEY_PATIENCE_US) return;
    press(v, v->script[v->script_at++]);
    v->key_us = now;
    v->needs_draw = true;
}

static void on_exposed(void *user)
{
    struct viewer *v = user;
    v->needs_draw = v->needs_caption = true;
}

// The last moment with a GL context: everything that lives in it goes.
static void on_closing(void *user)
{
    struct viewer *v = user;
    stage_close(v->stage);
    display_destroy(v->display);
    v->stage = NULL;
    v->display = NULL;
    v->app.wants_quit = true;
}

struct window_handler viewer_handler(struct viewer *v)
{
    return (struct window_handler){
        .user = v, .key = press, .exposed = on_exposed, .closing = on_closing};
}

// ---- wishes ----

bool viewer_load_picture(struct viewer *v, int index, struct error *err)
{
    struct image image = {0};
    if (!image_load(&image, v->pictures[index], v->options->is_grey, err)) return false;
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
    show_note(v, err.text);
}

static void follow_path(struct viewer *v)
{
    struct error err = {""};
    if (stage_set_staged(v->stage, v->app.wants_staged, &err)) return;
    v->app.wants_staged = !v->app.wants_staged;
    show_note(v, err.text);
}

static void follow_vsync(struct viewer *v)
{
    if (v->app.wants_vsync == v->has_vsync_wish) return;
    v->has_vsync_wish = v->app.wants_vsync;
    v->vsync = window_set_vsync(v->window, v->app.wants_vsync);
}

static void set_reload_trouble(struct viewer *v, const struct error *err)
{
    g_strlcpy(v->reload_trouble, err->text, sizeof v->reload_trouble);
    v->needs_caption = true;
}

static void begin_reload(struct viewer *v)
{
    struct error err = {""};
    struct filter_list next = {0};
    v->app.wants_reload = false;
    char *folder = options_kernel_folder(v->options);
    const bool is_good = filter_list_load(&next, folder, &err) && input_check(&next, &err);
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
    v->next_filters = (struct filter_list){0};
    app_adopt(&v->app, &v->filters);
    filter_list_finish(&old);
    v->reload_trouble[0] = '\0';
    show_note(v, "kernels reloaded");
}

static void follow_wishes(struct viewer *v)
{
    follow_picture(v);
    follow_path(v);
    follow_vsync(v);
    if (v->app.wants_reload || watch_has_changed(v->watch)) begin_reload(v);
    if (v->next_filters.count) end_reload(v);
}

// ---- text ----

static struct caption_facts collect_facts(struct viewer *v)
{
    struct caption_facts facts = {.filter = app_filter(&v->app),
                                  .variant = app_variant(&v->app),
                                  .settings = app_settings(&v->app),
                                  .picture_name = v->picture_name,
                                  .is_frozen = v->app.is_frozen,
                                  .vsync = v->vsync};
    stage_facts(v->stage, &facts);
    return facts;
}

static void write_message(struct viewer *v)
{
    struct overlay_content *c = &v->content;
    const struct stage_trouble *trouble = stage_trouble(v->stage);
    c->message[0] = '\0';
    if (v->reload_trouble[0]) {
        g_strlcpy(c->message, v->reload_trouble, sizeof c->message);
        c->tone = OVERLAY_BROKEN;
    } else if (trouble->text[0]) {
        g_strlcpy(c->message, trouble->text, sizeof c->message);
        c->tone = trouble->tone;
    } else if (v->note[0]) {
        g_strlcpy(c->message, v->note, sizeof c->message);
        c->tone = OVERLAY_NOTE;
    }
}

static void write_caption(struct viewer *v)
{
    struct overlay_content *c = &v->content;
    const struct caption_facts facts = collect_facts(v);
    caption_write(c, &facts);
    const char *reasons = stage_reasons(v->stage);
    if (*reasons) {  // the first line: why not the best choice of all
        const size_t used = strlen(c->status);
        char **lines = g_strsplit(reasons, "\n", 2);
        g_snprintf(c->status + used, sizeof c->status - used, " · %s", lines[0]);
        g_strfreev(lines);
    }
    write_message(v);
    c->help = v->app.has_help ? v->help : NULL;
    c->help_count = v->help_count;
    c->is_hidden = v->app.is_bare;
    c->is_light = v->app.is_light;
    c->scale = v->app.text_scale;
    v->caption_us = g_get_monotonic_time();
    v->needs_caption = false;
}

// ---- drawing ----

static void take_shot(struct viewer *v, int width, int height)
{
    struct image image = {0};
    struct error err = {""};
    struct caption_texts texts;
    v->app.wants_screenshot = false;
    if (!display_capture(v->display, &image, width, height, &err)) {
        show_note(v, err.text);
        return;
    }
    const struct caption_facts facts = collect_facts(v);
    caption_list(&texts, &facts);
    v->shot = shot_begin(&image, &texts, v->options->shots);
}

static void end_shot(struct viewer *v, bool is_waiting)
{
    char path[1024], text[1100];
    struct error err = {""};
    if (!v->shot || !shot_end(v->shot, is_waiting, path, sizeof path, &err)) return;
    v->shot = NULL;
    if (err.text[0]) {
        fprintf(stderr, "tilescope: %s\n", err.text);
        show_note(v, err.text);
        v->is_failed = true;
        return;
    }
    g_snprintf(text, sizeof text, "saved %s", path);
    puts(path);
    fflush(stdout);
    show_note(v, text);
}

static void draw(struct viewer *v)
{
    int width, height;
    window_size(v->window, &width, &height);
    const bool is_shooting = v->app.wants_screenshot && !v->shot;
    if (is_shooting) v->note[0] = '\0';
    if (is_shooting || v->needs_caption) write_caption(v);
    const bool is_new = overlay_update(v->overlay, &v->content, width, height);
    if (!is_new && !v->needs_draw && !is_shooting) {
        g_usleep(1000);
        return;
    }
    display_draw(v->display, overlay_pixels(v->overlay), is_new, width, height);
    if (is_shooting) take_shot(v, width, height);
    window_swap(v->window);
    v->needs_draw = false;
}

static void turn(struct viewer *v)
{
    follow_wishes(v);
    const struct stage_wish wish = wish_of(v);
    v->needs_draw |= stage_step(v->stage, &wish, FRAME_LIMIT_MS);
    end_shot(v, false);

    const gint64 now = g_get_monotonic_time();
    if (v->note[0] && now - v->note_us > NOTE_US) {
        v->note[0] = '\0';
        v->needs_caption = true;
    }
    if (now - v->caption_us > CAPTION_EVERY_US) v->needs_caption = true;
    if (window_is_visible(v->window))
        draw(v);
    else
        g_usleep(10000);
}

void viewer_loop(struct viewer *v)
{
    v->key_us = g_get_monotonic_time();
    while (!v->app.wants_quit) {
        window_poll(v->window);
        if (v->app.wants_quit) break;
        play_keys(v);
        if (v->app.wants_quit) break;
        turn(v);
    }
    end_shot(v, true);
    if (!v->app.wants_screenshot) return;
    fprintf(stderr, "tilescope: no screenshot: the window was never visible\n");
    v->is_failed = true;
}

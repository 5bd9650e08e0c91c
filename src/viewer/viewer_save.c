// viewer_save.c -- what the viewer writes: screenshots, sheets, sweeps, and its state.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "app/state.h"
#include "viewer/caption.h"
#include "viewer/viewer.h"

static struct state_picture picture_of(const struct viewer *v)
{
    return (struct state_picture){.path = v->pictures[v->picture], .is_grey = v->is_grey};
}

void viewer_texts(struct viewer *v, struct caption_texts *texts)
{
    const struct caption_facts facts = viewer_facts(v, v->app.side);
    const struct state_picture picture = picture_of(v);
    char *state = state_write(&v->app, &picture);
    caption_list(texts, &facts);
    caption_add_state(texts, state);
    g_free(state);
}

void viewer_tell_saved(struct viewer *v, const char *path, const struct error *err)
{
    char text[1100];
    if (err->text[0]) {
        fprintf(stderr, "tilescope: %s\n", err->text);
        viewer_note(v, err->text);
        v->is_failed = true;
        return;
    }
    g_snprintf(text, sizeof text, "saved %s", path);
    puts(path);
    fflush(stdout);
    viewer_note(v, text);
}

// ---- screenshots ----

void viewer_take_screenshot(struct viewer *v, int width, int height)
{
    struct image image = {0};
    struct error err = {""};
    struct caption_texts texts;
    viewer_take(v, INPUT_SCREENSHOT);
    if (!display_capture(v->display, &image, width, height, &err)) {
        viewer_note(v, err.text);
        return;
    }
    viewer_texts(v, &texts);
    v->screenshot = screenshot_begin(&image, &texts, v->options->shots);
    const bool has_radius = filter_radius(app_filter(&v->app)) >= 0;
    if (v->app.has_sweep && has_radius) viewer_save_sweep(v);
}

void viewer_end_screenshot(struct viewer *v, bool is_waiting)
{
    char path[1024];
    struct error err = {""};
    if (!v->screenshot || !screenshot_end(v->screenshot, is_waiting, path, sizeof path, &err))
        return;
    v->screenshot = NULL;
    viewer_tell_saved(v, path, &err);
}

// ---- --dump-state ----

enum { MAX_FACTS = CAPTION_MAX_TEXTS + 16 };

struct dump {
    struct image_text facts[MAX_FACTS];
    int count;
    char values[16][64];
    int value_count;
};

static void add_text(struct dump *d, const char *key, const char *text)
{
    d->facts[d->count++] = (struct image_text){key, text};
}

static void add_ms(struct dump *d, const char *key, double ms)
{
    char *text = d->values[d->value_count++];
    g_snprintf(text, sizeof d->values[0], "%.3f", ms);
    add_text(d, key, text);
}

static void add_number(struct dump *d, const char *key, long number)
{
    char *text = d->values[d->value_count++];
    g_snprintf(text, sizeof d->values[0], "%ld", number);
    add_text(d, key, text);
}

// Where each panel was drawn last: "left top width height".
static void add_boxes(struct dump *d, const struct overlay *overlay)
{
    static const char *const names[] = {[OVERLAY_GRID] = "grid_box",
                                        [OVERLAY_BARS] = "bars_box",
                                        [OVERLAY_SWEEP] = "sweep_box",
                                        [OVERLAY_HEAT] = "heat_box"};
    struct overlay_box box;
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        if (!overlay_panel_box(overlay, (enum overlay_panel)i, &box)) continue;
        char *text = d->values[d->value_count++];
        g_snprintf(text, sizeof d->values[0], "%d %d %d %d", box.left, box.top, box.width,
                   box.height);
        add_text(d, names[i], text);
    }
}

static char *dump_text(struct viewer *v)
{
    const struct state_picture picture = picture_of(v);
    const struct caption_facts facts = viewer_facts(v, v->app.side);
    struct image_difference found;
    struct caption_texts texts;
    struct dump d = {.count = 0};
    int done, wanted;
    caption_list(&texts, &facts);
    memcpy(d.facts, texts.texts, (size_t)texts.count * sizeof d.facts[0]);
    d.count = texts.count;
    results_progress(stage_results(v->stage), &done, &wanted);
    add_text(&d, "message", v->content.message);
    add_text(&d, "stage_settled", stage_is_settled(v->stage) ? "yes" : "no");
    add_number(&d, "measured", done);
    add_number(&d, "to_measure", wanted);
    add_number(&d, "keys_left", v->script ? (long)g_strv_length(v->script + v->script_at) : 0);
    add_ms(&d, "longest_turn_ms", turn_times_longest_ms(&v->turn_times));
    add_ms(&d, "overlay_ms", turn_times_overlay_ms(&v->turn_times));
    add_boxes(&d, v->overlay);
    if (stage_difference(v->stage, &found)) {
        add_number(&d, "difference_max", found.max);
        add_number(&d, "difference_count", found.count);
    }
    return state_dump(&v->app, &picture, d.facts, d.count);
}

void viewer_dump(struct viewer *v)
{
    GError *why = NULL;
    if (!v->options->dump_state || !v->stage) return;
    char *text = dump_text(v);
    if (v->dumped && !strcmp(text, v->dumped)) {
        g_free(text);
        return;
    }
    g_free(v->dumped);
    v->dumped = text;
    if (g_file_set_contents(v->options->dump_state, text, -1, &why)) return;
    viewer_note(v, why->message);
    v->is_failed = true;
    g_clear_error(&why);
}

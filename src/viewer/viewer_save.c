// viewer_save.c -- the job that takes screenshots, and what all saved files have in common.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "app/state.h"
#include "viewer/viewer.h"

void viewer_texts(struct viewer *v, struct caption_texts *texts)
{
    const struct state_picture picture = {v->pictures[v->picture], v->is_grey};
    char *state = state_write(&v->app, &picture);
    caption_list(texts, viewer_facts(v, v->app.side));
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

struct screenshot_job {
    struct screenshot *saving;  // NULL: nothing is
};

static bool is_due(const struct screenshot_job *s, const struct viewer *v)
{
    return v->asked[INPUT_SCREENSHOT] && !s->saving;
}

static void follow_saving(struct screenshot_job *s, struct viewer *v, bool is_waiting)
{
    char path[1024];
    struct error err = {""};
    if (!s->saving || !screenshot_end(s->saving, is_waiting, path, sizeof path, &err)) return;
    s->saving = NULL;
    viewer_tell_saved(v, path, &err);
}

// The window is drawn in this turn, and without a note.
static void step_screenshot(void *job, struct viewer *v)
{
    struct screenshot_job *s = job;
    follow_saving(s, v, false);
    if (!is_due(s, v)) return;
    v->note[0] = '\0';
    v->needs_caption = v->needs_draw = true;
}

static void capture(void *job, struct viewer *v)
{
    struct screenshot_job *s = job;
    struct image image = {0};
    struct error err = {""};
    struct caption_texts texts;
    const struct viewport_sizes sizes = viewer_sizes(v);
    if (!is_due(s, v)) return;
    viewer_take(v, INPUT_SCREENSHOT);
    if (v->options->is_clean) viewer_paint(v, false);
    const bool is_good =
        display_capture(v->display, &image, sizes.window_width, sizes.window_height, &err);
    if (v->options->is_clean) viewer_paint(v, true);
    if (!is_good) {
        viewer_note(v, err.text);
        return;
    }
    viewer_texts(v, &texts);
    s->saving = screenshot_begin(&image, &texts, v->options->shots);
    if (v->app.has_sweep && filter_radius(app_filter(&v->app)) >= 0) viewer_save_sweep(v);
}

static bool is_saving(const void *job)
{
    const struct screenshot_job *s = job;
    return s->saving;
}

static void end_screenshot(void *job, struct viewer *v)
{
    follow_saving(job, v, true);
    if (!viewer_take(v, INPUT_SCREENSHOT)) return;
    fprintf(stderr, "tilescope: no screenshot: the window was never visible\n");
    v->is_failed = true;
}

const struct job_type screenshot_job = {.size = sizeof(struct screenshot_job),
                                        .phase = JOB_SHOWS,
                                        .step = step_screenshot,
                                        .is_busy = is_saving,
                                        .drawn = capture,
                                        .end = end_screenshot};

// viewer_follow.c -- the job that brings window and stage to the user's state: panes, path,
// vsync, full screen, zoom. It takes back in the state what cannot be, with a note.

#include "viewer/viewer.h"

// What the window was told last.
struct follow_job {
    bool has_vsync, is_fullscreen;
    bool was_told_vsync;
};

static void follow_panes(struct viewer *v)
{
    struct error err = {""};
    if (stage_set_panes(v->stage, app_sides(&v->app), &err)) return;
    app_toggle_compare(&v->app);
    viewer_note(v, err.text);
}

static void follow_path(struct viewer *v)
{
    struct error err = {""};
    if (stage_set_staged(v->stage, v->app.is_staged, &err)) return;
    v->app.is_staged = !v->app.is_staged;
    viewer_note(v, err.text);
}

static void follow_vsync(struct follow_job *f, struct viewer *v)
{
    const bool is_asked = f->was_told_vsync;
    if (is_asked && f->has_vsync == v->app.has_vsync) return;
    f->was_told_vsync = true;
    f->has_vsync = v->app.has_vsync;
    v->screen.vsync = window_set_vsync(v->window, f->has_vsync);
    if (!is_asked || v->screen.vsync == (f->has_vsync ? WINDOW_VSYNC_ON : WINDOW_VSYNC_OFF)) return;
    viewer_note(v, v->screen.vsync == WINDOW_VSYNC_UNKNOWN
                       ? "the driver does not let vsync be chosen"
                   : v->screen.vsync == WINDOW_VSYNC_ON ? "the driver keeps vsync on"
                                                        : "the driver keeps vsync off");
}

static void follow_fullscreen(struct follow_job *f, struct viewer *v)
{
    if (f->is_fullscreen == v->app.is_fullscreen) return;
    f->is_fullscreen = v->app.is_fullscreen;
    window_set_fullscreen(v->window, f->is_fullscreen);
}

static void follow_zoom(struct viewer *v)
{
    const int steps = viewer_take(v, INPUT_ZOOM);
    if (!steps) return;
    pointer_zoom(&v->pointer, &v->app, viewer_sizes(v), steps);
    v->screen.needs_draw = v->screen.needs_words = true;
}

static void step(void *job, struct viewer *v)
{
    follow_panes(v);
    follow_path(v);
    follow_vsync(job, v);
    follow_fullscreen(job, v);
    follow_zoom(v);
}

const struct job_type follow_job = {.size = sizeof(struct follow_job),
                                    .step = {[JOB_FOLLOWS] = step}};

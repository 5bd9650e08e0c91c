// viewer_follow.c -- the jobs that bring window and stage to the user's state: picture, panes,
// path, vsync, full screen, zoom. What cannot be is taken back in the state, with a note.
#include <glib.h>

#include "viewer/viewer.h"

static void follow_picture(void *job, struct viewer *v)
{
    (void)job;
    struct error err = {""};
    if (v->app.picture == v->picture || viewer_load_picture(v, v->app.picture, &err)) return;
    v->app.picture = v->picture;
    viewer_note(v, err.text);
}

static void follow_panes(void *job, struct viewer *v)
{
    (void)job;
    struct error err = {""};
    if (stage_set_panes(v->stage, v->app.is_comparing ? 2 : 1, &err)) return;
    app_toggle_compare(&v->app, 0);
    viewer_note(v, err.text);
}

static void follow_path(void *job, struct viewer *v)
{
    (void)job;
    struct error err = {""};
    if (stage_set_staged(v->stage, v->app.is_staged, &err)) return;
    v->app.is_staged = !v->app.is_staged;
    viewer_note(v, err.text);
}

struct vsync_job {
    bool was_asked, is_on;
};

static void follow_vsync(void *job, struct viewer *v)
{
    struct vsync_job *s = job;
    if (s->was_asked && s->is_on == v->app.has_vsync) return;
    *s = (struct vsync_job){true, v->app.has_vsync};
    v->vsync = window_set_vsync(v->window, s->is_on);
}

static void follow_fullscreen(void *job, struct viewer *v)
{
    bool *is_on = job;
    if (v->app.is_fullscreen == *is_on) return;
    *is_on = v->app.is_fullscreen;
    window_set_fullscreen(v->window, *is_on);
}

static void follow_zoom(void *job, struct viewer *v)
{
    (void)job;
    const int steps = viewer_take(v, INPUT_ZOOM);
    if (!steps) return;
    pointer_zoom(&v->pointer, &v->app, viewer_sizes(v), steps);
    v->needs_draw = v->needs_caption = true;
}

const struct job_type picture_job = {.phase = JOB_FOLLOWS, .step = follow_picture};
const struct job_type panes_job = {.phase = JOB_FOLLOWS, .step = follow_panes};
const struct job_type path_job = {.phase = JOB_FOLLOWS, .step = follow_path};
const struct job_type vsync_job = {
    .size = sizeof(struct vsync_job), .phase = JOB_FOLLOWS, .step = follow_vsync};
const struct job_type fullscreen_job = {
    .size = sizeof(bool), .phase = JOB_FOLLOWS, .step = follow_fullscreen};
const struct job_type zoom_job = {.phase = JOB_FOLLOWS, .step = follow_zoom};

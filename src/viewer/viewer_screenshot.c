// viewer_screenshot.c -- the job that takes screenshots.
#include "viewer/saving.h"
#include "viewer/viewer.h"

struct screenshot_job {
    struct saving saving;
    struct image image;  // that is being saved
};

// A sheet shows what is not the user's, and a screenshot would restore something else.
static bool is_due(const struct screenshot_job *s, const struct viewer *v)
{
    return v->input.asked[INPUT_SCREENSHOT] && !s->saving.thread && viewer_shows_chosen(v);
}

static void follow_saving(struct screenshot_job *s, struct viewer *v, bool is_waiting)
{
    if (saving_end(&s->saving, v, is_waiting)) image_finish(&s->image);
}

// The window is drawn in this turn, and without a note.
static void step(void *job, struct viewer *v)
{
    struct screenshot_job *s = job;
    follow_saving(s, v, false);
    if (!is_due(s, v)) return;
    v->notes.text[0] = '\0';
    v->screen.needs_words = v->screen.needs_draw = true;
}

static bool write_image(const void *image, const char *path, const struct image_texts *texts,
                        struct error *err)
{
    return image_save(((const struct image *)image)->planes, path, texts->texts, texts->count, err);
}

bool viewer_capture(struct viewer *v, struct image *image)
{
    struct error err = {""};
    const struct viewport_sizes sizes = viewer_sizes(v);
    if (v->options->is_clean) viewer_paint(v, false, false);
    const bool is_good =
        display_capture(v->display, image, sizes.window_width, sizes.window_height, &err);
    if (v->options->is_clean) viewer_paint(v, true, false);
    if (!is_good) saving_tell(v, NULL, &err);
    return is_good;
}

static void capture(void *job, struct viewer *v)
{
    struct screenshot_job *s = job;
    if (!is_due(s, v)) return;
    viewer_take(v, INPUT_SCREENSHOT);
    if (!viewer_capture(v, &s->image)) return;
    s->saving.write = write_image;
    s->saving.what = &s->image;
    saving_begin(&s->saving, v, ".png");
    if (v->app.has_sweep && panel_model_has_sweep(v->panels)) viewer_save_sweep(v);
}

static bool is_busy(const void *job)
{
    return ((const struct screenshot_job *)job)->saving.thread;
}

// A screenshot may be asked for in the turn in which the user quits.
static void end(void *job, struct viewer *v)
{
    follow_saving(job, v, true);
    if (is_due(job, v) && v->now.sides && window_is_visible(v->window)) {
        step(job, v);
        viewer_draw(v);
        follow_saving(job, v, true);
    }
    if (!viewer_take(v, INPUT_SCREENSHOT)) return;
    struct error err;
    error_set(&err, "no screenshot: the window %s",
              viewer_shows_chosen(v) ? "was not visible" : "showed something else");
    saving_tell(v, NULL, &err);
}

const struct job_type screenshot_job = {
    .size = sizeof(struct screenshot_job),
    .step = {[JOB_SHOWS] = step, [JOB_DRAWN] = capture, [JOB_ENDS] = end},
    .is_busy = is_busy};

// viewer_jobs.c -- the table of all jobs, and the small ones: keys of --keys, what follows the
// user's state, and the baseline.
#include <glib.h>
#include <string.h>

#include "measure/figures.h"
#include "viewer/viewer.h"

// ---- keys ----
// Plays --keys, each key when the effect of the last one is on the screen, measured and checked. A
// q at the end always ends.

static const gint64 PATIENCE_US = 20000000;  // for settled times, and for a window to be seen

struct keys_job {
    char **script;  // NULL: it was not read yet, or there is none
    int at;         // the next key
    gint64 since_us;
};

static void press_keys(void *job, struct viewer *v)
{
    struct keys_job *k = job;
    const gint64 now = g_get_monotonic_time();
    struct error unused;
    bool is_compiling = false;
    if (!k->script && v->options->keys)  // view_command.c has checked it
        k->script = input_script(v->options->keys, &v->filters, &unused);
    for (int i = 0; i < v->now.sides; i++) is_compiling |= viewer_facts(v, i)->is_compiling;
    // A compiler comes back some time, or is stopped, however slow the machine is.
    if (!k->since_us || is_compiling) k->since_us = now;
    v->input.keys_left = k->script ? g_strv_length(k->script + k->at) : 0;
    if (!v->input.keys_left || jobs_are_busy(v->jobs)) return;
    const bool is_pending = viewer_has_request(v) || !viewer_is_settled(v);
    if (is_pending && now - k->since_us < PATIENCE_US) return;
    const char *const key = k->script[k->at++];
    v->input.keys_left--;
    if (v->input.keys_left || strcmp(key, "q") != 0)
        viewer_press(v, key, false);
    else
        v->is_closing = true;  // even where a letter is typed: nobody is there to close that
    k->since_us = now;
}

static void finish_keys(void *job)
{
    g_strfreev(((struct keys_job *)job)->script);
}

static const struct job_type keys_job = {
    .size = sizeof(struct keys_job), .step = {[JOB_PRESSES] = press_keys}, .finish = finish_keys};

// ---- window and stage ----
// Brings panes, path, vsync, full screen and zoom to the user's state, and takes back in the state
// what cannot be, with a note.

// What the window was told last.
struct follow_job {
    bool has_vsync, is_fullscreen;
    bool was_told_vsync;
};

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

static void follow(void *job, struct viewer *v)
{
    struct follow_job *f = job;
    struct error err = {""};
    if (!stage_set_panes(v->stage, app_sides(&v->app), &err)) {
        app_toggle_compare(&v->app);
        viewer_note(v, err.text);
    }
    if (!stage_set_staged(v->stage, v->app.is_staged, &err)) {
        v->app.is_staged = !v->app.is_staged;
        viewer_note(v, err.text);
    }
    follow_vsync(f, v);
    if (f->is_fullscreen != v->app.is_fullscreen) {
        f->is_fullscreen = v->app.is_fullscreen;
        window_set_fullscreen(v->window, f->is_fullscreen);
    }
    const int steps = viewer_take(v, INPUT_ZOOM);
    if (!steps) return;
    pointer_zoom(&v->pointer, &v->app, viewer_sizes(v), steps);
    v->screen.needs_draw = v->screen.needs_words = true;
}

static const struct job_type follow_job = {.size = sizeof(struct follow_job),
                                           .step = {[JOB_FOLLOWS] = follow}};

// ---- the baseline ----
// Pins the present result as the baseline, or lets it go.

static void pin(struct viewer *v, const struct pane_facts *now)
{
    const struct baseline_subject subject = {now->choice, now->picture, now->device};
    char name[BASELINE_WORDS], ms[32], note[sizeof v->notes.text];
    v->app.baseline = baseline_pin(&subject, now->known.ms);
    baseline_write_name(&v->app.baseline, name, sizeof name);
    figures_write_ms(ms, sizeof ms, now->known.ms);
    g_snprintf(note, sizeof note, "baseline: %s, %s", name, ms);
    viewer_note(v, note);
}

static bool is_as_asked(const struct viewer *v)
{
    const struct choice chosen = app_chosen(&v->app, v->app.side);
    return choice_is_same(&chosen, &v->input.to_pin);
}

// NULL: it can be pinned.
static const char *why_not(const struct viewer *v, const struct pane_facts *now)
{
    if (!is_as_asked(v)) return "no baseline: something else was chosen";
    if (now->is_frozen && !now->known.is_settled) return "frozen: there is no settled time to pin";
    if (now->is_refused || !now->known.ms.count) return "there is no time to pin as the baseline";
    return now->known.check == CHECK_WRONG ? "a wrong result is no baseline" : NULL;
}

static void pin_or_let_go(void *job, struct viewer *v)
{
    (void)job;
    if (!v->input.asked[INPUT_BASELINE] || !v->now.sides) return;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    const bool is_pinned = v->app.baseline.ms.count > 0;
    // What it was asked about is to be shown and settled. A frame that is late may still come.
    const bool is_late = v->stage->panes[v->app.side].trouble.kind == TROUBLE_LATE;
    const bool is_measured = !now->is_refused && !viewer_is_settled(v);
    const bool is_coming = !viewer_shows_chosen(v) || is_late || is_measured;
    if (!is_pinned && is_as_asked(v) && is_coming) return;
    viewer_take(v, INPUT_BASELINE);
    v->screen.needs_words = true;
    const char *reason = is_pinned ? "the baseline is no longer pinned" : why_not(v, now);
    if (is_pinned) v->app.baseline = (struct baseline){.ms.count = 0};
    if (reason)
        viewer_note(v, reason);
    else
        pin(v, now);
}

static const struct job_type baseline_job = {.step = {[JOB_SHOWS] = pin_or_let_go}};

// ---- all of them ----

static const struct job_type *const types[] = {
    &keys_job,    &baseline_job,   &menu_job,   &tour_job,   &drop_job,
    &picture_job, &follow_job,     &reload_job, &lens_job,   &panels_job,
    &sheet_job,   &screenshot_job, &copy_job,   &source_job, &dump_job};

enum { COUNT = G_N_ELEMENTS(types) };

struct jobs {
    void *states[COUNT];
};

struct jobs *jobs_create(const struct options *options)
{
    struct jobs *jobs = g_new0(struct jobs, 1);
    for (int i = 0; i < COUNT; i++) {
        jobs->states[i] = g_malloc0(types[i]->size);
        if (types[i]->open) types[i]->open(jobs->states[i], options);
    }
    return jobs;
}

void jobs_destroy(struct jobs *jobs)
{
    if (!jobs) return;
    for (int i = 0; i < COUNT; i++) {
        if (types[i]->finish) types[i]->finish(jobs->states[i]);
        g_free(jobs->states[i]);
    }
    g_free(jobs);
}

void jobs_step(struct jobs *jobs, enum job_phase phase, struct viewer *v)
{
    for (int i = 0; i < COUNT; i++)
        if (types[i]->step[phase]) types[i]->step[phase](jobs->states[i], v);
}

bool jobs_are_busy(const struct jobs *jobs)
{
    for (int i = 0; i < COUNT; i++)
        if (types[i]->is_busy && types[i]->is_busy(jobs->states[i])) return true;
    return false;
}

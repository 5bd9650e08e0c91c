// viewer_times.c -- whose times the window shows: those of its own device, or those that were
// recorded on another one (frame/recording.h).
#include <glib.h>
#include <string.h>

#include "frame/recording.h"
#include "viewer/viewer.h"

static void show(struct viewer *v, struct recording *recording)
{
    results_set_recording(v->stage->host.results, recording);
    recording_destroy(v->times.before);
    v->times.before = v->times.recording;
    v->times.recording = recording;
    g_free(v->times.name);
    v->times.name = recording ? recording_name(v->times.paths[v->times.shown - 1])
                    : v->stage->host.device->is_gpu ? NULL
                                                    : g_strdup("off");
    v->screen.needs_words = true;
    panel_model_forget(v->panels);  // what is shown was of the former times
}

static struct recording *load(const struct viewer *v, const char *path, struct error *err)
{
    g_autofree char *headers = options_include_folder(v->options);
    return recording_open(path, headers, err);
}

bool viewer_open_times(struct viewer *v, bool is_gpu, struct error *err)
{
    struct viewer_times *t = &v->times;
    t->paths = recording_installed();
    show(v, NULL);
    g_autofree char *path =
        recording_find_shown(v->options->times || !is_gpu ? v->options->times : "off", err);
    t->is_chosen = v->options->times != NULL;
    if (!path) return !err->text[0];
    struct recording *recording = load(v, path, err);
    if (!recording) return false;
    if (!g_strv_contains((const char *const *)t->paths, path)) {  // its key comes back to it
        g_autoptr(GStrvBuilder) all = g_strv_builder_new();
        g_strv_builder_add(all, path);
        g_strv_builder_addv(all, (const char **)t->paths);
        g_strfreev(t->paths);
        t->paths = g_strv_builder_end(all);
    }
    while (t->paths[t->shown] && strcmp(t->paths[t->shown], path) != 0) t->shown++;
    t->shown++;
    show(v, recording);
    return true;
}

void viewer_close_times(struct viewer *v)
{
    recording_destroy(v->times.before);
    recording_destroy(v->times.recording);
    g_strfreev(v->times.paths);
    g_free(v->times.name);
    g_free(v->times.restored);
}

const char *viewer_times_word(const struct viewer *v)
{
    const char *const path = v->times.recording ? v->times.paths[v->times.shown - 1] : "off";
    struct recording *again = v->times.recording ? load(v, path, NULL) : NULL;
    recording_destroy(again);
    return again ? path : "off";
}

// Shows the times of a path, counted from 1; 0: those of this computer.
static void choose(struct viewer *v, int shown)
{
    struct viewer_times *t = &v->times;
    struct error err = {""};
    struct recording *recording = shown ? load(v, t->paths[shown - 1], &err) : NULL;
    t->shown = shown;
    t->is_chosen = true;
    if (recording)
        viewer_note(v, "times: %s", recording->about);
    else
        viewer_note(v, "%s", shown ? err.text : "times of this computer");
    show(v, recording);
}

void viewer_restore_times(struct viewer *v, const char *name)
{
    char *const *const paths = v->times.paths;
    int shown = 0;
    bool is_found = !name || !strcmp(name, "off");
    for (int i = 0; !is_found && paths[i]; i++) {
        g_autofree char *own = recording_name(paths[i]);
        is_found = !strcmp(own, name);
        if (is_found) shown = i + 1;
    }
    if (!is_found) viewer_note(v, "its recorded times are not here: --times names their file");
    if (name && is_found && shown != v->times.shown) choose(v, shown);
}

// Times that nobody has asked for are shown where some are known of what is shown. Kernels of the
// user's own are counted and timed here.
static void apply(struct viewer *v)
{
    const struct viewer_times *t = &v->times;
    struct results *const results = v->stage->host.results;
    bool is_known = t->is_chosen;
    for (int side = 0; t->recording && side < app_sides(&v->app); side++)
        is_known |= recording_has_filter(t->recording, app_side_filter(&v->app, side));
    struct recording *const wanted = is_known ? t->recording : NULL;
    if (results_recording(results) == wanted) return;
    results_set_recording(results, wanted);
    v->screen.needs_words = true;
    panel_model_forget(v->panels);
}

static void step(void *job, struct viewer *v)
{
    const struct viewer_times *t = &v->times;
    (void)job;
    const int presses = viewer_take(v, INPUT_TIMES);
    const bool is_hidden = t->recording && !results_recording(v->stage->host.results);
    const int from = is_hidden ? 0 : t->shown;
    if (presses && t->paths[0])
        choose(v, (from + presses) % ((int)g_strv_length(t->paths) + 1));
    else if (presses)
        viewer_note(v, "no times of other devices are installed: bench --record makes them");
    apply(v);
}

const struct job_type times_job = {.step = {[JOB_FOLLOWS] = step}};

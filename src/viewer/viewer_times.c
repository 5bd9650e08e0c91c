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
    g_autofree char *path = recording_find_shown(v->options->times, is_gpu, err);
    if (!path) return !err->text[0];
    struct recording *recording = load(v, path, err);
    if (!recording) return false;
    if (!g_strv_contains((const char *const *)t->paths, path)) {  // its key comes back to it
        GStrvBuilder *all = g_strv_builder_new();
        g_strv_builder_add(all, path);
        g_strv_builder_addv(all, (const char **)t->paths);
        g_strfreev(t->paths);
        t->paths = g_strv_builder_end(all);
        g_strv_builder_unref(all);
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
}

const char *viewer_times_word(const struct viewer *v)
{
    const char *const path = v->times.recording ? v->times.paths[v->times.shown - 1] : "off";
    struct error ignored;
    struct recording *again = v->times.recording ? load(v, path, &ignored) : NULL;
    recording_destroy(again);
    return again ? path : "off";
}

struct pane_times viewer_times_of_all(const struct viewer *v, const struct pane_facts *f)
{
    const struct results *s = v->stage->host.results;
    const struct recording *recording = results_recording(s);
    struct pane_times timed = f->timed;
    if (!timed.is_recorded || !recording) return timed;
    timed.device = &recording->device;
    timed.picture = recording->picture;
    timed.choice = results_timed(s, &f->choice);
    return timed;
}

static void step(void *job, struct viewer *v)
{
    struct viewer_times *t = &v->times;
    char note[sizeof v->notes.text] = "times of this computer";
    struct error err = {""};
    (void)job;
    const int presses = viewer_take(v, INPUT_TIMES);
    if (!presses) return;
    if (!t->paths[0]) {
        viewer_note(v, "no times of other devices are installed: bench --record makes them");
        return;
    }
    t->shown = (t->shown + presses) % ((int)g_strv_length(t->paths) + 1);
    struct recording *recording = t->shown ? load(v, t->paths[t->shown - 1], &err) : NULL;
    if (t->shown && !recording) g_strlcpy(note, err.text, sizeof note);
    if (recording) g_snprintf(note, sizeof note, "times: %s", recording->about);
    show(v, recording);
    viewer_note(v, note);
}

const struct job_type times_job = {.step = {[JOB_FOLLOWS] = step}};

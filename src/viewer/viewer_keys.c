// viewer_keys.c -- plays the keys of --keys, each one when the effect of the last one is on the
// screen, measured and checked. A q at the end always ends.
#include <glib.h>
#include <string.h>

#include "viewer/viewer.h"

static const gint64 PATIENCE_US = 20000000;  // for settled times, and for a window to be seen

struct keys_job {
    char **script;  // NULL: it was not read yet, or there is none
    int at;         // the next key
    gint64 since_us;
};

static bool is_pending(const struct viewer *v)
{
    for (int i = INPUT_NOTHING + 1; i < INPUT_REQUESTS; i++)
        if (v->input.asked[i]) return true;
    return !viewer_is_settled(v);
}

static bool is_compiling(const struct viewer *v)
{
    for (int i = 0; i < v->now.sides; i++)
        if (viewer_facts(v, i)->is_compiling) return true;
    return false;
}

// view_command.c has checked it.
static void read_script(struct keys_job *k, const struct viewer *v)
{
    struct error unused;
    if (!k->script && v->options->keys)
        k->script = input_script(v->options->keys, &v->filters, &unused);
}

static void step(void *job, struct viewer *v)
{
    struct keys_job *k = job;
    read_script(k, v);
    const gint64 now = g_get_monotonic_time();
    // A compiler comes back some time, or is stopped, however slow the machine is.
    if (!k->since_us || is_compiling(v)) k->since_us = now;
    v->input.keys_left = k->script ? g_strv_length(k->script + k->at) : 0;
    if (!v->input.keys_left || jobs_are_busy(v->jobs)) return;
    if (is_pending(v) && now - k->since_us < PATIENCE_US) return;
    const char *const key = k->script[k->at++];
    v->input.keys_left--;
    if (v->input.keys_left || strcmp(key, "q") != 0)
        viewer_press(v, key);
    else
        v->is_closing = true;  // even where a letter is typed: nobody is there to close that
    k->since_us = now;
}

static void finish(void *job)
{
    g_strfreev(((struct keys_job *)job)->script);
}

const struct job_type keys_job = {
    .size = sizeof(struct keys_job), .step = {[JOB_PRESSES] = step}, .finish = finish};

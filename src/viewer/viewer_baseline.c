// viewer_baseline.c -- the job that pins the present result as the baseline, or lets it go.
#include <glib.h>

#include "measure/figures.h"
#include "viewer/viewer.h"

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

static void let_go(struct viewer *v)
{
    v->app.baseline = (struct baseline){.ms.count = 0};
    viewer_note(v, "the baseline is no longer pinned");
}

static bool is_as_asked(const struct viewer *v)
{
    const struct choice chosen = app_chosen(&v->app, v->app.side);
    return choice_is_same(&chosen, &v->input.to_pin);
}

// For what it was asked about to be shown and settled. A frame that is late may still come.
static bool is_waiting(const struct viewer *v, const struct pane_facts *now)
{
    const bool is_late = v->stage->panes[v->app.side].trouble.kind == TROUBLE_LATE;
    const bool is_measured = !now->is_refused && !viewer_is_settled(v);
    return is_as_asked(v) && (!viewer_shows_chosen(v) || is_late || is_measured);
}

// NULL: it can be pinned.
static const char *why_not(const struct viewer *v, const struct pane_facts *now)
{
    if (!is_as_asked(v)) return "no baseline: something else was chosen";
    if (now->is_frozen && !now->known.is_settled) return "frozen: there is no settled time to pin";
    if (now->is_refused || !now->known.ms.count) return "there is no time to pin as the baseline";
    return now->known.check == CHECK_WRONG ? "a wrong result is no baseline" : NULL;
}

static void step(void *job, struct viewer *v)
{
    (void)job;
    if (!v->input.asked[INPUT_BASELINE] || !v->now.sides) return;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    const bool is_pinned = v->app.baseline.ms.count > 0;
    if (!is_pinned && is_waiting(v, now)) return;
    viewer_take(v, INPUT_BASELINE);
    v->screen.needs_words = true;
    const char *reason = is_pinned ? NULL : why_not(v, now);
    if (is_pinned)
        let_go(v);
    else if (reason)
        viewer_note(v, reason);
    else
        pin(v, now);
}

const struct job_type baseline_job = {.step = {[JOB_SHOWS] = step}};

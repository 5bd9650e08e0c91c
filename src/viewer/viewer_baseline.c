// viewer_baseline.c -- the job that pins the present result as the baseline, or lets it go.
#include <glib.h>

#include "measure/figures.h"
#include "viewer/viewer.h"

static void pin(struct viewer *v, const struct caption_facts *now)
{
    const struct baseline_subject subject = {now->choice, now->picture, now->device};
    char name[BASELINE_WORDS], ms[32], note[sizeof v->note];
    v->app.baseline = baseline_pin(&subject, now->report.ms);
    baseline_write_name(&v->app.baseline, name, sizeof name);
    figures_write_ms(ms, sizeof ms, now->report.ms);
    g_snprintf(note, sizeof note, "baseline: %s, %s", name, ms);
    viewer_note(v, note);
}

// A result is pinned when it is settled: until then the request waits.
static void step(void *job, struct viewer *v)
{
    (void)job;
    if (!v->asked[INPUT_BASELINE] || !v->now.sides) return;
    const struct caption_facts *now = viewer_facts(v, v->app.side);
    const bool is_pinned = v->app.baseline.ms.count > 0;
    if (!is_pinned && !now->is_refused && !viewer_is_settled(v)) return;
    viewer_take(v, INPUT_BASELINE);
    v->needs_caption = true;
    if (is_pinned) {
        v->app.baseline = (struct baseline){.ms.count = 0};
        viewer_note(v, "the baseline is no longer pinned");
    } else if (now->is_refused || !now->report.ms.count) {
        viewer_note(v, "there is no time to pin as the baseline");
    } else if (now->check == CHECK_WRONG) {
        viewer_note(v, "a wrong result is no baseline");
    } else {
        pin(v, now);
    }
}

const struct job_type baseline_job = {.step = {[JOB_SHOWS] = step}};

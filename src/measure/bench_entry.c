#include "measure/bench_entry.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

struct bench_entry *bench_entry_at(GArray *entries, guint index)
{
    return &g_array_index(entries, struct bench_entry, index);
}

// A choice of nothing is the copy.
static void add_entry(GArray *entries, struct choice c, bool is_hidden)
{
    struct bench_entry e = {.frame.choice = c,
                            .row = {.filter = c.filter, .settings = c.settings},
                            .is_hidden = is_hidden};
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        e.samples[i] = g_array_new(FALSE, FALSE, sizeof(double));
    g_strlcpy(e.row.variant, c.variant ? c.variant->name : "copy", sizeof e.row.variant);
    if (c.variant) launch_block(c.variant, &c.settings, &e.row.block_width, &e.row.block_height);
    g_array_append_val(entries, e);
}

static void free_samples(gpointer data)
{
    const struct bench_entry *e = data;
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) g_array_free(e->samples[i], TRUE);
}

struct bench_entry *bench_entry_naive(GArray *entries, bool is_unrolled)
{
    for (guint i = 0; i < entries->len; i++) {
        struct bench_entry *e = bench_entry_at(entries, i);
        const struct variant *v = e->frame.choice.variant;
        if (v && !strcmp(v->name, "naive") && e->row.settings.is_unrolled == is_unrolled &&
            e->row.block_width == v->passes[0].block_width &&
            e->row.block_height == v->passes[0].block_height)
            return e;
    }
    return NULL;
}

GArray *bench_entry_list(const struct sweep *sweep, int group)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct bench_entry));
    g_array_set_clear_func(entries, free_samples);
    add_entry(entries, (struct choice){.filter = NULL}, true);
    for (int i = 0; i < sweep->count; i++)
        if (sweep->groups[i] == group) add_entry(entries, sweep->cases[i], false);
    for (int i = 0; i < sweep->count; i++) {
        const struct choice *c = &sweep->cases[i];
        struct choice naive;
        if (sweep->groups[i] == group && choice_naive_of(c, &naive) &&
            !bench_entry_naive(entries, c->settings.is_unrolled))
            add_entry(entries, naive, true);
    }
    return entries;
}

int bench_entry_samples(const struct bench_entry *e)
{
    return (int)MIN(e->samples[BENCH_TIMER_COLD]->len, e->samples[BENCH_TIMER_HOT]->len);
}

void bench_entry_summarize(struct stats_summary *times, GArray *const *samples)
{
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        times[i] = stats_summarize_all((double *)(void *)samples[i]->data, (int)samples[i]->len);
}

void bench_entry_close(struct bench_entry *e, double budget_s)
{
    char cost[32], left[32];
    const double least_s = BENCH_ENTRY_LEAST * e->turn_s;
    if (bench_entry_samples(e) >= BENCH_ENTRY_LEAST)
        bench_entry_summarize(e->row.times, e->samples);
    if (e->row.times[0].count || e->row.reason[0] || budget_s < 0) return;
    e->row.is_over_budget = true;
    if (least_s <= fmax(BENCH_ENTRY_LATE_S, budget_s)) {
        g_strlcpy(e->row.reason, "not reached within the budget", sizeof e->row.reason);
        return;
    }
    number_three(cost, sizeof cost, least_s);
    number_three(left, sizeof left, budget_s);
    g_snprintf(e->row.reason, sizeof e->row.reason,
               "too slow: measuring takes about %s s, and the budget leaves %s s here", cost, left);
}

// ---- memory ----

bool bench_job_layout(const struct bench_job *job, int group, struct arrays_layout *layout,
                      struct error *err)
{
    *layout = (struct arrays_layout){.count = 0};
    for (int i = 0; i < job->sweep->count; i++) {
        const struct choice *c = &job->sweep->cases[i];
        struct choice naive = *c;
        struct arrays_layout one, other;
        if (job->sweep->groups[i] != group) continue;
        choice_naive_of(c, &naive);
        if (!arrays_plan(&one, c, job->picture, err) ||
            !arrays_plan(&other, &naive, job->picture, err))
            return false;
        workspace_add_needs(layout, &one);
        workspace_add_needs(layout, &other);
    }
    return true;
}

// One group's arrays are there at a time.
size_t bench_job_device_bytes(const struct bench_job *job)
{
    size_t largest = 0;
    for (int group = 0; group < job->sweep->group_count; group++) {
        struct arrays_layout layout;
        if (bench_job_layout(job, group, &layout, NULL))
            largest = MAX(largest, bench_timer_bytes(backend_device(job->backend), &layout));
    }
    return largest;
}

size_t bench_job_host_bytes(const struct bench_job *job)
{
    return planes_bytes(job->picture) * (job->with_host ? 3 : 2);
}

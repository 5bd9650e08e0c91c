#include "measure/bench.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "measure/bench_entry.h"
#include "measure/bench_host.h"
#include "measure/bench_needs.h"

enum { TARGET = 31, DROPPED = 1 };  // samples of a case, cold and hot each

static const double VERIFY_S = 0.012;    // for one case: download and reference
static const double CHEAP_MS = 5;        // a first sample below that is dropped as warm-up
static const double PROBE_MS = 40;       // the longest strip of a probe
static const double LATE_S = 2;          // a launch that takes less is never given up
static const double CHECKS_S = 10;       // after the budget's end, for all outputs
static const double CLOCKS_UP_S = 0.25;  // of copies, until a GPU runs at its full clock

// A module, or the first line of why there is none.
struct compiled {
    struct module *module;
    bool has_tried;
    char log[256];
};

struct bench {
    const struct bench_job *job;
    struct bench_timer *timer;          // of the present group
    struct bench_timer *picture_timer;  // of the picture; NULL: there is none
    bool has_clocks_up;
    struct references references;  // opened when they are needed
    struct checker *checker;
    struct bench_progress progress;
    double start_s, group_start_s, group_s;  // group_s: what the present group may take
    int groups_done;
    GArray *rows;  // struct bench_row
    GArray *copies[BENCH_TIMER_BUFFERS];
    const struct filter *filter;    // of the builds
    struct compiled builds[2];      // unrolled or not
    const struct filter *unusable;  // the last filter whose REFERENCE failed,
    char unusable_why[128];         // and how
    bool is_check_late;             // of this group's lab: the first check took too long
    bool is_stopped, is_caught;
    char failure[512];
};

static double now_s(void)
{
    return (double)g_get_monotonic_time() * 1e-6;
}

static double left_s(const struct bench *b)
{
    return fmax(0, b->start_s + b->job->budget_s - now_s());
}

static bool is_over(const struct bench *b)
{
    return b->is_stopped || b->failure[0];
}

// ---- progress ----

static bool step(void *data)
{
    struct bench *b = data;
    if (b->is_stopped || !b->job->step) return b->is_stopped;
    const double within = CLAMP((now_s() - b->group_start_s) / fmax(b->group_s, 1e-3), 0, 1);
    const double elapsed = now_s() - b->start_s, whole = b->job->sweep->group_count;
    struct bench_progress *p = &b->progress;
    p->fraction = fmax(p->fraction, fmin(1, (b->groups_done + within) / whole));
    p->left_s = fmin(left_s(b), p->fraction > 0 ? elapsed / p->fraction - elapsed : left_s(b));
    b->is_stopped = b->job->step(b->job->data, p);
    return b->is_stopped;
}

// ---- what can be run ----

static void unload(struct bench *b, bool is_unrolled)
{
    backend_unload(b->job->backend, b->builds[is_unrolled].module);
    b->builds[is_unrolled] = (struct compiled){.module = NULL};
}

static const struct module *module_for(struct bench *b, struct bench_entry *e)
{
    const struct choice *c = &e->frame.choice;
    struct compiled *build = &b->builds[c->settings.is_unrolled];
    struct error err = {""};
    if (b->filter != c->filter) unload(b, false);
    b->filter = c->filter;
    if (!build->has_tried) {
        const struct launch_build params = launch_build(c->filter, &c->settings);
        build->module = frame_compile(b->job->backend, c->filter, params.params, &err);
        build->has_tried = true;
        text_copy_line(build->log, sizeof build->log, err.text);
    }
    if (!build->module) g_strlcpy(e->row.reason, build->log, sizeof e->row.reason);
    return build->module;
}

// Notes why an entry failed: the run was stopped, the device failed, or the entry is refused.
static void note_failure(struct bench *b, struct bench_entry *e, const struct error *err)
{
    e->is_admitted = false;
    if (bench_timer_wait(b->timer)->is_stopped || b->is_stopped) return;
    struct error fault = {""};
    e->row.is_over_budget = bench_timer_wait(b->timer)->is_late;
    if (bench_timer_wait(b->timer)->is_caught)
        g_snprintf(b->failure, sizeof b->failure, "%s: %s", e->row.variant, err->text);
    else if (backend_poll(b->job->backend, &fault) == BACKEND_FAILED)
        text_copy_line(b->failure, sizeof b->failure, err->text);
    text_copy_line(e->row.reason, sizeof e->row.reason, err->text);
}

static void prepare(struct bench *b, struct bench_entry *e, double probe_ms)
{
    struct error err = {""};
    struct bench_timer_cost cost;
    e->frame.backend = b->job->backend;
    if (e->frame.choice.filter) {
        e->frame.module = module_for(b, e);
        if (!e->frame.module) return;
        if (!frame_plan(&e->frame, b->job->picture, &err)) {
            text_copy_line(e->row.reason, sizeof e->row.reason, err.text);
            return;
        }
    }
    e->is_admitted = true;
    if (!bench_timer_probe(b->timer, &e->frame, probe_ms, &cost, &err)) note_failure(b, e, &err);
    e->is_probed_whole = cost.is_whole;
    e->prepare_ms = cost.prepare_ms;
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) e->expected_ms[i] = cost.ms;
}

// ---- measuring ----

static void sample(struct bench *b, struct bench_entry *e, enum bench_timer_buffers buffers)
{
    struct error err = {""};
    double ms;
    if (!bench_timer_sample(b->timer, &e->frame, buffers, &e->expected_ms[buffers], &ms, &err)) {
        note_failure(b, e, &err);
        return;
    }
    if (ms <= 0) return;
    if (e->dropped[buffers] < DROPPED && ms < CHEAP_MS) {
        e->dropped[buffers]++;
        return;
    }
    g_array_append_val(e->samples[buffers], ms);
    if (!e->frame.choice.filter && b->timer == b->picture_timer)
        g_array_append_val(b->copies[buffers], ms);
}

// Samples every entry once; false: none needs another sample.
static bool turn(struct bench *b, GArray *entries)
{
    const double verify_s = VERIFY_S * entries->len;
    const bool is_late = now_s() + verify_s > b->group_start_s + b->group_s;
    const int wanted = is_late ? BENCH_ENTRY_LEAST : TARGET;
    bool is_wanted = false;
    for (guint i = 0; i < entries->len && !is_over(b); i++) {
        struct bench_entry *e = bench_entry_at(entries, i);
        if (!e->is_admitted || bench_entry_samples(e) >= wanted) continue;
        is_wanted = true;
        for (int k = 0; k < BENCH_TIMER_BUFFERS && e->is_admitted && !step(b); k++)
            sample(b, e, (enum bench_timer_buffers)k);
    }
    return is_wanted;
}

// What costs little is measured before the next one is tried, which may never come back.
static void sample_early(struct bench *b, struct bench_entry *e, double share_ms)
{
    enum { TRIES = 2 * BENCH_ENTRY_LEAST };
    if (!e->is_admitted || bench_entry_least_cost_ms(e) > share_ms) return;
    for (int i = 0; i < TRIES && bench_entry_samples(e) < BENCH_ENTRY_LEAST; i++)
        for (int k = 0; k < BENCH_TIMER_BUFFERS && e->is_admitted && !is_over(b) && !step(b); k++)
            sample(b, e, (enum bench_timer_buffers)k);
}

static void open_references(struct bench *b)
{
    if (!b->references.host) references_open(&b->references, b->job->backend, NULL);
}

// One that does not come back is not waited for again.
static void note_bad_reference(struct bench *b, const struct bench_entry *e)
{
    if (is_over(b)) return;
    b->unusable = e->frame.choice.filter;
    text_copy_line(b->unusable_why, sizeof b->unusable_why, e->row.reason);
}

static void verify(struct bench *b, struct bench_entry *e, double until_s)
{
    struct error err = {""};
    struct image_difference found = {0};
    bool is_checked;
    struct bench_wait *wait = b->timer ? bench_timer_wait(b->timer) : NULL;
    const struct filter *f = e->frame.choice.filter;
    if (!f || !(bench_entry_samples(e) || e->is_admitted) || e->is_verified || is_over(b)) return;
    wait->check_until_us = (gint64)(until_s * 1e6);
    if (f == b->unusable) {
        g_strlcpy(e->row.reason, b->unusable_why, sizeof e->row.reason);
        return;
    }
    g_snprintf(b->progress.what, sizeof b->progress.what, "checking %s %s", f->name,
               e->row.variant);
    open_references(b);
    if (!bench_timer_verify(b->timer, &e->frame, b->checker, &b->references, &is_checked, &found,
                            &err)) {
        note_failure(b, e, &err);
        note_bad_reference(b, e);
        return;
    }
    e->is_verified = true;
    e->row.is_unchecked = !is_checked && wait->is_check_late;
    e->row.check = is_checked            ? result_check_of(&e->frame.choice, found)
                   : e->row.is_unchecked ? CHECK_UNKNOWN
                                         : CHECK_NO_REFERENCE;
    e->row.wrong_by = found;
}

static void describe_group(struct bench *b, const struct bench_entry *e)
{
    const char *name = b->job->sweep->axis;
    const int axis = e->row.filter ? filter_param(e->row.filter, name) : -1;
    if (axis < 0)
        g_strlcpy(b->progress.what, e->row.filter->name, sizeof b->progress.what);
    else
        g_snprintf(b->progress.what, sizeof b->progress.what, "%s %s %.10g", e->row.filter->name,
                   name, e->row.settings.params.v[axis]);
}

// Finds the answers with which all outputs of a lab are compared, before the time is spent.
static void verify_first(struct bench *b, GArray *entries)
{
    for (guint i = 0; i < entries->len; i++) {
        struct bench_entry *e = bench_entry_at(entries, i);
        const struct filter *f = e->frame.choice.filter;
        if (!f || !e->is_admitted || !f->is_lab || !filter_has_reference(f)) continue;
        verify(b, e, now_s() + fmax(LATE_S, b->group_s / 2));
        b->is_check_late = e->row.is_unchecked;
        describe_group(b, e);
        return;
    }
}

static void verify_all(struct bench *b, GArray *entries)
{
    const double until_s = b->start_s + b->job->budget_s + CHECKS_S;
    for (guint i = 0; i < entries->len; i++) {
        struct bench_entry *e = bench_entry_at(entries, i);
        if (b->is_check_late)
            e->row.is_unchecked = e->frame.choice.filter != NULL;
        else if (bench_entry_samples(e))
            verify(b, e, until_s);
    }
}

static void summarize(struct stats_summary *times, GArray *const *samples)
{
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        times[i] = stats_summarize_all((double *)(void *)samples[i]->data, (int)samples[i]->len);
}

// ---- rows ----

static void add_row(struct bench *b, struct bench_row row, double copy_ms, double naive_ms)
{
    row.copy_ms = copy_ms;
    row.naive_ms = naive_ms;
    const bool is_measured = row.times[BENCH_TIMER_HOT].count > 0;
    if (!is_measured && !row.reason[0] && b->failure[0])
        text_copy_line(row.reason, sizeof row.reason, b->failure);
    if (is_measured || row.reason[0]) g_array_append_val(b->rows, row);
}

// Of the naive case; 0: it has no time, or nobody may compare with it since its result is wrong.
static double naive_ms(GArray *entries, bool is_unrolled)
{
    const struct bench_entry *naive = bench_entry_baseline(entries, is_unrolled);
    return naive && naive->row.check != CHECK_WRONG ? bench_ms(&naive->row) : 0;
}

static void add_rows(struct bench *b, GArray *entries)
{
    const struct bench_entry *copy = bench_entry_at(entries, 0);
    for (guint i = 0; i < entries->len; i++) {
        const struct bench_entry *e = bench_entry_at(entries, i);
        if (!e->is_hidden)
            add_row(b, e->row, bench_ms(&copy->row),
                    naive_ms(entries, e->frame.choice.settings.is_unrolled));
    }
}

static void add_host_row(struct bench *b, GArray *entries, const char *name, int threads,
                         struct image *out)
{
    const struct bench_entry *first = bench_entry_at(entries, 1);
    const struct bench_entry *copy = bench_entry_at(entries, 0);
    struct bench_row row = {
        .filter = first->row.filter, .settings = first->row.settings, .is_host = true};
    struct error err = {""};
    struct reference reference;
    const struct bench_host host = {.reference = &reference,
                                    .out = out->planes,
                                    .in = b->job->picture,
                                    .threads = threads,
                                    .limit_ms = fmin(left_s(b), b->group_s) * 1e3,
                                    .stop = step,
                                    .data = b};
    g_strlcpy(row.variant, name, sizeof row.variant);
    row.settings.is_unrolled = false;
    open_references(b);
    if (!reference_wait(&reference, &b->references, row.filter, &row.settings.params))
        g_strlcpy(row.reason, "there is no reference that the CPU can run", sizeof row.reason);
    else if (row.filter == b->unusable)
        g_strlcpy(row.reason, b->unusable_why, sizeof row.reason);
    else if (!bench_host_run(&host, &row.times[BENCH_TIMER_HOT], &err) && !b->is_stopped)
        text_copy_line(row.reason, sizeof row.reason, err.text);
    add_row(b, row, bench_ms(&copy->row), naive_ms(entries, false));
}

static void add_host_rows(struct bench *b, GArray *entries)
{
    const struct planes p = b->job->picture;
    struct image out = {0};
    if (!b->job->with_host || is_over(b) || b->timer != b->picture_timer) return;
    if (!image_init(&out, p.width, p.height, p.count, NULL)) return;
    add_host_row(b, entries, "cpu 1 thread", 1, &out);
    add_host_row(b, entries, "cpu all threads", (int)g_get_num_processors(), &out);
    image_finish(&out);
}

// ---- the run ----

// Later groups have larger radii and cost more, so the early ones leave them most of the budget.
static double part_of_budget(const struct bench *b)
{
    const int groups = b->job->sweep->group_count - b->groups_done;
    return left_s(b) * (groups == 1 ? 1 : 2.0 / (groups + 1));
}

// A lab's group has a timer of its own, whose pairs are its arrays.
static void open_lab(struct bench *b, GArray *entries)
{
    const struct bench_entry *first = bench_entry_at(entries, 1);
    const struct choice *c = &first->frame.choice;
    struct error err = {""};
    b->timer = b->picture_timer;
    if (!c->filter->is_lab) return;
    b->timer =
        bench_timer_create_lab(b->job->backend, c->filter, &c->settings.params, step, b, &err);
    for (guint i = 0; !b->timer && i < entries->len; i++) {
        struct bench_entry *e = bench_entry_at(entries, i);
        text_copy_line(e->row.reason, sizeof e->row.reason, err.text);
    }
    if (!b->timer) b->group_s = 0;
}

static void close_lab(struct bench *b)
{
    if (b->timer == b->picture_timer) return;
    bench_timer_destroy(b->timer);
    checker_forget(b->checker);
    b->timer = b->picture_timer;
}

// Once a run, with copies of whatever is measured first.
static void bring_clocks_up(struct bench *b)
{
    const struct frame copy = {.backend = b->job->backend};
    const double end_s = now_s() + CLOCKS_UP_S;
    double expected = 0, ms;
    if (b->has_clocks_up || !b->timer || !backend_device(b->job->backend)->is_gpu) return;
    b->has_clocks_up = true;
    while (now_s() < end_s)
        if (!bench_timer_sample(b->timer, &copy, BENCH_TIMER_COLD, &expected, &ms, NULL)) return;
}

static void limit_launches(struct bench *b, double limit_s)
{
    if (b->timer) bench_timer_wait(b->timer)->limit_ms = fmax(LATE_S, limit_s) * 1e3;
}

// A launch for which even the fewest samples take longer than the group may need not come back.
static void probe_all(struct bench *b, GArray *entries)
{
    const double probe_ms = CLAMP(b->group_s * 250 / entries->len, 2, PROBE_MS);
    const double share_ms = (b->group_s / entries->len - VERIFY_S) * 1e3;
    for (guint i = 0; i < entries->len && b->group_s > 0 && !is_over(b) && !step(b); i++) {
        limit_launches(b, b->group_s / (BENCH_ENTRY_LEAST * BENCH_TIMER_BUFFERS + 1));
        prepare(b, bench_entry_at(entries, i), probe_ms);
        limit_launches(b, b->group_s);
        sample_early(b, bench_entry_at(entries, i), share_ms);
    }
}

static void run_group(struct bench *b, int group)
{
    GArray *entries = bench_entry_list(b->job->sweep, group);
    describe_group(b, bench_entry_at(entries, 1));
    b->is_check_late = false;
    b->group_start_s = now_s();
    b->group_s = part_of_budget(b);
    if (b->group_s <= 0) bench_entry_skip_all(entries);
    open_lab(b, entries);
    bring_clocks_up(b);
    probe_all(b, entries);
    const double left_ms = fmin(left_s(b), b->group_s) * 1e3 - VERIFY_S * 1e3 * entries->len;
    if (!is_over(b)) bench_entry_admit(entries, left_ms);
    verify_first(b, entries);
    while (!is_over(b) && turn(b, entries)) continue;
    for (guint i = 0; i < entries->len; i++) {
        struct bench_entry *e = bench_entry_at(entries, i);
        summarize(e->row.times, e->samples);
    }
    verify_all(b, entries);
    add_rows(b, entries);
    add_host_rows(b, entries);
    g_array_free(entries, TRUE);
    b->is_caught = b->timer && bench_timer_wait(b->timer)->is_caught;
    if (b->is_caught) return;
    close_lab(b);
    unload(b, true);
}

static void take_result(struct bench *b, struct bench_result *result)
{
    struct bench_row copy = {.variant = "copy"};
    summarize(copy.times, b->copies);
    copy.copy_ms = bench_ms(&copy);
    if (copy.copy_ms > 0) g_array_prepend_val(b->rows, copy);
    *result =
        (struct bench_result){.count = (int)b->rows->len,
                              .pairs = b->picture_timer ? bench_timer_pairs(b->picture_timer) : 0,
                              .pair_bytes = 2 * planes_bytes(b->job->picture),
                              .is_stopped = b->is_stopped,
                              .is_caught = b->is_caught};
    g_strlcpy(result->failure, b->failure, sizeof result->failure);
    result->rows = (struct bench_row *)(void *)g_array_free(b->rows, FALSE);
}

bool bench_run(const struct bench_job *job, struct bench_result *result, struct error *err)
{
    struct bench b = {.job = job, .start_s = now_s(), .group_s = job->budget_s};
    b.group_start_s = b.start_s;
    if (job->picture.pixels &&
        !(b.picture_timer = bench_timer_create(job->backend, job->picture,
                                               bench_needs_workspace(job), step, &b, err)))
        return false;
    b.checker = checker_create();
    b.rows = g_array_new(FALSE, FALSE, sizeof(struct bench_row));
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        b.copies[i] = g_array_new(FALSE, FALSE, sizeof(double));
    for (int group = 0; group < job->sweep->group_count && !b.is_stopped && !b.is_caught; group++) {
        run_group(&b, group);
        b.groups_done++;
    }
    take_result(&b, result);
    checker_destroy(b.checker);
    g_strlcpy(result->axis, job->sweep->axis, sizeof result->axis);
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) g_array_free(b.copies[i], TRUE);
    if (b.is_caught) return true;
    bench_timer_destroy(b.picture_timer);
    unload(&b, false);
    references_close(&b.references);
    return true;
}

void bench_finish(struct bench_result *result)
{
    g_free(result->rows);
    *result = (struct bench_result){0};
}

double bench_ms(const struct bench_row *row)
{
    return row->times[row->is_host ? BENCH_TIMER_HOT : BENCH_TIMER_COLD].median;
}

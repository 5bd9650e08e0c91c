// This file is long because the groups of a run, their rows and their labs share one struct.
#include "measure/bench.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/figure.h"
#include "base/text.h"
#include "measure/bench_host.h"

enum { TARGET = 31, LEAST = 3, DROPPED = 1 };  // samples of a case, cold and hot each

static const double VERIFY_S = 0.012;    // for one case: download and reference
static const double CHEAP_MS = 5;        // a first sample below that is dropped as warm-up
static const double PROBE_MS = 40;       // the longest strip of a probe
static const double CLOCKS_UP_S = 0.25;  // of copies, until a GPU runs at its full clock

// A case while it is measured. The copy is one too, without a filter.
struct entry {
    struct bench_row row;
    struct frame frame;
    bool is_hidden;    // naive, measured only to compare with
    bool is_admitted;  // legal, and the budget holds it
    bool is_probed_whole;
    int dropped[BENCH_TIMER_BUFFERS];
    double expected_ms[BENCH_TIMER_BUFFERS];
    GArray *samples[BENCH_TIMER_BUFFERS];  // double
};

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
    struct lab_checker labs;
    struct bench_progress progress;
    double start_s, group_start_s, group_s;  // group_s: what the present group may take
    int groups_done;
    GArray *rows;  // struct bench_row
    GArray *copies[BENCH_TIMER_BUFFERS];
    const struct filter *filter;    // of the builds
    struct compiled builds[2];      // unrolled or not
    const struct filter *unusable;  // the last filter whose REFERENCE failed,
    char unusable_why[128];         // and how
    bool is_stopped;
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

// ---- entries ----

// A choice of nothing is the copy.
static void add_entry(GArray *entries, struct choice c, bool is_hidden)
{
    struct entry e = {.frame.choice = c,
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
    const struct entry *e = data;
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) g_array_free(e->samples[i], TRUE);
}

// Whether it is naive in its own block, with which the others of that unroll are compared.
static bool is_baseline(const struct entry *e, bool is_unrolled)
{
    const struct pass *first = e->frame.choice.variant ? &e->frame.choice.variant->passes[0] : NULL;
    return first && !strcmp(e->row.variant, "naive") &&
           e->frame.choice.settings.is_unrolled == is_unrolled &&
           e->row.block_width == first->block_width && e->row.block_height == first->block_height;
}

static struct entry *baseline_of(GArray *entries, bool is_unrolled)
{
    for (guint i = 0; i < entries->len; i++) {
        struct entry *e = &g_array_index(entries, struct entry, i);
        if (is_baseline(e, is_unrolled)) return e;
    }
    return NULL;
}

static struct choice choice_of(const struct sweep_case *c)
{
    return (struct choice){c->filter, c->variant, c->settings};
}

// Lists the copy, the group's cases, and those that they are compared with.
static GArray *group_entries(const struct sweep *sweep, int group)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
    g_array_set_clear_func(entries, free_samples);
    add_entry(entries, (struct choice){.filter = NULL}, true);
    for (int i = 0; i < sweep->count; i++)
        if (sweep->cases[i].group == group) add_entry(entries, choice_of(&sweep->cases[i]), false);
    for (int i = 0; i < sweep->count; i++) {
        const struct choice c = choice_of(&sweep->cases[i]);
        struct choice naive;
        if (sweep->cases[i].group == group && choice_naive_of(&c, &naive) &&
            !baseline_of(entries, c.settings.is_unrolled))
            add_entry(entries, naive, true);
    }
    return entries;
}

// ---- what can be run ----

static void unload(struct bench *b, bool is_unrolled)
{
    backend_unload(b->job->backend, b->builds[is_unrolled].module);
    b->builds[is_unrolled] = (struct compiled){.module = NULL};
}

static const struct module *module_for(struct bench *b, struct entry *e)
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
static void note_failure(struct bench *b, struct entry *e, const struct error *err)
{
    e->is_admitted = false;
    if (bench_timer_is_stopped(b->timer) || b->is_stopped) return;
    struct error fault = {""};
    if (backend_poll(b->job->backend, &fault) == BACKEND_FAILED)
        text_copy_line(b->failure, sizeof b->failure, err->text);
    text_copy_line(e->row.reason, sizeof e->row.reason, err->text);
}

static void prepare(struct bench *b, struct entry *e, double probe_ms)
{
    struct error err = {""};
    double ms = 0;
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
    if (!bench_timer_probe(b->timer, &e->frame, probe_ms, &ms, &e->is_probed_whole, &err))
        note_failure(b, e, &err);
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) e->expected_ms[i] = ms;
}

static double least_cost_ms(const struct entry *e)
{
    return e->expected_ms[BENCH_TIMER_COLD] *
           (LEAST * BENCH_TIMER_BUFFERS + 1 + !e->is_probed_whole);
}

static int by_cost(gconstpointer a, gconstpointer b)
{
    const double x = least_cost_ms(*(struct entry *const *)a);
    const double y = least_cost_ms(*(struct entry *const *)b);
    return (x > y) - (x < y);
}

// The cases before have spent the budget.
static void skip_one(struct entry *e)
{
    e->row.is_over_budget = true;
    g_strlcpy(e->row.reason, "not reached within the budget", sizeof e->row.reason);
}

static void refuse_slow(struct entry *e, double left_ms)
{
    char cost[32], left[32];
    e->row.is_over_budget = true;
    figure_three(cost, sizeof cost, least_cost_ms(e) * 1e-3);
    figure_three(left, sizeof left, left_ms * 1e-3);
    g_snprintf(e->row.reason, sizeof e->row.reason,
               "too slow: measuring takes about %s s, and the budget leaves %s s here", cost, left);
}

static void admit_one(struct entry *e, double *left_ms)
{
    if (!e->is_admitted) return;
    e->is_admitted = least_cost_ms(e) <= *left_ms || !e->frame.choice.filter;
    if (e->is_admitted)
        *left_ms -= least_cost_ms(e);
    else if (*left_ms > 0)
        refuse_slow(e, *left_ms);
    else
        skip_one(e);
}

static void skip(GArray *entries)
{
    for (guint i = 0; i < entries->len; i++) skip_one(&g_array_index(entries, struct entry, i));
}

// Admits as many of the cheapest entries as the group's part of the budget holds.
static void admit(struct bench *b, GArray *entries)
{
    GPtrArray *sorted = g_ptr_array_new();
    for (guint i = 0; i < entries->len; i++)
        g_ptr_array_add(sorted, &g_array_index(entries, struct entry, i));
    g_ptr_array_sort(sorted, by_cost);
    double left_ms = fmin(left_s(b), b->group_s) * 1e3 - VERIFY_S * 1e3 * entries->len;
    for (guint i = 0; i < sorted->len; i++) admit_one(sorted->pdata[i], &left_ms);
    g_ptr_array_free(sorted, TRUE);
}

// ---- measuring ----

static int count_of(const struct entry *e)
{
    return (int)MIN(e->samples[BENCH_TIMER_COLD]->len, e->samples[BENCH_TIMER_HOT]->len);
}

static void sample(struct bench *b, struct entry *e, enum bench_timer_buffers buffers)
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
    const int wanted = is_late ? LEAST : TARGET;
    bool is_wanted = false;
    for (guint i = 0; i < entries->len && !is_over(b); i++) {
        struct entry *e = &g_array_index(entries, struct entry, i);
        if (!e->is_admitted || count_of(e) >= wanted) continue;
        is_wanted = true;
        for (int k = 0; k < BENCH_TIMER_BUFFERS && e->is_admitted && !step(b); k++)
            sample(b, e, (enum bench_timer_buffers)k);
    }
    return is_wanted;
}

static void open_references(struct bench *b)
{
    if (!b->references.host) references_open(&b->references, b->job->backend, NULL);
    b->labs.references = &b->references;
}

static void close_references(struct bench *b)
{
    lab_checker_forget(&b->labs);
    references_close(&b->references);
}

// One that does not come back is not waited for again.
static void note_bad_reference(struct bench *b, const struct entry *e)
{
    if (is_over(b)) return;
    b->unusable = e->frame.choice.filter;
    text_copy_line(b->unusable_why, sizeof b->unusable_why, e->row.reason);
}

static bool compare(struct bench *b, struct entry *e, bool *is_checked,
                    struct image_difference *found, struct error *err)
{
    const struct filter *f = e->frame.choice.filter;
    if (!filter_has_reference(f))
        return bench_timer_verify_plain(b->timer, &e->frame, is_checked, found, err);
    open_references(b);
    if (f->is_lab)
        return bench_timer_verify_lab(b->timer, &e->frame, &b->labs, is_checked, found, err);
    return bench_timer_verify(b->timer, &e->frame, &b->references, is_checked, found, err);
}

static void verify(struct bench *b, struct entry *e)
{
    struct error err = {""};
    struct image_difference found = {0};
    bool is_checked;
    const struct filter *f = e->frame.choice.filter;
    if (!f || !count_of(e) || e->is_hidden || is_over(b)) return;
    if (f == b->unusable) {
        g_strlcpy(e->row.reason, b->unusable_why, sizeof e->row.reason);
        return;
    }
    g_snprintf(b->progress.what, sizeof b->progress.what, "checking %s %s", f->name,
               e->row.variant);
    if (!compare(b, e, &is_checked, &found, &err)) {
        note_failure(b, e, &err);
        note_bad_reference(b, e);
        return;
    }
    e->row.check = is_checked ? result_check_of(&e->frame.choice, found) : CHECK_NO_REFERENCE;
    e->row.wrong_by = found.max;
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

static void add_rows(struct bench *b, GArray *entries)
{
    const struct entry *copy = &g_array_index(entries, struct entry, 0);
    for (guint i = 0; i < entries->len; i++) {
        const struct entry *e = &g_array_index(entries, struct entry, i);
        const struct entry *naive = baseline_of(entries, e->frame.choice.settings.is_unrolled);
        if (!e->is_hidden)
            add_row(b, e->row, bench_ms(&copy->row), naive ? bench_ms(&naive->row) : 0);
    }
}

static void add_host_row(struct bench *b, GArray *entries, const char *name, int threads,
                         struct image *out)
{
    const struct entry *first = &g_array_index(entries, struct entry, 1);
    const struct entry *copy = &g_array_index(entries, struct entry, 0);
    const struct entry *naive = baseline_of(entries, false);
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
    add_row(b, row, bench_ms(&copy->row), naive ? bench_ms(&naive->row) : 0);
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

static void describe_group(struct bench *b, const struct entry *e)
{
    const char *name = b->job->sweep->axis;
    const int axis = e->row.filter ? filter_param(e->row.filter, name) : -1;
    if (axis < 0)
        g_strlcpy(b->progress.what, e->row.filter->name, sizeof b->progress.what);
    else
        g_snprintf(b->progress.what, sizeof b->progress.what, "%s %s %.10g", e->row.filter->name,
                   name, e->row.settings.params.v[axis]);
}

// Later groups have larger radii and cost more, so the early ones leave them most of the budget.
static double part_of_budget(const struct bench *b)
{
    const int groups = b->job->sweep->group_count - b->groups_done;
    return left_s(b) * (groups == 1 ? 1 : 2.0 / (groups + 1));
}

// A lab's group has a timer of its own, whose pairs are its arrays.
static void open_lab(struct bench *b, GArray *entries)
{
    const struct entry *first = &g_array_index(entries, struct entry, 1);
    const struct choice *c = &first->frame.choice;
    struct error err = {""};
    b->timer = b->picture_timer;
    if (!c->filter->is_lab) return;
    b->timer =
        bench_timer_create_lab(b->job->backend, c->filter, &c->settings.params, step, b, &err);
    for (guint i = 0; !b->timer && i < entries->len; i++) {
        struct entry *e = &g_array_index(entries, struct entry, i);
        text_copy_line(e->row.reason, sizeof e->row.reason, err.text);
    }
    if (!b->timer) b->group_s = 0;
}

static void close_lab(struct bench *b)
{
    if (b->timer == b->picture_timer) return;
    bench_timer_destroy(b->timer);
    lab_checker_forget(&b->labs);
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

static void run_group(struct bench *b, int group)
{
    GArray *entries = group_entries(b->job->sweep, group);
    describe_group(b, &g_array_index(entries, struct entry, 1));
    b->group_start_s = now_s();
    b->group_s = part_of_budget(b);
    const double probe_ms = CLAMP(b->group_s * 250 / entries->len, 2, PROBE_MS);
    if (b->group_s <= 0) skip(entries);
    open_lab(b, entries);
    bring_clocks_up(b);
    for (guint i = 0; i < entries->len && b->group_s > 0 && !is_over(b) && !step(b); i++)
        prepare(b, &g_array_index(entries, struct entry, i), probe_ms);
    if (!is_over(b)) admit(b, entries);
    while (!is_over(b) && turn(b, entries)) continue;
    for (guint i = 0; i < entries->len; i++) {
        struct entry *e = &g_array_index(entries, struct entry, i);
        summarize(e->row.times, e->samples);
        verify(b, e);
    }
    add_rows(b, entries);
    add_host_rows(b, entries);
    g_array_free(entries, TRUE);
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
                              .is_stopped = b->is_stopped};
    g_strlcpy(result->failure, b->failure, sizeof result->failure);
    result->rows = (struct bench_row *)(void *)g_array_free(b->rows, FALSE);
}

static struct workspace_needs needs_of(const struct bench_job *job)
{
    struct workspace_needs needs = {0};
    for (int i = 0; i < job->sweep->count; i++) {
        const struct sweep_case *c = &job->sweep->cases[i];
        const struct variant *naive = filter_variant(c->filter, "naive");
        if (c->filter->is_lab) continue;  // its timer has memory of its own
        workspace_add_needs(&needs, c->filter, c->variant, job->picture);
        if (naive) workspace_add_needs(&needs, c->filter, naive, job->picture);
    }
    return needs;
}

// One lab's arrays are there at a time.
static size_t largest_lab(const struct bench_job *job)
{
    size_t largest = 0;
    for (int i = 0; i < job->sweep->count; i++) {
        const struct sweep_case *c = &job->sweep->cases[i];
        if (c->filter->is_lab)
            largest = MAX(largest, bench_timer_lab_bytes(backend_device(job->backend), c->filter,
                                                         &c->settings.params));
    }
    return largest;
}

static bool has_picture(const struct bench_job *job)
{
    return job->picture.width > 0;
}

size_t bench_device_bytes(const struct bench_job *job)
{
    const struct device *device = backend_device(job->backend);
    return largest_lab(job) +
           (has_picture(job) ? bench_timer_bytes(device, job->picture, needs_of(job)) : 0);
}

size_t bench_host_bytes(const struct bench_job *job)
{
    return has_picture(job) ? planes_bytes(job->picture) * (job->with_host ? 3 : 2) : 0;
}

bool bench_run(const struct bench_job *job, struct bench_result *result, struct error *err)
{
    struct bench b = {.job = job, .start_s = now_s(), .group_s = job->budget_s};
    b.group_start_s = b.start_s;
    if (job->picture.pixels && !(b.picture_timer = bench_timer_create(
                                     job->backend, job->picture, needs_of(job), step, &b, err)))
        return false;
    b.rows = g_array_new(FALSE, FALSE, sizeof(struct bench_row));
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        b.copies[i] = g_array_new(FALSE, FALSE, sizeof(double));
    for (int group = 0; group < job->sweep->group_count && !b.is_stopped; group++) {
        run_group(&b, group);
        b.groups_done++;
    }
    take_result(&b, result);
    g_strlcpy(result->axis, job->sweep->axis, sizeof result->axis);
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) g_array_free(b.copies[i], TRUE);
    bench_timer_destroy(b.picture_timer);
    unload(&b, false);
    close_references(&b);
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

// This file is long because sampling, checks and rows take turns in one run, with one state.
#include "measure/bench.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/wall.h"
#include "filter/launch.h"
#include "frame/agreement.h"
#include "frame/workspace.h"

enum { TARGET = 31, LEAST = 3 };      // samples of a case, cold and hot each; fewer make no row
enum { LEAST_LAUNCHES = 3 * LEAST };  // a sample of each kind: one cold, two hot ones

static const double VERIFY_S = 0.012;    // for one case: download and reference
static const double CHEAP_MS = 100;      // a first sample below that is dropped as warm-up
static const double LATE_S = 2;          // nothing that takes less is called too slow
static const double CHECKS_S = 10;       // after the budget's end, for all outputs
static const double CLOCKS_UP_S = 0.25;  // of copies, until a GPU runs at its full clock

// A case while it is measured. The copy is one too, without a filter.
struct entry {
    struct bench_row row;
    struct frame frame;
    bool is_hidden;  // naive, measured only to compare with
    bool is_open;    // it may be sampled
    bool is_verified;
    bool is_warm[BENCH_TIMER_BUFFERS];
    double turn_s;  // that its last turn took; 0: none yet
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
    struct bench_result *result;  // all but its rows
    struct bench_timer *timer;    // of the present group
    struct arrays_layout layout;  // that it is for
    struct entry *entries, *end;  // of the group; the copy is the first
    bool has_clocks_up;
    struct references references;  // opened when they are needed
    struct checker *checker;
    struct bench_progress progress;
    double built_s;                          // what compilers took
    double start_s, group_start_s, group_s;  // group_s: what the present group may take
    double until_s;                          // when its checks are due
    int groups, groups_done;
    GArray *rows;  // struct bench_row
    GArray *copies[BENCH_TIMER_BUFFERS];
    const struct filter *filter;    // of the builds
    struct compiled builds[2][3];   // unrolled or not; for strips of 32, 8 and 16 lanes
    const struct filter *unusable;  // the last filter whose reference failed,
    char unusable_why[128];         // and how
    bool is_check_late;             // of this group's lab: the first check took too long
};

// The budget's clock. It stands still while something is compiled, so that a run whose kernels are
// not in the cache yet measures as much as the next one.
static double clock_s(const struct bench *b)
{
    return wall_s() - b->built_s;
}

static double left_s(const struct bench *b)
{
    return fmax(0, b->start_s + b->job->budget_s - clock_s(b));
}

static bool is_over(const struct bench *b)
{
    return b->result->is_stopped || b->result->failure[0];
}

static bool is_of_picture(const struct bench *b)
{
    return b->layout.places[ARRAYS_IN].picture.width > 0;
}

// ---- cases ----

// A choice without a filter is the copy.
static void add_entry(struct bench *b, struct choice c, bool is_hidden)
{
    struct entry *e = b->end++;
    *e = (struct entry){.frame.choice = c, .row = bench_row_of(&c), .is_hidden = is_hidden};
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        e->samples[i] = g_array_new(FALSE, FALSE, sizeof(double));
}

// Naive in its own block, with which the others of that unroll are compared; NULL: there is none.
static struct entry *find_naive(const struct bench *b, bool is_unrolled)
{
    for (struct entry *e = b->entries; e < b->end; e++) {
        const struct variant *v = e->frame.choice.variant;
        if (v && !strcmp(v->name, "naive") && e->frame.choice.settings.is_unrolled == is_unrolled &&
            e->row.block_width == v->passes[0].block_width &&
            e->row.block_height == v->passes[0].block_height)
            return e;
    }
    return NULL;
}

// The copy, the group's cases, and those that they are compared with, unrolled or not.
static void list_entries(struct bench *b, int first)
{
    const struct sweep *sweep = b->job->sweep;
    const int end = sweep_group_end(sweep, first);
    b->entries = b->end = g_new0(struct entry, 1 + end - first + 2);
    add_entry(b, (struct choice){.filter = NULL}, true);
    for (int i = first; i < end; i++) add_entry(b, sweep->cases[i], false);
    for (int i = first; i < end; i++) {
        const struct choice *c = &sweep->cases[i];
        struct choice naive;
        if (choice_naive_of(c, &naive) && !find_naive(b, c->settings.is_unrolled))
            add_entry(b, naive, true);
    }
}

// The smaller of the numbers of cold and hot samples.
static int samples_of(GArray *const *samples)
{
    return (int)MIN(samples[BENCH_TIMER_COLD]->len, samples[BENCH_TIMER_HOT]->len);
}

static void summarize(struct stats_summary *times, GArray *const *samples)
{
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        times[i] = stats_summarize_all((double *)(void *)samples[i]->data, (int)samples[i]->len);
}

struct bench_row bench_row_of(const struct choice *c)
{
    struct bench_row row = {.choice = *c, .name = c->variant ? c->variant->name : "copy"};
    if (c->variant) launch_block(c->variant, &c->settings, &row.block_width, &row.block_height);
    return row;
}

struct words bench_row_block(const struct bench_row *row)
{
    return row->block_width ? launch_write_shape(row->block_width, row->block_height,
                                                 row->choice.variant->passes[0].block_depth)
                            : (struct words){""};
}

void bench_row_close(struct bench_row *row, GArray *const *samples, double turn_s, double budget_s)
{
    if (samples_of(samples) >= LEAST) summarize(row->times, samples);
    if (row->times[0].count || row->reason[0] || budget_s < 0) return;
    row->is_over_budget = true;
    if (LEAST * turn_s <= fmax(LATE_S, budget_s)) {
        g_strlcpy(row->reason, "not reached within the budget", sizeof row->reason);
        return;
    }
    g_snprintf(row->reason, sizeof row->reason,
               "too slow: measuring takes about %s s, and the budget leaves %s s here",
               number_three(LEAST * turn_s).text, number_three(budget_s).text);
}

// ---- memory ----

// Finds what all cases of a group need on the device. False: a lab has no arrays of that shape.
static bool layout_of(const struct bench_job *job, int first, struct arrays_layout *layout,
                      struct error *err)
{
    const int end = sweep_group_end(job->sweep, first);
    *layout = (struct arrays_layout){.count = 0};
    for (int i = first; i < end; i++) {
        const struct choice *c = &job->sweep->cases[i];
        struct choice naive = *c;
        struct arrays_layout one, other;
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
    for (int first = 0; first < job->sweep->count; first = sweep_group_end(job->sweep, first)) {
        struct arrays_layout layout;
        if (layout_of(job, first, &layout, NULL))
            largest = MAX(largest, bench_timer_bytes(backend_device(job->backend), &layout));
    }
    return largest;
}

size_t bench_job_host_bytes(const struct bench_job *job)
{
    return planes_bytes(job->picture) * (job->with_host ? 3 : 2);
}

// ---- progress ----

static bool step(void *data)
{
    struct bench *b = data;
    bool *const is_stopped = &b->result->is_stopped;
    if (*is_stopped || !b->job->step) return *is_stopped;
    const double within = CLAMP((clock_s(b) - b->group_start_s) / fmax(b->group_s, 1e-3), 0, 1);
    const double elapsed = clock_s(b) - b->start_s;
    struct bench_progress *p = &b->progress;
    p->fraction = fmax(p->fraction, fmin(1, (b->groups_done + within) / b->groups));
    p->left_s = fmin(left_s(b), p->fraction > 0 ? elapsed / p->fraction - elapsed : left_s(b));
    return *is_stopped = b->job->step(b->job->data, p);
}

// ---- what can be run ----

static void unload(struct bench *b, bool is_unrolled)
{
    struct compiled *const builds = b->builds[is_unrolled];
    for (int i = 0; i < 3; i++) {
        backend_unload(b->job->backend, builds[i].module);
        builds[i] = (struct compiled){.module = NULL};
    }
}

static const struct module *module_for(struct bench *b, struct entry *e)
{
    const struct choice *c = &e->frame.choice;
    const struct launch_build wanted = launch_build(c);
    const int lanes = backend_device(b->job->backend)->is_gpu ? 0 : wanted.lanes;
    struct compiled *const build = &b->builds[c->settings.is_unrolled][lanes / 8];
    struct error err = {""};
    if (b->filter != c->filter) unload(b, false);
    b->filter = c->filter;
    for (int i = 0; i < 3 && !build->has_tried; i++) {
        const struct compiled *const other = &b->builds[c->settings.is_unrolled][i];
        if (other->module && !frame_has_strips(b->job->backend, other->module, c->variant))
            return other->module;
    }
    if (!build->has_tried) {
        const double start_s = wall_s();
        build->module = frame_build(
            b->job->backend, c->filter,
            (struct build){.params = wanted.params, .is_fast = true, .lanes = lanes}, &err);
        b->built_s += wall_s() - start_s;
        build->has_tried = true;
        b->result->has_prints |=
            build->module && backend_has_prints(b->job->backend, build->module);
        text_copy_line(build->log, sizeof build->log, err.text);
    }
    if (!build->module) g_strlcpy(e->row.reason, build->log, sizeof e->row.reason);
    return build->module;
}

// Notes why an entry failed: the run was stopped, the device failed, or the entry is refused. A
// launch that the end of the budget cut off has not been reached.
static void note_failure(struct bench *b, struct entry *e, const struct error *err)
{
    const struct bench_timer *m = b->timer;
    struct bench_result *r = b->result;
    struct error fault = {""};
    e->is_open = false;
    if (m->is_stopped || r->is_stopped) return;
    if (m->is_caught)
        g_snprintf(r->failure, sizeof r->failure, "%s: %s", e->row.name, err->text);
    else if (backend_poll(b->job->backend, &fault) == BACKEND_FAILED)
        text_copy_line(r->failure, sizeof r->failure, err->text);
    else if (m->is_late && (samples_of(e->samples) >= LEAST || m->limit_ms < LATE_S * 1e3))
        return;
    e->row.is_over_budget = m->is_late;
    text_copy_line(e->row.reason, sizeof e->row.reason, err->text);
}

// ---- measuring ----

// Takes a cold sample and a hot one.
static void sample_each(struct bench *b, struct entry *e)
{
    const double start_s = wall_s();
    for (int k = 0; k < BENCH_TIMER_BUFFERS && e->is_open && !step(b); k++) {
        struct error err = {""};
        double ms;
        if (k == BENCH_TIMER_HOT && !e->expected_ms[k])
            e->expected_ms[k] = e->expected_ms[BENCH_TIMER_COLD];
        // A launch is cancelled at the budget's end, or earlier if the fewest samples of it will
        // not fit. On a GPU that cannot be done, and giving up ends the run: it waits for as long
        // as there is time.
        const double left = b->until_s - clock_s(b);
        double limit_s = fmax(LATE_S, left_s(b));
        if (backend_can_cancel(b->job->backend))
            limit_s =
                fmin(left_s(b), fmax(LATE_S, e->expected_ms[k] ? left : left / LEAST_LAUNCHES));
        b->timer->limit_ms = fmax(1, limit_s * 1e3);
        b->timer->is_late = false;
        if (!bench_timer_sample(b->timer, &e->frame, (enum bench_timer_buffers)k,
                                &e->expected_ms[k], &ms, &err)) {
            note_failure(b, e, &err);
            continue;
        }
        if (ms <= 0) continue;
        const bool is_dropped = !e->is_warm[k] && ms < CHEAP_MS;
        e->is_warm[k] = true;
        if (is_dropped) continue;
        g_array_append_val(e->samples[k], ms);
        if (!e->frame.choice.filter && is_of_picture(b)) g_array_append_val(b->copies[k], ms);
    }
    e->turn_s = wall_s() - start_s;
}

// Samples every case once, and a case without samples until it has a row: the next case may never
// come back. Passes over cases that would take more than this part of the time left. False: none
// was sampled.
static bool turn(struct bench *b, double part)
{
    bool is_sampled = false;
    for (struct entry *e = b->entries; e < b->end && !is_over(b); e++) {
        const int wanted = CLAMP(samples_of(e->samples) + 1, LEAST, TARGET);
        while (e->is_open && samples_of(e->samples) < wanted && !is_over(b) &&
               clock_s(b) < b->until_s &&
               e->turn_s * (wanted - samples_of(e->samples)) <= part * (b->until_s - clock_s(b))) {
            sample_each(b, e);
            is_sampled = true;
        }
    }
    return is_sampled;
}

// ---- checking ----

static bool build_reference(struct bench *b, const struct choice *c, struct reference *reference)
{
    const double start_s = wall_s();
    if (!b->references.host) references_open(&b->references, b->job->backend, NULL);
    const bool is_built = reference_wait(reference, &b->references, c->filter, &c->settings.params);
    b->built_s += wall_s() - start_s;
    return is_built;
}

static void verify(struct bench *b, struct entry *e, double until_s)
{
    struct error err = {""};
    struct image_difference found = {0};
    bool is_checked, agrees;
    const struct filter *f = e->frame.choice.filter;
    if (!f || samples_of(e->samples) < LEAST || e->is_verified || is_over(b)) return;
    b->timer->limit_ms = fmax(LATE_S, b->group_s) * 1e3;
    if (f == b->unusable) {
        g_strlcpy(e->row.reason, b->unusable_why, sizeof e->row.reason);
        return;
    }
    g_snprintf(b->progress.what, sizeof b->progress.what, "checking %s %s", f->name, e->row.name);
    build_reference(b, &e->frame.choice, &(struct reference){.host = NULL});
    b->timer->check_until_us =
        g_get_monotonic_time() + (gint64)((until_s - clock_s(b)) * G_USEC_PER_SEC);
    if (!bench_timer_compare(b->timer, &e->frame, &agrees, &err) ||
        !bench_timer_verify(b->timer, &e->frame, b->checker, &b->references, &is_checked, &found,
                            &err)) {
        note_failure(b, e, &err);
        if (is_over(b)) return;
        b->unusable = f;  // one that does not come back is not waited for again
        text_copy_line(b->unusable_why, sizeof b->unusable_why, e->row.reason);
        return;
    }
    e->is_verified = true;
    if (!agrees) {  // and so it has no time
        memset(e->row.times, 0, sizeof e->row.times);
        text_copy(e->row.reason, sizeof e->row.reason, AGREEMENT_LACKS);
    }
    e->row.is_unchecked = !is_checked && b->timer->is_check_late;
    e->row.check = is_checked            ? result_check_of(&e->frame.choice, found)
                   : e->row.is_unchecked ? CHECK_UNKNOWN
                                         : CHECK_IMPOSSIBLE;
    e->row.wrong_by = found;
}

static void describe_group(struct bench *b, const struct entry *e)
{
    const char *name = b->job->sweep->axis;
    const struct choice *c = &e->frame.choice;
    const int axis = filter_param(c->filter, name);
    if (axis < 0)
        g_strlcpy(b->progress.what, c->filter->name, sizeof b->progress.what);
    else
        g_snprintf(b->progress.what, sizeof b->progress.what, "%s %s %.10g", c->filter->name, name,
                   c->settings.params.v[axis]);
}

// ---- rows ----

static void add_row(struct bench *b, struct bench_row row, double copy_ms, double naive_ms)
{
    row.copy_ms = copy_ms;
    row.naive_ms = naive_ms;
    const bool is_measured = row.times[BENCH_TIMER_HOT].count > 0;
    if (!is_measured && !row.reason[0])
        text_copy_line(row.reason, sizeof row.reason, b->result->failure);
    if (is_measured || row.reason[0]) g_array_append_val(b->rows, row);
}

// The time of the naive case; 0: it has no time, or nobody may compare with it since its result is
// wrong.
static double naive_ms(const struct bench *b, bool is_unrolled)
{
    const struct entry *naive = find_naive(b, is_unrolled);
    return naive && naive->row.check != CHECK_WRONG ? bench_ms(&naive->row) : 0;
}

// Times the reference, the slow and obvious loop, on the host's threads: "faster than the CPU"
// compares with it. A strip of rows takes about STRIP_MS: it grows in the first run, which is
// refused if the rest would take longer than the group's time.
static void time_on_host(struct bench *b, const struct reference *reference, struct planes out,
                         int threads, struct bench_row *row)
{
    enum { MAX_RUNS = 5 };
    static const double STRIP_MS = 50, ENOUGH_MS = 500;  // enough: one run will do
    const double limit_ms = fmin(left_s(b), b->group_s) * 1e3;
    const struct planes picture = b->job->picture;
    double samples[MAX_RUNS] = {0}, all_ms = 0;
    int rows = 1, count = 0;
    do {
        for (int top = 0, strip; top < picture.height; top += strip) {
            struct planes in = picture, to = out;
            strip = MIN(rows, picture.height - top);
            to.pixels = planes_row(out, 0, top);
            in.pixels = planes_row(picture, 0, top);
            to.height = in.height = strip;
            const double start = wall_ms();
            reference_run(reference, to, in, threads);
            const double spent = wall_ms() - start;
            samples[count] += spent;
            if (step(b)) return;
            const double expected = samples[0] / (top + strip) * picture.height;
            if (!count && spent < STRIP_MS / 2) {
                rows *= 2;
            } else if (!count && expected > limit_ms) {
                g_snprintf(row->reason, sizeof row->reason,
                           "too slow: the loop takes about %s s, and the budget leaves %s s here",
                           number_three(expected * 1e-3).text, number_three(limit_ms * 1e-3).text);
                return;
            }
        }
        all_ms += samples[count++];
    } while (count < MAX_RUNS && all_ms < ENOUGH_MS && all_ms + samples[0] <= limit_ms);
    row->times[BENCH_TIMER_HOT] = stats_summarize_all(samples, count);
}

static void add_host_rows(struct bench *b)
{
    const struct planes p = b->job->picture;
    OWNED(image_finish) struct image out = {0};
    if (!b->job->with_host || is_over(b) || !is_of_picture(b)) return;
    if (!image_init(&out, p.width, p.height, p.count, NULL)) return;
    for (int is_all = 0; is_all <= 1; is_all++) {
        struct reference reference;
        struct bench_row row = {.choice = b->entries[1].frame.choice,
                                .name = is_all ? "cpu all threads" : "cpu 1 thread"};
        row.choice.variant = NULL;
        row.choice.settings.is_unrolled = false;
        const struct filter *f = row.choice.filter;
        if (!build_reference(b, &row.choice, &reference))
            g_strlcpy(row.reason, "there is no reference that the CPU can run", sizeof row.reason);
        else if (f == b->unusable)
            g_strlcpy(row.reason, b->unusable_why, sizeof row.reason);
        else
            time_on_host(b, &reference, out.planes, is_all ? (int)g_get_num_processors() : 1, &row);
        add_row(b, row, bench_ms(&b->entries->row), naive_ms(b, false));
    }
}

// ---- the run ----

static void measure(struct bench *b)
{
    b->until_s = b->group_start_s + b->group_s - VERIFY_S * (double)(b->end - b->entries);
    // What is hidden comes last: any module may do, and one that it alone needs takes time.
    const int count = (int)(b->end - b->entries);
    for (int i = 0; i < 2 * count && !is_over(b) && !step(b); i++) {
        struct entry *const e = &b->entries[i % count];
        struct error err = {""};
        if (e->is_hidden != (i >= count)) continue;
        e->frame.backend = b->job->backend;
        e->is_open = !e->frame.choice.filter;
        if (e->is_open || !(e->frame.module = module_for(b, e))) continue;
        e->is_open = frame_plan(&e->frame, b->job->picture, &err);
        text_copy_line(e->row.reason, sizeof e->row.reason, err.text);
    }
    if (!b->has_clocks_up && b->timer && backend_device(b->job->backend)->is_gpu) {
        // Once a run, with copies of whatever is measured first.
        const struct frame copy = {.backend = b->job->backend};
        const double end_s = wall_s() + CLOCKS_UP_S;
        double expected = 0, ms;
        b->has_clocks_up = true;
        while (wall_s() < end_s &&
               bench_timer_sample(b->timer, &copy, BENCH_TIMER_COLD, &expected, &ms, NULL))
            continue;
    }
    turn(b, 0.5);
    // Computes a lab's answers before the time is spent: an element may cost as much as a whole
    // array, while a pixel costs a window.
    for (struct entry *e = b->entries; e < b->end && !is_of_picture(b); e++) {
        const struct filter *f = e->frame.choice.filter;
        if (!f || samples_of(e->samples) < LEAST || !filter_has_reference(f)) continue;
        verify(b, e, clock_s(b) + fmax(LATE_S, b->group_s / 2));
        b->is_check_late = e->row.is_unchecked;
        describe_group(b, e);
        break;
    }
    while (turn(b, 0.5)) continue;
    while (turn(b, 1)) continue;
}

static void run_group(struct bench *b, int first)
{
    list_entries(b, first);
    const int groups = b->groups - b->groups_done;
    const struct planes none = {.pixels = NULL};
    struct error err = {""};
    describe_group(b, &b->entries[1]);
    b->is_check_late = false;
    b->group_start_s = clock_s(b);
    // Later groups have larger radii and cost more, so the early ones leave them most of the
    // budget.
    b->group_s = left_s(b) * (groups == 1 ? 1 : 2.0 / (groups + 1));
    b->timer = NULL;
    if (layout_of(b->job, first, &b->layout, &err))
        b->timer = bench_timer_create(b->job->backend, is_of_picture(b) ? b->job->picture : none,
                                      &b->layout, step, b, &err);
    if (b->timer && is_of_picture(b)) b->result->pairs = b->timer->workspace.pairs;
    for (struct entry *e = b->entries; !b->timer && e < b->end; e++)
        text_copy_line(e->row.reason, sizeof e->row.reason, err.text);
    if (!b->timer) b->group_s = 0;
    if (b->group_s > 0) measure(b);
    for (struct entry *e = b->entries; e < b->end; e++)
        bench_row_close(&e->row, e->samples, e->turn_s, is_over(b) ? -1 : b->group_s);
    for (struct entry *e = b->entries; e < b->end; e++) {
        if (b->is_check_late)
            e->row.is_unchecked = e->frame.choice.filter != NULL;
        else
            verify(b, e, b->start_s + b->job->budget_s + CHECKS_S);
    }
    for (const struct entry *e = b->entries; e < b->end; e++) {
        const struct choice *c = &e->frame.choice;
        const bool is_floor = !c->filter || arrays_are_all_taken(c->filter, c->variant);
        if (!e->is_hidden)
            add_row(b, e->row, is_floor ? bench_ms(&b->entries->row) : 0,
                    naive_ms(b, c->settings.is_unrolled));
    }
    add_host_rows(b);
    for (struct entry *e = b->entries; e < b->end; e++)
        for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) g_array_free(e->samples[i], TRUE);
    g_free(b->entries);
    b->result->is_caught = b->timer && b->timer->is_caught;
    if (b->result->is_caught) return;
    bench_timer_destroy(b->timer);
    checker_forget(b->checker);
    unload(b, true);
}

void bench_run(const struct bench_job *job, struct bench_result *result)
{
    struct bench b = {.job = job, .result = result, .start_s = wall_s(), .group_s = job->budget_s};
    struct bench_row copy = bench_row_of(&(struct choice){.filter = NULL});
    *result = (struct bench_result){.pair_bytes = 2 * planes_bytes(job->picture)};
    g_strlcpy(result->axis, job->sweep->axis, sizeof result->axis);
    b.group_start_s = b.start_s;
    b.checker = checker_create();
    b.rows = g_array_new(FALSE, FALSE, sizeof(struct bench_row));
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        b.copies[i] = g_array_new(FALSE, FALSE, sizeof(double));
    b.groups = sweep_count_groups(job->sweep);
    for (int first = 0; first < job->sweep->count && !result->is_stopped && !result->is_caught;
         first = sweep_group_end(job->sweep, first)) {
        run_group(&b, first);
        b.groups_done++;
    }
    summarize(copy.times, b.copies);
    copy.copy_ms = bench_ms(&copy);
    if (copy.copy_ms > 0) g_array_prepend_val(b.rows, copy);
    result->count = (int)b.rows->len;
    result->rows = (struct bench_row *)(void *)g_array_free(b.rows, FALSE);
    checker_destroy(b.checker);
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) g_array_free(b.copies[i], TRUE);
    if (result->is_caught) return;
    unload(&b, false);
    references_close(&b.references);
}

void bench_known(struct bench_result *result, const struct results *s, const struct sweep *sweep,
                 bool is_compared)
{
    static const char *const states[] = {[RESULT_UNKNOWN] = "not measured",
                                         [RESULT_MEASURING] = "not settled",
                                         [RESULT_DONE] = "",
                                         [RESULT_REFUSED] = ""};
    const struct choice of_picture = {.filter = NULL};
    struct bench_row copy = bench_row_of(&of_picture);
    copy.times[BENCH_TIMER_COLD] = results_get(s, &of_picture).ms;
    copy.copy_ms = bench_ms(&copy);
    bool has_picture = false;
    for (int i = 0; i < sweep->count; i++)
        has_picture |= filter_has_picture(sweep->cases[i].filter);
    *result = (struct bench_result){.rows = g_new(struct bench_row, sweep->count + 1)};
    g_strlcpy(result->axis, sweep->axis, sizeof result->axis);
    if (is_compared && has_picture && copy.copy_ms > 0) result->rows[result->count++] = copy;
    for (int i = 0; i < sweep->count; i++) {
        const struct choice *c = &sweep->cases[i], timed = results_timed(s, c);
        const struct result found = results_get(s, c);
        struct bench_row *row = &result->rows[result->count++];
        *row = bench_row_of(&timed);
        row->times[BENCH_TIMER_COLD] = found.ms;
        row->copy_ms = is_compared ? results_copy_ms(s, c) : 0;
        row->naive_ms = is_compared ? results_naive_ms(s, c) : 0;
        row->check = found.check;
        row->wrong_by = found.difference;
        g_strlcpy(row->reason, *found.reason ? found.reason : states[found.state],
                  sizeof row->reason);
    }
}

void bench_finish(struct bench_result *result)
{
    g_free(result->rows);
    *result = (struct bench_result){0};
}

double bench_ms(const struct bench_row *row)
{
    const bool is_host = row->choice.filter && !row->choice.variant;
    return row->times[is_host ? BENCH_TIMER_HOT : BENCH_TIMER_COLD].median;
}

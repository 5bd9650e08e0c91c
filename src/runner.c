#include "runner.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "frame.h"

enum { MARK_BEGIN, MARK_END, MARK_SIDE_BEGIN, MARK_SIDE_END };
enum { MAX_REPEATS = 64, SIDE_EVERY = 8, SIDE_SAMPLES = STATS_SETTLED + STATS_DROPPED };

static const double SPAN_MS = 0.2;        // of a batch; event clocks resolve about 0.5 us
static const double SIDE_LIMIT_MS = 100;  // a naive launch longer than that is not run beside

enum side { SIDE_NONE, SIDE_COPY, SIDE_NAIVE };

// What a variant took once, so that another can be compared with it, and costs predicted.
struct memory {
    const struct filter *filter;
    const struct variant *variant;
    struct param_values params;
    bool is_unrolled;
    double ms;
};

enum { MEMORIES = 256 };

struct runner {
    struct backend *backend;
    struct builder *builder;

    struct view source;  // the picture, on the device
    void *spare;         // a second picture's memory: the copy's and the naive variant's target
    void *scratch, *weights;
    size_t scratch_bytes;

    struct frame frame;
    bool has_choice, is_generic, is_busy, is_cancelled;
    struct launch_plan plan;
    struct stats stats;
    int repeats, frames;
    double launch_ms;

    enum side side;
    int side_repeats;
    struct stats copy, naive;
    double naive_ms;
    struct memory memories[MEMORIES];
    int memory_count;
};

struct runner *runner_create(struct backend *b, struct builder *builder)
{
    struct runner *r = g_new0(struct runner, 1);
    r->backend = b;
    r->builder = builder;
    return r;
}

static void free_picture(struct runner *r)
{
    backend_free(r->backend, r->source.pixels);
    backend_free(r->backend, r->spare);
    backend_free(r->backend, r->scratch);
    r->source = (struct view){0};
    r->spare = r->scratch = NULL;
    r->scratch_bytes = 0;
}

void runner_destroy(struct runner *r)
{
    if (!r) return;
    runner_cancel(r);
    backend_wait(r->backend, NULL);
    free_picture(r);
    backend_free(r->backend, r->weights);
    g_free(r);
}

static void restart(struct runner *r)
{
    stats_reset(&r->stats);
    stats_reset(&r->naive);
    r->repeats = 1;
    r->naive_ms = 0;
}

// Nothing that was chosen or measured holds any more.
static void forget(struct runner *r)
{
    restart(r);
    r->has_choice = r->is_generic = false;
    r->memory_count = 0;
}

bool runner_set_picture(struct runner *r, struct view picture, struct error *err)
{
    const struct view shape = view_at(picture, NULL);
    void *source = NULL, *spare = NULL;
    if (!backend_wait(r->backend, err)) return false;
    if (!backend_alloc(r->backend, view_bytes(shape), &source, err) ||
        !backend_alloc(r->backend, view_bytes(shape), &spare, err) ||
        !backend_upload(r->backend, view_at(shape, source), picture, err)) {
        backend_free(r->backend, source);
        backend_free(r->backend, spare);
        return false;
    }
    free_picture(r);
    r->source = view_at(shape, source);
    r->spare = spare;
    forget(r);
    stats_reset(&r->copy);
    return true;
}

void runner_adopt(struct runner *r, struct builder *builder)
{
    runner_cancel(r);
    backend_wait(r->backend, NULL);
    r->builder = builder;
    r->is_busy = false;
    forget(r);
}

// ---- what was measured before ----

static bool is_same(const struct memory *m, const struct filter *f, const struct variant *v,
                    const struct settings *s)
{
    return m->filter == f && m->variant == v && m->is_unrolled == s->is_unrolled &&
           !memcmp(&m->params, &s->params, sizeof s->params);
}

static void remember(struct runner *r, const struct variant *v, double ms)
{
    const struct frame *now = &r->frame;
    int at = 0;
    while (at < r->memory_count && !is_same(&r->memories[at], now->filter, v, &now->settings)) at++;
    if (at == r->memory_count && r->memory_count < MEMORIES) r->memory_count++;
    if (at == MEMORIES) at = r->frames % MEMORIES;
    r->memories[at] = (struct memory){.filter = now->filter,
                                      .variant = v,
                                      .params = now->settings.params,
                                      .is_unrolled = now->settings.is_unrolled,
                                      .ms = ms};
}

static double recall(const struct runner *r, const struct filter *f, const struct variant *v,
                     const struct settings *s)
{
    for (int i = 0; i < r->memory_count; i++)
        if (is_same(&r->memories[i], f, v, s)) return r->memories[i].ms;
    return 0;
}

static double taps_of(const struct memory *m)
{
    const struct settings then = {.params = m->params};
    return launch_taps(m->filter, &then);
}

// Costs grow with some power of the taps, 0 (running sums) to 1: the one between the variant's
// cheapest and dearest known settings, or 1 while there is only one.
static double growth_of(const struct runner *r, const struct variant *v)
{
    const struct memory *least = NULL, *most = NULL;
    for (int i = 0; i < r->memory_count; i++) {
        const struct memory *m = &r->memories[i];
        if (m->variant != v) continue;
        if (!least || taps_of(m) < taps_of(least)) least = m;
        if (!most || taps_of(m) > taps_of(most)) most = m;
    }
    if (!least || taps_of(least) == taps_of(most)) return 1;
    return CLAMP(log(most->ms / least->ms) / log(taps_of(most) / taps_of(least)), 0, 1);
}

double runner_predict(const struct runner *r, const struct filter *f, const struct variant *v,
                      const struct settings *s)
{
    const double taps = launch_taps(f, s), growth = growth_of(r, v);
    double own = 0, worst = 0;
    for (int i = 0; i < r->memory_count; i++) {
        const struct memory *m = &r->memories[i];
        if (m->filter != f) continue;
        if (m->variant == v) own = fmax(own, m->ms * pow(taps / taps_of(m), growth));
        worst = fmax(worst, m->ms * taps / taps_of(m));
    }
    return own > 0 ? own : worst;
}

// ---- choosing ----

static bool is_same_choice(const struct runner *r, const struct filter *f, const struct variant *v,
                           const struct settings *s)
{
    const struct frame *now = &r->frame;
    return r->has_choice && now->filter == f && now->variant == v &&
           launch_is_same(&now->settings, s);
}

static bool reserve_scratch(struct runner *r, const struct variant *v, struct error *err)
{
    const size_t bytes = frame_scratch_bytes(v, r->source);
    if (bytes <= r->scratch_bytes) return true;
    void *scratch;
    if (!backend_alloc(r->backend, bytes, &scratch, err)) return false;
    backend_free(r->backend, r->scratch);
    r->scratch = scratch;
    r->scratch_bytes = bytes;
    return true;
}

static bool reserve_weights(struct runner *r, struct error *err)
{
    return r->weights || backend_alloc(r->backend, FRAME_WEIGHTS_BYTES, &r->weights, err);
}

// The module to run now: the unrolled one when it is there, the general one meanwhile.
static enum builder_state pick_module(struct runner *r, const struct filter *f,
                                      const struct settings *s, const struct module **module,
                                      bool *is_generic, struct error *err)
{
    const int radius = launch_compiled_radius(f, s);
    *is_generic = false;
    if (radius >= 0) {
        const enum builder_state state = builder_get(r->builder, f, radius, module, err);
        if (state != BUILDER_BUILDING) return state;
        *is_generic = true;
    }
    return builder_get(r->builder, f, -1, module, err);
}

enum runner_state runner_choose(struct runner *r, const struct filter *f, const struct variant *v,
                                const struct settings *s, struct error *err)
{
    const struct module *module = NULL;
    bool is_generic;
    switch (pick_module(r, f, s, &module, &is_generic, err)) {
    case BUILDER_BUILDING:
        return RUNNER_COMPILING;
    case BUILDER_FAILED:
        return RUNNER_REFUSED;
    case BUILDER_READY:
        break;
    }
    if (is_same_choice(r, f, v, s) && r->frame.module == module) return RUNNER_READY;
    if (r->is_busy) return RUNNER_COMPILING;  // the frame in hand belongs to the old choice

    if (!reserve_scratch(r, v, err) || !reserve_weights(r, err)) return RUNNER_REFUSED;
    const struct frame frame = {.backend = r->backend,
                                .filter = f,
                                .variant = v,
                                .module = module,
                                .settings = *s,
                                .source = r->source,
                                .scratch = r->scratch,
                                .weights = r->weights};
    struct launch_plan plan;
    if (!frame_plan(&frame, &plan, err) || !frame_prepare(&frame, err)) return RUNNER_REFUSED;
    r->frame = frame;
    r->plan = plan;
    r->is_generic = is_generic;
    r->has_choice = true;
    restart(r);
    return RUNNER_READY;
}

// ---- one frame ----

static bool queue_batch(struct runner *r, const struct frame *frame, struct view target,
                        int repeats, int first_mark, struct error *err)
{
    if (!backend_mark(r->backend, first_mark, err)) return false;
    for (int i = 0; i < repeats; i++)
        if (!frame_run(frame, target, err)) return false;
    return backend_mark(r->backend, first_mark + 1, err);
}

static bool queue_copies(struct runner *r, struct error *err)
{
    if (!backend_mark(r->backend, MARK_SIDE_BEGIN, err)) return false;
    for (int i = 0; i < r->side_repeats; i++)
        if (!backend_copy(r->backend, r->spare, r->source.pixels, view_bytes(r->source), err))
            return false;
    return backend_mark(r->backend, MARK_SIDE_END, err);
}

static int repeats_for(const struct stats *s)
{
    const struct stats_summary known = stats_summarize(s);
    if (!known.count || known.median <= 0) return 1;
    return CLAMP((int)ceil(SPAN_MS / known.median), 1, MAX_REPEATS);
}

static const struct variant *naive_of(const struct filter *f)
{
    return filter_variant(f, "naive");
}

static bool wants_naive(const struct runner *r)
{
    const struct variant *naive = naive_of(r->frame.filter);
    if (!naive || naive == r->frame.variant || r->naive_ms > 0 || r->is_generic) return false;
    if (!stats_is_settled(&r->stats)) return false;
    return runner_predict(r, r->frame.filter, naive, &r->frame.settings) < SIDE_LIMIT_MS;
}

static enum side next_side(const struct runner *r)
{
    if (r->copy.seen < SIDE_SAMPLES || r->frames % SIDE_EVERY == 0) return SIDE_COPY;
    return wants_naive(r) ? SIDE_NAIVE : SIDE_NONE;
}

// The naive variant with its own block, beside the chosen one, for the speed-up over it.
static bool queue_naive(struct runner *r, struct error *err)
{
    struct frame frame = r->frame;
    frame.variant = naive_of(frame.filter);
    frame.settings.block_width = frame.settings.block_height = 0;
    return queue_batch(r, &frame, view_at(r->source, r->spare), r->side_repeats, MARK_SIDE_BEGIN,
                       err);
}

static bool queue_side(struct runner *r, struct error *err)
{
    switch (r->side) {
    case SIDE_NONE:
        return true;
    case SIDE_COPY:
        r->side_repeats = repeats_for(&r->copy);
        return queue_copies(r, err);
    case SIDE_NAIVE:
        r->side_repeats = repeats_for(&r->naive);
        return queue_naive(r, err);
    }
    return true;
}

bool runner_begin(struct runner *r, struct view target, struct error *err)
{
    r->is_busy = true;
    r->is_cancelled = false;
    r->frames++;
    r->side = next_side(r);
    r->repeats = repeats_for(&r->stats);
    const gint64 start = g_get_monotonic_time();
    if (!queue_batch(r, &r->frame, target, r->repeats, MARK_BEGIN, err)) return false;
    r->launch_ms = (double)(g_get_monotonic_time() - start) / 1000 / r->repeats;
    return queue_side(r, err);
}

static void count_side(struct runner *r, double ms)
{
    if (r->side == SIDE_COPY) stats_add(&r->copy, ms);
    if (r->side != SIDE_NAIVE) return;
    stats_add(&r->naive, ms);
    if (!stats_is_settled(&r->naive)) return;
    r->naive_ms = stats_summarize(&r->naive).median;
    remember(r, naive_of(r->frame.filter), r->naive_ms);
}

static bool count_times(struct runner *r, struct error *err)
{
    double ms;
    if (!backend_elapsed(r->backend, MARK_BEGIN, MARK_END, &ms, err)) return false;
    stats_add(&r->stats, ms / r->repeats);
    if (stats_is_settled(&r->stats) && !r->is_generic)
        remember(r, r->frame.variant, stats_summarize(&r->stats).median);
    if (r->side == SIDE_NONE) return true;
    if (!backend_elapsed(r->backend, MARK_SIDE_BEGIN, MARK_SIDE_END, &ms, err)) return false;
    count_side(r, ms / r->side_repeats);
    return true;
}

enum backend_state runner_poll(struct runner *r, struct error *err)
{
    if (!r->is_busy) return BACKEND_IDLE;
    const enum backend_state state = backend_poll(r->backend, err);
    if (state == BACKEND_BUSY) return state;
    r->is_busy = false;
    if (state == BACKEND_FAILED || r->is_cancelled) return state;
    return count_times(r, err) ? BACKEND_IDLE : BACKEND_FAILED;
}

void runner_cancel(struct runner *r)
{
    if (!r->is_busy) return;
    r->is_cancelled = true;
    backend_cancel(r->backend);
}

double runner_launch_ms(const struct runner *r)
{
    return r->launch_ms;
}

struct runner_report runner_report(const struct runner *r)
{
    const struct frame *f = &r->frame;
    struct runner_report report = {.ms = stats_summarize(&r->stats),
                                   .is_settled = stats_is_settled(&r->stats) && !r->is_generic,
                                   .is_generic = r->is_generic,
                                   .repeats = r->repeats,
                                   .copy_ms = stats_summarize(&r->copy).median,
                                   .occupancy = {.limiter = ""}};
    if (!r->has_choice) return report;
    const int entry = frame_entry(f->filter, f->variant, 0);
    report.facts = backend_facts(f->module)[entry];
    report.shared_bytes = r->plan.passes[0].shared_bytes;
    report.occupancy = backend_occupancy(r->backend, f->module, entry, &r->plan.passes[0]);
    if (naive_of(f->filter))
        report.naive_ms = recall(r, f->filter, naive_of(f->filter), &f->settings);
    return report;
}

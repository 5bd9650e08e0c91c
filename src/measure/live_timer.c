#include "measure/live_timer.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "frame/frame.h"
#include "measure/batch.h"
#include "measure/scheduler.h"

enum { MARK_BEGIN, MARK_END, MARK_SIDE_BEGIN, MARK_SIDE_END };
enum { MAX_REPEATS = 64, SIDE_EVERY = 8, SIDE_SAMPLES = STATS_SETTLED + STATS_DROPPED };

enum side { SIDE_NONE, SIDE_COPY, SIDE_POINT };

// Whose weights memory and module hold.
struct prepared {
    const struct module *module;  // NULL: nobody's
    struct param_values params;
};

struct live_timer {
    struct backend *backend;
    struct builder *builder;
    struct results *results;

    struct planes source;  // the picture, on the device
    void *spare;           // a second picture's memory: target of all that is not shown
    void *scratch, *packed, *weights;
    size_t scratch_bytes, packed_bytes;
    bool has_layout;  // packed holds the source
    struct prepared prepared;

    struct frame frame;
    bool has_choice, is_generic, is_busy, is_cancelled;
    struct launch_plan plan;
    struct stats stats;
    int repeats, frames;
    double launch_ms;

    // Beside the frame in hand.
    enum side side;  // what is in the queue; NONE: the frame itself
    int side_repeats;
    gint64 side_begun_us;
    bool has_copied, is_given_up;
    struct scheduler scheduler;
    struct choice point;
    struct stats copy;
};

struct live_timer *live_timer_create(struct backend *b, struct builder *builder,
                                     struct results *results)
{
    struct live_timer *r = g_new0(struct live_timer, 1);
    r->backend = b;
    r->builder = builder;
    r->results = results;
    r->scheduler = (struct scheduler){.backend = b, .builder = builder, .results = results};
    return r;
}

static void free_picture(struct live_timer *r)
{
    backend_free(r->backend, r->source.pixels);
    backend_free(r->backend, r->spare);
    backend_free(r->backend, r->scratch);
    backend_free(r->backend, r->packed);
    r->source = (struct planes){0};
    r->spare = r->scratch = r->packed = NULL;
    r->scratch_bytes = r->packed_bytes = 0;
}

void live_timer_destroy(struct live_timer *r)
{
    if (!r) return;
    live_timer_cancel(r);
    backend_wait(r->backend, NULL);
    free_picture(r);
    backend_free(r->backend, r->weights);
    g_free(r);
}

static void restart(struct live_timer *r)
{
    stats_reset(&r->stats);
    r->repeats = 1;
}

// Nothing that was chosen or brought to the device holds any more.
static void forget(struct live_timer *r)
{
    restart(r);
    r->has_choice = r->is_generic = r->has_layout = false;
    r->prepared.module = NULL;
}

bool live_timer_set_picture(struct live_timer *r, struct planes picture, struct error *err)
{
    const struct planes shape = planes_at(picture, NULL);
    void *source = NULL, *spare = NULL;
    if (!backend_wait(r->backend, err)) return false;
    if (!backend_alloc(r->backend, planes_bytes(shape), &source, err) ||
        !backend_alloc(r->backend, planes_bytes(shape), &spare, err) ||
        !backend_upload(r->backend, planes_at(shape, source), picture, err)) {
        backend_free(r->backend, source);
        backend_free(r->backend, spare);
        return false;
    }
    free_picture(r);
    r->source = planes_at(shape, source);
    r->spare = spare;
    r->scheduler.picture = r->source;
    forget(r);
    stats_reset(&r->copy);
    return true;
}

void live_timer_adopt(struct live_timer *r, struct builder *builder)
{
    live_timer_cancel(r);
    backend_wait(r->backend, NULL);
    r->builder = r->scheduler.builder = builder;
    r->is_busy = false;
    forget(r);
}

// ---- choosing ----

static bool is_same_choice(const struct live_timer *r, const struct filter *f,
                           const struct variant *v, const struct settings *s)
{
    const struct frame *now = &r->frame;
    return r->has_choice && now->filter == f && now->variant == v &&
           launch_is_same(&now->settings, s);
}

static bool reserve(struct live_timer *r, size_t bytes, void **memory, size_t *had,
                    struct error *err)
{
    if (bytes <= *had) return true;
    void *larger;
    if (!backend_alloc(r->backend, bytes, &larger, err)) return false;
    backend_free(r->backend, *memory);
    *memory = larger;
    *had = bytes;
    return true;
}

static bool reserve_weights(struct live_timer *r, struct error *err)
{
    return r->weights || backend_alloc(r->backend, FRAME_WEIGHTS_BYTES, &r->weights, err);
}

// Memory that a variant needs beside the picture. The queue is idle: what is too small goes.
static bool reserve_for(struct live_timer *r, const struct variant *v, struct error *err)
{
    const void *packed = r->packed;
    const bool is_there =
        reserve(r, frame_scratch_bytes(v, r->source), &r->scratch, &r->scratch_bytes, err) &&
        reserve(r, frame_packed_bytes(v, r->source), &r->packed, &r->packed_bytes, err) &&
        reserve_weights(r, err);
    if (r->packed != packed) r->has_layout = false;
    r->frame.scratch = r->scratch;
    r->frame.packed = r->packed;
    return is_there;
}

// What frame_prepare brings, where it is not there yet.
static bool prepare(struct live_timer *r, const struct frame *frame, struct error *err)
{
    const bool is_packed = filter_is_rgb24(frame->variant);
    const struct param_values *params = &frame->settings.params;
    const bool has_weights =
        !frame->filter->weights || (r->prepared.module == frame->module &&
                                    !memcmp(&r->prepared.params, params, sizeof *params));
    if (has_weights && (!is_packed || r->has_layout)) return true;
    r->prepared.module = NULL;
    if (!frame_prepare(frame, err)) return false;
    r->has_layout |= is_packed;
    r->prepared = (struct prepared){.module = frame->module, .params = *params};
    return true;
}

static struct frame frame_of(const struct live_timer *r, const struct choice *point,
                             const struct module *module)
{
    return (struct frame){.backend = r->backend,
                          .filter = point->filter,
                          .variant = point->variant,
                          .module = module,
                          .settings = point->settings,
                          .source = r->source,
                          .scratch = r->scratch,
                          .packed = r->packed,
                          .weights = r->weights};
}

// The module to run now: the unrolled one when it is there, the general one meanwhile.
static enum builder_state pick_module(struct live_timer *r, const struct filter *f,
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

enum live_timer_state live_timer_choose(struct live_timer *r, const struct filter *f,
                                        const struct variant *v, const struct settings *s,
                                        struct error *err)
{
    const struct module *module = NULL;
    bool is_generic;
    switch (pick_module(r, f, s, &module, &is_generic, err)) {
    case BUILDER_BUILDING:
        return LIVE_TIMER_COMPILING;
    case BUILDER_FAILED:
        return LIVE_TIMER_REFUSED;
    case BUILDER_READY:
        break;
    }
    if (is_same_choice(r, f, v, s) && r->frame.module == module) return LIVE_TIMER_READY;
    if (r->is_busy) return LIVE_TIMER_COMPILING;  // the frame in hand belongs to the old choice

    if (!reserve_for(r, v, err)) return LIVE_TIMER_REFUSED;
    const struct choice point = {f, v, *s};
    const struct frame frame = frame_of(r, &point, module);
    struct launch_plan plan;
    if (!frame_plan(&frame, &plan, err) || !prepare(r, &frame, err)) return LIVE_TIMER_REFUSED;
    r->frame = frame;
    r->plan = plan;
    r->is_generic = is_generic;
    r->has_choice = true;
    restart(r);
    return LIVE_TIMER_READY;
}

// ---- one frame ----

static bool queue_batch(struct live_timer *r, const struct frame *frame, struct planes target,
                        int repeats, int first_mark, struct error *err)
{
    if (!backend_mark(r->backend, first_mark, err)) return false;
    for (int i = 0; i < repeats; i++)
        if (!frame_run(frame, target, err)) return false;
    return backend_mark(r->backend, first_mark + 1, err);
}

// The weights are brought anew: another timer may have used the module since.
bool live_timer_begin(struct live_timer *r, struct planes target, struct error *err)
{
    const struct stats_summary known = stats_summarize(&r->stats);
    r->is_busy = true;
    r->is_cancelled = r->is_given_up = r->has_copied = false;
    r->frames++;
    r->side = SIDE_NONE;
    scheduler_begin(&r->scheduler, known.median);
    r->prepared.module = NULL;
    r->repeats = batch_repeats(known.median, MAX_REPEATS);
    if (!prepare(r, &r->frame, err)) return false;
    const gint64 start = g_get_monotonic_time();
    if (!queue_batch(r, &r->frame, target, r->repeats, MARK_BEGIN, err)) return false;
    r->launch_ms = (double)(g_get_monotonic_time() - start) / 1000 / r->repeats;
    return frame_finish(&r->frame, target, err);
}

// ---- beside the frame ----

static bool queue_copies(struct live_timer *r, struct error *err)
{
    const struct stats_summary known = stats_summarize(&r->copy);
    r->side_repeats = batch_repeats(known.median, MAX_REPEATS);
    if (!backend_mark(r->backend, MARK_SIDE_BEGIN, err)) return false;
    for (int i = 0; i < r->side_repeats; i++)
        if (!backend_copy(r->backend, r->spare, r->source.pixels, planes_bytes(r->source), err))
            return false;
    return backend_mark(r->backend, MARK_SIDE_END, err);
}

// Into spare; packed results stay packed, as nobody looks at them.
static bool queue_point(struct live_timer *r, const struct module *module, struct error *err)
{
    const struct stats_summary known = results_get(r->results, &r->point).ms;
    if (!reserve_for(r, r->point.variant, err)) return false;
    const struct frame frame = frame_of(r, &r->point, module);
    if (!prepare(r, &frame, err)) return false;
    r->side_repeats = batch_repeats(known.median, MAX_REPEATS);
    return queue_batch(r, &frame, planes_at(r->source, r->spare), r->side_repeats, MARK_SIDE_BEGIN,
                       err);
}

static bool is_settled(const struct live_timer *r)
{
    return stats_is_settled(&r->stats) && !r->is_generic;
}

// The queue is idle. True: something is in it again.
static bool begin_side(struct live_timer *r)
{
    struct error err = {""};
    const struct module *module;
    r->side_begun_us = g_get_monotonic_time();
    const bool is_copy_due = r->copy.seen < SIDE_SAMPLES || r->frames % SIDE_EVERY == 0;
    if (is_copy_due && !r->has_copied) {
        r->has_copied = true;
        r->side = SIDE_COPY;
        if (queue_copies(r, &err)) return true;
    } else if (is_settled(r) && scheduler_next(&r->scheduler, &r->point, &module)) {
        r->side = SIDE_POINT;
        if (queue_point(r, module, &err)) return true;
        results_refuse(r->results, &r->point, err.text);
    } else {
        return false;
    }
    backend_wait(r->backend, NULL);  // for half a batch; a fault shows with the next frame
    return false;
}

// ---- counting ----

static struct choice shown_point(const struct live_timer *r)
{
    return (struct choice){r->frame.filter, r->frame.variant, r->frame.settings};
}

static void count_frame(struct live_timer *r, double ms)
{
    stats_add(&r->stats, ms);
    if (!is_settled(r)) return;
    const struct choice shown = shown_point(r);
    results_set(r->results, &shown, stats_summarize(&r->stats));
}

static void count_point(struct live_timer *r, double ms)
{
    results_add(r->results, &r->point, ms);
    scheduler_judge(&r->scheduler, &r->point, ms);
}

// What was in the queue is complete.
static bool count(struct live_timer *r, struct error *err)
{
    double ms;
    const int begin = r->side == SIDE_NONE ? MARK_BEGIN : MARK_SIDE_BEGIN;
    if (!backend_elapsed(r->backend, begin, begin + 1, &ms, err)) return false;
    switch (r->side) {
    case SIDE_NONE:
        count_frame(r, ms / r->repeats);
        break;
    case SIDE_COPY:
        stats_add(&r->copy, ms / r->side_repeats);
        break;
    case SIDE_POINT:
        count_point(r, ms / r->side_repeats);
        break;
    }
    return true;
}

// An endless loop in a kernel that is not shown must not stop the picture, where it can be helped.
static void give_up_late_point(struct live_timer *r)
{
    const double ms = (double)(g_get_monotonic_time() - r->side_begun_us) / 1000;
    if (r->side != SIDE_POINT || r->is_given_up) return;
    r->is_given_up = scheduler_gives_up(&r->scheduler, &r->point, ms);
    if (r->is_given_up) backend_cancel(r->backend);
}

enum backend_state live_timer_poll(struct live_timer *r, struct error *err)
{
    if (!r->is_busy) return BACKEND_IDLE;
    const enum backend_state state = backend_poll(r->backend, err);
    if (state == BACKEND_BUSY) {
        give_up_late_point(r);
        return state;
    }
    r->is_busy = false;
    if (state == BACKEND_FAILED || r->is_cancelled || r->is_given_up) return state;
    if (!count(r, err)) return BACKEND_FAILED;
    r->is_busy = begin_side(r);
    return r->is_busy ? BACKEND_BUSY : BACKEND_IDLE;
}

void live_timer_cancel(struct live_timer *r)
{
    if (!r->is_busy) return;
    r->is_cancelled = true;
    backend_cancel(r->backend);
}

double live_timer_launch_ms(const struct live_timer *r)
{
    return r->launch_ms;
}

// Of the naive variant at the same params; 0: not known.
static double naive_ms(const struct live_timer *r)
{
    const struct choice shown = shown_point(r);
    struct choice naive;
    if (!choice_naive_of(&shown, &naive)) return 0;
    const struct result known = results_get(r->results, &naive);
    return known.state == RESULT_DONE ? known.ms.median : 0;
}

struct live_timer_report live_timer_report(const struct live_timer *r)
{
    const struct frame *f = &r->frame;
    struct live_timer_report report = {.ms = stats_summarize(&r->stats),
                                       .is_settled = is_settled(r),
                                       .is_generic = r->is_generic,
                                       .repeats = r->repeats,
                                       .copy_ms = stats_summarize(&r->copy).median,
                                       .occupancy = {.limiter = ""}};
    if (!r->has_choice) return report;
    const int entry = frame_entry(f->filter, f->variant, 0);
    report.facts = backend_facts(f->module)[entry];
    report.shared_bytes = r->plan.passes[0].shared_bytes;
    report.occupancy = backend_occupancy(r->backend, f->module, entry, &r->plan.passes[0]);
    report.naive_ms = naive_ms(r);
    return report;
}

#include "grade/stopwatch.h"

#include <glib.h>

#include "base/image.h"
#include "base/stats.h"
#include "grade/same_result.h"
#include "measure/bench_timer.h"

enum { TARGET = 31, DROPPED = 1 };  // samples
static const double BUDGET_S = 20, CLOCKS_UP_S = 0.25;

// One measurement.
struct run {
    const struct stopwatch *watch;
    struct image picture;  // pixels NULL: there are other arrays
    struct same_result *ours;
    struct module *module;
    struct frame frame, copy;
    struct bench_timer *timer;
    double expected_ms, expected_copy_ms;
    GArray *samples, *copies;
};

static double now_s(void)
{
    return (double)g_get_monotonic_time() * 1e-6;
}

// ---- before ----

static bool make_picture(struct run *r, struct error *why)
{
    const bool is_gpu = backend_device(r->watch->backend)->is_gpu;
    const struct planes shape = arrays_picture(r->watch->given, is_gpu ? planes_shape(3840, 2160, 1)
                                                                       : planes_shape(640, 360, 1));
    if (!shape.width) return true;
    if (!image_init(&r->picture, shape.width, shape.height, 1, why)) return false;
    image_fill_noise(r->picture.planes, 1);
    return true;
}

// Up to the first launch of theirs.
static enum stopwatch_outcome begin(struct run *r, struct error *why)
{
    const struct stopwatch *w = r->watch;
    const struct param_values params = filter_defaults(w->submitted);
    if (!make_picture(r, why)) return STOPWATCH_FAILED;
    const struct same_result_setup setup = {w->backend, w->given, params, r->picture.planes};
    if (!(r->ours = same_result_create(&setup, why))) return STOPWATCH_FAILED;
    r->module = w->guard ? frame_compile_guarded(w->backend, w->submitted, w->guard, why)
                         : frame_compile(w->backend, w->submitted, "", why);
    r->copy = (struct frame){.backend = w->backend};
    r->frame = (struct frame){
        .backend = w->backend,
        .choice = {.filter = w->submitted, .variant = w->variant, .settings = {.params = params}},
        .module = r->module};
    if (!r->module || !frame_plan(&r->frame, r->picture.planes, why)) return STOPWATCH_REFUSED;
    r->timer = bench_timer_create(w->backend, r->picture.planes, &r->frame.arrays, NULL, NULL, why);
    return r->timer ? STOPWATCH_TIMED : STOPWATCH_FAILED;
}

static void end(struct run *r)
{
    bench_timer_destroy(r->timer);
    if (r->module) backend_unload(r->watch->backend, r->module);
    same_result_destroy(r->ours);
    image_finish(&r->picture);
    g_array_unref(r->samples);
    g_array_unref(r->copies);
}

// ---- samples ----

static bool sample_copy(struct run *r, struct error *why)
{
    double ms;
    int launches;
    if (!bench_timer_sample_fresh(r->timer, &r->copy, &r->expected_copy_ms, &ms, &launches, why))
        return false;
    if (ms > 0) g_array_append_val(r->copies, ms);
    return true;
}

// A GPU runs at its full clock after some work.
static bool bring_clocks_up(struct run *r, struct error *why)
{
    const double end_s = now_s() + CLOCKS_UP_S;
    while (backend_device(r->watch->backend)->is_gpu && now_s() < end_s)
        if (!sample_copy(r, why)) return false;
    g_array_set_size(r->copies, 0);
    return true;
}

// Which launch is compared cannot be known to the kernel.
static enum stopwatch_outcome sample_theirs(struct run *r, struct error *why)
{
    double ms;
    int launches;
    if (!bench_timer_sample_fresh(r->timer, &r->frame, &r->expected_ms, &ms, &launches, why))
        return STOPWATCH_REFUSED;
    const struct frame_memory memory =
        bench_timer_launched(r->timer, g_random_int_range(0, launches));
    if (ms > 0) g_array_append_val(r->samples, ms);
    switch (same_result_compare(r->ours, &memory, why)) {
    case SAME_RESULT_YES:
        return STOPWATCH_TIMED;
    case SAME_RESULT_NO:
        error_prefix(why, "at the size that is timed ");
        return STOPWATCH_REFUSED;
    case SAME_RESULT_NOT_KNOWN:
        break;
    }
    return STOPWATCH_FAILED;
}

static double median_of(GArray *samples)
{
    const guint dropped = samples->len > DROPPED ? DROPPED : 0;
    return stats_summarize_all((double *)(void *)samples->data + dropped,
                               (int)(samples->len - dropped))
        .median;
}

static enum stopwatch_outcome sample_all(struct run *r, double *ratio, struct error *why)
{
    enum stopwatch_outcome outcome = STOPWATCH_TIMED;
    if (!bring_clocks_up(r, why)) return STOPWATCH_FAILED;
    if (r->watch->begin) r->watch->begin(r->watch->data);
    const double end_s = now_s() + BUDGET_S;
    while (r->samples->len < TARGET && (now_s() < end_s || !r->samples->len)) {
        if (!sample_copy(r, why)) return STOPWATCH_FAILED;
        if ((outcome = sample_theirs(r, why)) != STOPWATCH_TIMED) return outcome;
    }
    const double copy_ms = median_of(r->copies);
    if (!(copy_ms > 0)) error_set(why, "a copy could not be measured");
    *ratio = copy_ms > 0 ? median_of(r->samples) / copy_ms : 0;
    return copy_ms > 0 ? STOPWATCH_TIMED : STOPWATCH_FAILED;
}

enum stopwatch_outcome stopwatch_measure(const struct stopwatch *w, double *ratio,
                                         struct error *why)
{
    struct run r = {.watch = w,
                    .samples = g_array_new(FALSE, FALSE, sizeof(double)),
                    .copies = g_array_new(FALSE, FALSE, sizeof(double))};
    enum stopwatch_outcome outcome = begin(&r, why);
    if (outcome == STOPWATCH_TIMED) outcome = sample_all(&r, ratio, why);
    end(&r);
    return outcome;
}

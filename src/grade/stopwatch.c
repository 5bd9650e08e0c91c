#include "grade/stopwatch.h"

#include <glib.h>
#include <string.h>

#include "base/image.h"
#include "base/stats.h"
#include "frame/workspace.h"
#include "grade/difference.h"
#include "measure/bench_timer.h"

enum { TARGET = 31, DROPPED = 1 };  // samples
static const double BUDGET_S = 20, CLOCKS_UP_S = 0.25;

// One measurement.
struct run {
    const struct stopwatch *watch;
    struct image picture;  // pixels NULL: there are other arrays
    struct module *our_module, *module;
    struct frame ours, frame, copy;
    struct workspace workspace;  // where our own variant has run, once
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

// Runs the first variant of the given file that takes this size.
static bool run_ours(struct run *r, const struct param_values *params, struct error *why)
{
    const struct filter *given = r->watch->given;
    struct backend *b = r->watch->backend;
    const struct planes picture = r->picture.planes;
    bool is_planned = false;
    if (!(r->our_module = frame_compile(b, given, "", why))) return false;
    for (int i = 0; i < given->variant_count && !is_planned; i++) {
        r->ours = (struct frame){.backend = b,
                                 .choice = {given, &given->variants[i], {.params = *params}},
                                 .module = r->our_module};
        is_planned = frame_plan(&r->ours, picture, why);
    }
    if (!is_planned || !workspace_init(&r->workspace, b, picture, 1, why) ||
        !workspace_prepare(&r->workspace, &r->ours, why))
        return false;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->ours);
    return frame_poison(&r->ours, &memory, why) && frame_run(&r->ours, &memory, why) &&
           frame_finish(&r->ours, &memory, why) && backend_wait(b, why);
}

// Up to the first launch of theirs.
static enum stopwatch_outcome begin(struct run *r, struct error *why)
{
    const struct stopwatch *w = r->watch;
    const struct param_values params = filter_defaults(w->submitted);
    if (!make_picture(r, why) || !run_ours(r, &params, why)) return STOPWATCH_FAILED;
    r->module = frame_build(w->backend, w->submitted, (struct build){.guard = w->guard}, why);
    r->copy = (struct frame){.backend = w->backend};
    r->frame = (struct frame){.backend = w->backend,
                              .choice = {w->submitted, w->variant, {.params = params}},
                              .module = r->module};
    if (!r->module || !frame_plan(&r->frame, r->picture.planes, why)) return STOPWATCH_REFUSED;
    r->timer = bench_timer_create(w->backend, r->picture.planes, &r->frame.arrays, NULL, NULL, why);
    return r->timer ? STOPWATCH_TIMED : STOPWATCH_FAILED;
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

// Reads both, some megabytes at a time, since arrays may be larger than the host's memory.
static bool compare_array(const struct run *r, const struct frame_memory *theirs, int array,
                          struct difference *d, struct error *why)
{
    enum { PIECE_BYTES = 16 << 20 };
    struct backend *b = r->watch->backend;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->ours);
    const struct array *a = &r->watch->given->arrays[array];
    const struct array_place *place = &r->ours.arrays.places[array];
    const unsigned char *const our_bytes = frame_array(&r->ours, &memory, array);
    const unsigned char *const their_bytes = frame_array(&r->ours, theirs, array);
    unsigned char *const ours = g_malloc(2 * (size_t)PIECE_BYTES), *const is = ours + PIECE_BYTES;
    bool is_read = true;
    for (size_t at = 0; at < place->bytes && is_read; at += PIECE_BYTES) {
        const size_t bytes = MIN(place->bytes - at, (size_t)PIECE_BYTES);
        is_read = backend_read(b, ours, our_bytes + at, bytes, why) &&
                  backend_read(b, is, their_bytes + at, bytes, why);
        if (!is_read || !memcmp(ours, is, bytes)) continue;
        for (size_t k = 0; k < bytes; k += array_type_bytes(a->type)) {
            const long long i = array_index(a, place, at + k);
            if (i >= 0)
                difference_add(d, i, array_value(a->type, is + k, 0),
                               array_value(a->type, ours + k, 0));
        }
    }
    g_free(ours);
    return is_read;
}

// Every element of out arrays that have a REFERENCE, or every pixel, must be as ours.
static enum stopwatch_outcome compare(const struct run *r, const struct frame_memory *theirs,
                                      struct error *why)
{
    const struct filter *given = r->watch->given;
    for (int i = 0; i < given->array_count; i++) {
        const struct array_place *place = &r->ours.arrays.places[i];
        struct difference d = {.of = place->count};
        if (!given->arrays[i].has_reference) continue;
        if (!compare_array(r, theirs, i, &d, why)) return STOPWATCH_FAILED;
        if (!d.count) continue;
        difference_write(&d, given->arrays[i].name, place, why);
        error_prefix(why, "at the size that is timed ");
        return STOPWATCH_REFUSED;
    }
    return STOPWATCH_TIMED;
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
    return compare(r, &memory, why);
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
    const double up_s = now_s() + CLOCKS_UP_S;  // a GPU runs at its full clock after some work
    while (backend_device(r->watch->backend)->is_gpu && now_s() < up_s)
        if (!sample_copy(r, why)) return STOPWATCH_FAILED;
    g_array_set_size(r->copies, 0);
    if (r->watch->begin) r->watch->begin(r->watch->data);
    const double end_s = now_s() + BUDGET_S;
    while (r->samples->len < TARGET && (now_s() < end_s || !r->samples->len)) {
        if (!sample_copy(r, why)) return STOPWATCH_FAILED;
        const enum stopwatch_outcome outcome = sample_theirs(r, why);
        if (outcome != STOPWATCH_TIMED) return outcome;
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
    bench_timer_destroy(r.timer);
    backend_wait(w->backend, NULL);
    backend_unload(w->backend, r.module);
    backend_unload(w->backend, r.our_module);
    workspace_finish(&r.workspace);
    image_finish(&r.picture);
    g_array_unref(r.samples);
    g_array_unref(r.copies);
    return outcome;
}

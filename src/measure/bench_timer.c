#include "measure/bench_timer.h"

#include <glib.h>
#include <math.h>

#include "measure/batch.h"

static const double HEADROOM = 1.1;      // of a batch over the span that it must have
static const double PATIENCE_MS = 5;     // longer waits ask now and then whether to stop
static const double SAMPLED_TAPS = 4e6;  // of the reference, for one verification: about 10 ms
static const size_t UNKNOWN_L2 = 64 << 20;
static const size_t LEAD_BYTES = 256 << 20;

enum {
    MAX_REPEATS = 1024,
    MAX_PAIRS = 1024,
    STRIP_PIXELS = 32768,
    STRIP_ROWS = 16,
    MAX_SAMPLES = 1024,
    MIN_SAMPLES = 256,
    POISON = 0xa5
};

struct bench_timer {
    struct backend *backend;
    struct planes host;
    struct image result;
    unsigned char *in, *out;  // pairs, one behind the other
    unsigned char *packed;    // as many frames' packed memory, or NULL
    struct bench_timer_needs needs;
    bool has_packed;  // the picture is in packed
    void *scratch, *weights;
    int pairs, next;  // the pair whose turn it is
    double lead_ms;   // of one leading copy; 0: not measured
    double queue_ms;  // the host queueing one launch
    bench_timer_stop *stop;
    void *data;
    bool is_stopped;
};

// ---- buffers ----

static int pairs_for(const struct device *device, struct planes picture)
{
    const size_t wanted = 3 * (device->l2_bytes ? device->l2_bytes : UNKNOWN_L2);
    const size_t pair = 2 * planes_bytes(picture);
    return (int)MIN((wanted + pair - 1) / pair, MAX_PAIRS);
}

size_t bench_timer_bytes(const struct device *device, struct planes picture,
                         struct bench_timer_needs needs)
{
    const size_t pair = 2 * planes_bytes(picture) + needs.packed_bytes;
    return (size_t)pairs_for(device, picture) * pair + needs.scratch_bytes;
}

int bench_timer_pairs(const struct bench_timer *m)
{
    return m->pairs;
}

static size_t region_bytes(const struct bench_timer *m)
{
    return (size_t)m->pairs * planes_bytes(m->host);
}

// What is in the first of the pairs, doubling into the others.
static bool spread(struct bench_timer *m, unsigned char *pairs, size_t one, struct error *err)
{
    const size_t all = one * (size_t)m->pairs;
    for (size_t done = one; done < all; done *= 2)
        if (!backend_copy(m->backend, pairs + done, pairs, MIN(done, all - done), err))
            return false;
    return true;
}

static bool fill(struct bench_timer *m, struct error *err)
{
    const size_t one = planes_bytes(m->host), all = region_bytes(m);
    if (!backend_upload(m->backend, planes_at(m->host, m->in), m->host, err)) return false;
    if (!spread(m, m->in, one, err)) return false;
    return backend_fill(m->backend, m->out, POISON, all, err) && backend_wait(m->backend, err);
}

struct bench_timer *bench_timer_create(struct backend *b, struct planes picture,
                                       struct bench_timer_needs needs, bench_timer_stop *stop,
                                       void *data, struct error *err)
{
    struct bench_timer *m = g_new0(struct bench_timer, 1);
    void *in = NULL, *out = NULL, *packed = NULL;
    *m = (struct bench_timer){.backend = b,
                              .host = picture,
                              .pairs = pairs_for(backend_device(b), picture),
                              .needs = needs,
                              .stop = stop,
                              .data = data};
    const bool has_memory =
        image_init(&m->result, picture.width, picture.height, picture.count, err) &&
        backend_alloc(b, region_bytes(m), &in, err) &&
        backend_alloc(b, region_bytes(m), &out, err) &&
        (!needs.packed_bytes ||
         backend_alloc(b, needs.packed_bytes * (size_t)m->pairs, &packed, err)) &&
        (!needs.scratch_bytes || backend_alloc(b, needs.scratch_bytes, &m->scratch, err)) &&
        backend_alloc(b, FRAME_WEIGHTS_BYTES, &m->weights, err);
    m->in = in;
    m->out = out;
    m->packed = packed;
    if (has_memory && fill(m, err)) return m;
    bench_timer_destroy(m);
    return NULL;
}

void bench_timer_destroy(struct bench_timer *m)
{
    if (!m) return;
    backend_wait(m->backend, NULL);
    backend_free(m->backend, m->in);
    backend_free(m->backend, m->out);
    backend_free(m->backend, m->packed);
    backend_free(m->backend, m->scratch);
    backend_free(m->backend, m->weights);
    image_finish(&m->result);
    g_free(m);
}

bool bench_timer_is_stopped(const struct bench_timer *m)
{
    return m->is_stopped;
}

// ---- one batch ----

// Waits for the queue. What takes long is given up when the caller wants to stop.
static bool await(struct bench_timer *m, double expected_ms, struct error *err)
{
    if (expected_ms > 0 && expected_ms < PATIENCE_MS) return backend_wait(m->backend, err);
    for (;;) {
        const enum backend_state state = backend_poll(m->backend, err);
        if (state == BACKEND_FAILED) return false;
        if (state == BACKEND_IDLE) return backend_wait(m->backend, err);
        if (m->stop && m->stop(m->data)) break;
        g_usleep(500);
    }
    m->is_stopped = true;
    backend_cancel(m->backend);
    backend_wait(m->backend, err);
    return error_set(err, "stopped");
}

// What is timed, on the memory of a pair.
static struct frame frame_on(const struct bench_timer *m, const struct frame *what, int pair,
                             struct planes shape)
{
    struct frame frame = *what;
    frame.backend = m->backend;
    frame.source = planes_at(shape, m->in + (size_t)pair * planes_bytes(m->host));
    frame.scratch = m->scratch;
    frame.packed = m->packed ? m->packed + (size_t)pair * m->needs.packed_bytes : NULL;
    frame.weights = m->weights;
    return frame;
}

static bool queue_one(struct bench_timer *m, const struct frame *what, int pair,
                      struct planes shape, struct error *err)
{
    const struct frame frame = frame_on(m, what, pair, shape);
    unsigned char *out = m->out + (size_t)pair * planes_bytes(m->host);
    const size_t bytes = planes_bytes(planes_shape(shape.width, shape.height, shape.count));
    if (!what->filter) return backend_copy(m->backend, out, frame.source.pixels, bytes, err);
    return frame_run(&frame, planes_at(shape, out), err);
}

static int turn(struct bench_timer *m, enum bench_timer_buffers buffers)
{
    if (buffers == BENCH_TIMER_HOT) return 0;
    m->next = (m->next + 1) % m->pairs;
    return m->next;
}

// Copies that keep the device busy while `repeats` launches of expected_ms are queued. They leave
// their ends in the L2, so cold launches go on from the first pair.
static bool queue_lead(struct bench_timer *m, int repeats, double expected_ms, struct error *err)
{
    if (!backend_device(m->backend)->is_gpu) return true;
    const double wanted = m->queue_ms * 2 + repeats * fmax(0, m->queue_ms - expected_ms);
    const int copies = m->lead_ms > 0 ? CLAMP((int)ceil(wanted / m->lead_ms), 1, 64) : 1;
    const size_t bytes = MIN(region_bytes(m), LEAD_BYTES);
    m->next = m->pairs - 1;
    for (int i = 0; i < copies; i++)
        if (!backend_copy(m->backend, m->out, m->in, bytes, err)) return false;
    return true;
}

static bool time_lead(struct bench_timer *m, struct error *err)
{
    if (m->lead_ms > 0 || !backend_device(m->backend)->is_gpu) return true;
    const size_t bytes = MIN(region_bytes(m), LEAD_BYTES);
    enum { COPIES = 8 };
    for (int i = 0; i <= COPIES; i++) {
        if (i == 1 && !backend_mark(m->backend, 0, err)) return false;
        if (!backend_copy(m->backend, m->out, m->in, bytes, err)) return false;
    }
    if (!backend_mark(m->backend, 1, err) || !backend_wait(m->backend, err) ||
        !backend_elapsed(m->backend, 0, 1, &m->lead_ms, err))
        return false;
    m->lead_ms /= COPIES;
    return true;
}

static bool queue_batch(struct bench_timer *m, const struct frame *what,
                        enum bench_timer_buffers buffers, int repeats, struct error *err)
{
    if (buffers == BENCH_TIMER_HOT && !queue_one(m, what, 0, planes_at(m->host, NULL), err))
        return false;
    if (!backend_mark(m->backend, 0, err)) return false;
    const gint64 start = g_get_monotonic_time();
    for (int i = 0; i < repeats; i++)
        if (!queue_one(m, what, turn(m, buffers), planes_at(m->host, NULL), err)) return false;
    m->queue_ms = (double)(g_get_monotonic_time() - start) * 1e-3 / repeats;
    return backend_mark(m->backend, 1, err);
}

bool bench_timer_sample(struct bench_timer *m, const struct frame *what,
                        enum bench_timer_buffers buffers, double *expected_ms, double *ms,
                        struct error *err)
{
    const int repeats = batch_repeats(*expected_ms / HEADROOM, MAX_REPEATS);
    double span;
    if (!time_lead(m, err) || !queue_lead(m, repeats, *expected_ms, err) ||
        !queue_batch(m, what, buffers, repeats, err) || !await(m, repeats * *expected_ms, err) ||
        !backend_elapsed(m->backend, 0, 1, &span, err))
        return false;
    *expected_ms = fmax(span / repeats, BATCH_SPAN_MS / MAX_REPEATS);
    *ms = span >= BATCH_SPAN_MS || repeats == MAX_REPEATS ? span / repeats : 0;
    return true;
}

// ---- before and after ----

// One packed source does for all frames.
static bool prepare(struct bench_timer *m, const struct frame *what, struct error *err)
{
    const struct frame frame = frame_on(m, what, 0, m->host);
    if (!what->filter) return true;
    if (!frame_prepare(&frame, err)) return false;
    if (!filter_is_rgb24(what->variant) || m->has_packed) return true;
    return m->has_packed = spread(m, m->packed, m->needs.packed_bytes, err);
}

bool bench_timer_probe(struct bench_timer *m, const struct frame *what, double limit_ms, double *ms,
                       bool *is_whole, struct error *err)
{
    const struct planes whole = planes_at(m->host, NULL);
    double span = 0;
    if (!prepare(m, what, err)) return false;
    int height = MIN(CLAMP(STRIP_PIXELS / whole.width, 1, STRIP_ROWS), whole.height);
    for (;; height = height > whole.height / 2 ? whole.height : height * 2) {
        struct planes strip = whole;
        strip.height = height;
        if (!backend_mark(m->backend, 0, err) || !queue_one(m, what, 0, strip, err) ||
            !backend_mark(m->backend, 1, err) || !await(m, 0, err) ||
            !backend_elapsed(m->backend, 0, 1, &span, err))
            return false;
        if (height == whole.height || span >= limit_ms) break;
    }
    *ms = span * whole.height / height;
    *is_whole = height == whole.height;
    return true;
}

static int samples_for(const struct frame *what)
{
    return (int)CLAMP(SAMPLED_TAPS / launch_taps(what->filter, &what->settings), MIN_SAMPLES,
                      MAX_SAMPLES);
}

bool bench_timer_verify(struct bench_timer *m, const struct frame *what, reference_pixel *pixel,
                        struct image_difference *found, struct error *err)
{
    const struct frame frame = frame_on(m, what, 0, m->host);
    const struct planes out = planes_at(m->host, m->out);
    const bool is_packed = filter_is_rgb24(what->variant);
    if (!backend_fill(m->backend, m->out, POISON, planes_bytes(out), err) ||
        (is_packed && !backend_fill(m->backend, m->packed, POISON, m->needs.packed_bytes, err)) ||
        !frame_prepare(&frame, err) || !frame_run(&frame, out, err) ||
        !frame_finish(&frame, out, err) || !await(m, 0, err) ||
        !backend_download(m->backend, m->result.planes, out, err))
        return false;
    *found = reference_sample(pixel, m->result.planes, m->host, &what->settings.params,
                              samples_for(what), 1);
    return true;
}

#include "measure/bench_timer.h"

#include <glib.h>
#include <math.h>

#include "frame/batch.h"
#include "base/wall.h"

static const double HEADROOM = 1.1;      // a batch is planned for so many times the least span
static const double SAMPLED_TAPS = 4e6;  // of the reference, for one verification: about 10 ms
static const size_t UNKNOWN_L2 = 64 << 20;
static const size_t LEAD_BYTES = 64 << 20;  // more than an L2 holds

enum {
    MAX_REPEATS = 1024,
    MAX_PAIRS = 1024,
    MIN_SAMPLES = 256,
};

struct bench_timer {
    struct backend *backend;
    struct planes host;
    struct workspace workspace;
    int next;         // the pair whose turn it is
    int first;        // the first pair of the last fresh batch
    void *inputs;     // what the arrays of fresh launches begin with
    void *lead;       // what leading copies read and write; NULL: no GPU
    double lead_ms;   // of one leading copy; 0: not measured
    double queue_ms;  // the host queueing one launch
    struct bench_wait wait;
};

// ---- buffers ----

// Of what an array holds a launch may leave out most; what it needs may come in sectors of which it
// needs a word each.
static int pairs_of(const struct device *device, const struct arrays_layout *layout)
{
    static const double SECTOR_WORDS = 8;
    const size_t wanted = 3 * (device->l2_bytes ? device->l2_bytes : UNKNOWN_L2);
    const size_t pair =
        (size_t)fmin(layout->in_bytes + layout->out_bytes, SECTOR_WORDS * layout->least_bytes);
    return (int)MIN((wanted + pair - 1) / pair, MAX_PAIRS);
}

static size_t lead_bytes(const struct device *device)
{
    return device->is_gpu ? 2 * LEAD_BYTES : 0;
}

size_t bench_timer_bytes(const struct device *device, const struct arrays_layout *layout)
{
    return workspace_bytes(layout, pairs_of(device, layout)) + lead_bytes(device);
}

int bench_timer_pairs(const struct bench_timer *m)
{
    return m->workspace.pairs;
}

// What prepares may not come back either.
static bool wait_for_first(void *timer, struct error *err)
{
    struct bench_timer *m = timer;
    return bench_wait(&m->wait, 0, err);
}

static bool reserve(struct bench_timer *m, const struct arrays_layout *layout, struct error *err)
{
    struct workspace *w = &m->workspace;
    const size_t lead = lead_bytes(backend_device(m->backend));
    return workspace_reserve(w, layout, err) &&
           (!lead || backend_alloc(m->backend, lead, &m->lead, err)) &&
           backend_wait(m->backend, err);
}

struct bench_timer *bench_timer_create(struct backend *b, struct planes picture,
                                       const struct arrays_layout *layout, bench_timer_stop *stop,
                                       void *data, struct error *err)
{
    struct bench_timer *m = g_new0(struct bench_timer, 1);
    m->backend = b;
    m->host = picture;
    m->wait = (struct bench_wait){.backend = b, .stop = stop, .data = data};
    if (workspace_init(&m->workspace, b, picture, pairs_of(backend_device(b), layout), err) &&
        reserve(m, layout, err)) {
        m->workspace.first_prepared = wait_for_first;
        m->workspace.data = m;
        return m;
    }
    bench_timer_destroy(m);
    return NULL;
}

void bench_timer_destroy(struct bench_timer *m)
{
    if (!m || m->wait.is_caught) return;
    backend_wait(m->backend, NULL);
    backend_free(m->backend, m->inputs);
    backend_free(m->backend, m->lead);
    workspace_finish(&m->workspace);
    g_free(m);
}

struct bench_wait *bench_timer_wait(struct bench_timer *m)
{
    return &m->wait;
}

// ---- one batch ----

// Queues the timed work on a pair.
static bool queue_one(struct bench_timer *m, const struct frame *what, int pair, struct error *err)
{
    const struct frame copy = workspace_copy(&m->workspace);
    const struct frame *const timed = what->choice.filter ? what : &copy;
    const struct frame_memory memory = workspace_memory(&m->workspace, &timed->arrays, pair);
    return frame_run(timed, &memory, err);
}

static int turn(struct bench_timer *m, enum bench_timer_buffers buffers)
{
    if (buffers == BENCH_TIMER_HOT) return 0;
    m->next = (m->next + 1) % m->workspace.pairs;
    return m->next;
}

static bool copy_lead(struct bench_timer *m, struct error *err)
{
    return backend_copy(m->backend, (unsigned char *)m->lead + LEAD_BYTES, m->lead, LEAD_BYTES,
                        err);
}

// Queues copies that keep the device busy while `repeats` launches of expected_ms are queued. They
// leave no pair in the L2.
static bool queue_lead(struct bench_timer *m, int repeats, double expected_ms, struct error *err)
{
    if (!m->lead) return true;
    const double wanted = m->queue_ms * 2 + repeats * fmax(0, m->queue_ms - expected_ms);
    const int copies = m->lead_ms > 0 ? CLAMP((int)ceil(wanted / m->lead_ms), 1, 64) : 1;
    for (int i = 0; i < copies; i++)
        if (!copy_lead(m, err)) return false;
    return true;
}

static bool time_lead(struct bench_timer *m, struct error *err)
{
    if (m->lead_ms > 0 || !m->lead) return true;
    enum { COPIES = 8 };
    for (int i = 0; i <= COPIES; i++) {
        if (i == 1 && !backend_mark(m->backend, 0, err)) return false;
        if (!copy_lead(m, err)) return false;
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
    if (buffers == BENCH_TIMER_HOT && !queue_one(m, what, 0, err)) return false;
    if (!backend_mark(m->backend, 0, err)) return false;
    const double start = wall_ms();
    for (int i = 0; i < repeats; i++)
        if (!queue_one(m, what, turn(m, buffers), err)) return false;
    m->queue_ms = (wall_ms() - start) / repeats;
    return backend_mark(m->backend, 1, err);
}

// A module that was loaded again has lost its weights, even if it lies at the same address.
static bool prepare(struct bench_timer *m, const struct frame *what, struct error *err)
{
    if (!what->choice.filter) return true;
    workspace_forget_weights(&m->workspace);
    return workspace_prepare(&m->workspace, what, err);
}

// Untimed: a launch of another variant may have written over what this one's prepare= has made.
static bool prepare_again(struct bench_timer *m, const struct frame *what, struct error *err)
{
    const struct variant *v = what->choice.variant;
    return !v || workspace_prepare(&m->workspace, what, err);
}

bool bench_timer_sample(struct bench_timer *m, const struct frame *what,
                        enum bench_timer_buffers buffers, double *expected_ms, double *ms,
                        struct error *err)
{
    const int repeats = batch_repeats(*expected_ms / HEADROOM, MAX_REPEATS);
    double span;
    const bool is_prepared = *expected_ms > 0 ? prepare_again(m, what, err) : prepare(m, what, err);
    if (!is_prepared || !time_lead(m, err) || !queue_lead(m, repeats, *expected_ms, err) ||
        !queue_batch(m, what, buffers, repeats, err) ||
        !bench_wait(&m->wait, repeats * *expected_ms, err) ||
        !backend_elapsed(m->backend, 0, 1, &span, err))
        return false;
    *expected_ms = fmax(span / repeats, BATCH_SPAN_MS / MAX_REPEATS);
    *ms = span >= BATCH_SPAN_MS || repeats == MAX_REPEATS ? span / repeats : 0;
    return true;
}

// ---- launches that find nothing of others ----

// The arrays of a pair with poison between them and in all but the in arrays.
static bool keep_arrays(struct bench_timer *m, const struct frame *what, struct error *err)
{
    const struct frame_memory from = workspace_of(&m->workspace, what);
    unsigned char *const to = m->inputs;
    if (!backend_fill(m->backend, to, FRAME_POISON, what->arrays.bytes, err)) return false;
    for (int i = 0; i < what->arrays.count; i++) {
        const struct array_place *place = &what->arrays.places[i];
        if (what->choice.filter->arrays[i].kind == ARRAY_IN && !place->is_shared &&
            !backend_copy(m->backend, to + place->offset,
                          (unsigned char *)from.arrays + place->offset, place->bytes, err))
            return false;
    }
    return true;
}

// Once, before the first of such launches.
static bool keep_inputs(struct bench_timer *m, const struct frame *what, struct error *err)
{
    if (m->inputs || !what->choice.filter) return true;
    return prepare(m, what, err) &&
           backend_alloc(m->backend, what->arrays.bytes, &m->inputs, err) &&
           keep_arrays(m, what, err);
}

static bool refresh(struct bench_timer *m, int pair, struct error *err)
{
    return backend_copy(m->backend, workspace_copy_memory(&m->workspace, pair).arrays, m->inputs,
                        m->workspace.layout.bytes, err);
}

// What all pairs share and is no input.
static bool poison_scratch(struct bench_timer *m, const struct frame *what, struct error *err)
{
    const struct frame_memory memory = workspace_of(&m->workspace, what);
    for (int i = 0; what->choice.filter && i < what->arrays.count; i++) {
        const struct array_place *place = &what->arrays.places[i];
        if (what->choice.filter->arrays[i].kind == ARRAY_SCRATCH && place->is_shared &&
            place->bytes &&
            !backend_fill(m->backend, frame_array(what, &memory, i), FRAME_POISON, place->bytes,
                          err))
            return false;
    }
    return true;
}

bool bench_timer_sample_fresh(struct bench_timer *m, const struct frame *what, double *expected_ms,
                              double *ms, int *launches, struct error *err)
{
    const int most = MAX(1, m->workspace.pairs - 1);
    const int repeats = batch_repeats(*expected_ms / HEADROOM, most);
    double span;
    if (!keep_inputs(m, what, err) || !prepare(m, what, err) || !time_lead(m, err) ||
        !poison_scratch(m, what, err))
        return false;
    m->next = 0;
    m->first = 1;
    for (int i = 0; m->inputs && i < repeats; i++)
        if (!refresh(m, (m->first + i) % m->workspace.pairs, err)) return false;
    if (!queue_lead(m, repeats, *expected_ms, err) ||
        !queue_batch(m, what, BENCH_TIMER_COLD, repeats, err) ||
        !bench_wait(&m->wait, repeats * *expected_ms, err) ||
        !backend_elapsed(m->backend, 0, 1, &span, err))
        return false;
    *launches = repeats;
    *expected_ms = fmax(span / repeats, BATCH_SPAN_MS / MAX_REPEATS);
    *ms = span >= BATCH_SPAN_MS || repeats == most ? span / repeats : 0;
    return true;
}

struct frame_memory bench_timer_launched(const struct bench_timer *m, int launch)
{
    return workspace_copy_memory(&m->workspace, (m->first + launch) % m->workspace.pairs);
}

// ---- checks ----

static int samples_for(const struct frame *what)
{
    return (int)CLAMP(SAMPLED_TAPS / launch_taps(what->choice.filter, &what->choice.settings),
                      MIN_SAMPLES, CHECK_MOST);
}

static bool run_poisoned(struct bench_timer *m, const struct frame *what,
                         const struct frame_memory *memory, struct error *err)
{
    return prepare(m, what, err) && frame_poison(what, memory, err) &&
           frame_run(what, memory, err) && frame_finish(what, memory, err) &&
           bench_wait(&m->wait, 0, err);
}

bool bench_timer_verify(struct bench_timer *m, const struct frame *what, struct checker *checker,
                        const struct references *references, bool *is_checked,
                        struct image_difference *found, struct error *err)
{
    const struct frame_memory memory = workspace_of(&m->workspace, what);
    const struct checker_task task = {.references = references,
                                      .frame = what,
                                      .memory = &memory,
                                      .source = m->host,
                                      .pixels = samples_for(what),
                                      .most_bytes = 8e9,
                                      .keeps_answers = true};
    enum checker_begun begun;
    *is_checked = false;
    if (!filter_has_reference(what->choice.filter)) return true;
    if (bench_wait_is_check_over(&m->wait)) return m->wait.is_check_late;
    if (!run_poisoned(m, what, &memory, err)) return false;
    do {
        if (!checker_begin(checker, &task, &begun, err)) return false;
        if (begun == CHECKER_WAITS) g_usleep(1000);
    } while (begun == CHECKER_WAITS);
    return begun == CHECKER_IMPOSSIBLE ||
           bench_wait_check(&m->wait, checker, is_checked, found, err);
}

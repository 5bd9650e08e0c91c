#include "frame/bench_timer.h"

#include <math.h>

#include "base/number.h"
#include "base/wall.h"
#include "frame/agreement.h"
#include "frame/batch.h"
#include "frame/results.h"

static const double HEADROOM = 1.1;      // a batch is planned for so many times the least span
static const double SAMPLED_TAPS = 4e6;  // of the reference, for one verification: about 10 ms
static const size_t UNKNOWN_L2 = 64 << 20;
static const size_t LEAD_BYTES = 64 << 20;  // more than an L2 holds

enum {
    MAX_REPEATS = 1024,
    MAX_PAIRS = 1024,
    MIN_SAMPLES = 256,
    MOST_SAMPLES = 1024,
};

// ---- waiting ----

// Waits until the queue is done. expected_ms: of what is in it; 0: not known. False: the device
// failed, or the launch was given up.
static bool wait(struct bench_timer *m, double expected_ms, struct error *err)
{
    static const double PATIENCE_MS = 5;  // longer waits ask whether to give up
    const double start = wall_ms();
    m->is_late = false;
    const bool is_short = expected_ms > 0 && expected_ms < PATIENCE_MS;
    // What was quick may not come back the next time, if it counts its launches.
    if (is_short && !backend_can_cancel(m->backend)) return backend_wait(m->backend, err);
    // Who looks takes a processor from the launch that is timed.
    for (;; backend_rest(m->backend, is_short ? 20000 : 500)) {
        const enum backend_state state = backend_poll(m->backend, err);
        if (state == BACKEND_FAILED) return false;
        if (state == BACKEND_IDLE) return backend_wait(m->backend, err);
        m->is_stopped = m->stop && m->stop(m->data);
        m->is_late = m->limit_ms > 0 && wall_ms() - start > m->limit_ms;
        if (m->is_stopped || m->is_late) break;
    }
    m->is_caught = !backend_can_cancel(m->backend);
    backend_cancel(m->backend);
    if (!m->is_caught) backend_wait(m->backend, NULL);
    if (m->is_stopped) return error_set(err, "stopped");
    return error_set(err, "too slow: it has not come back for %s s%s",
                     number_three(m->limit_ms * 1e-3).text,
                     m->is_caught ? ", and a GPU cannot stop it" : "");
}

static bool is_check_over(struct bench_timer *m)
{
    m->is_stopped = m->stop && m->stop(m->data);
    m->is_check_late = g_get_monotonic_time() > m->check_until_us;
    return m->is_stopped || m->is_check_late;
}

// ---- buffers ----

// A launch may leave out most of an array, and need only a word of each sector that it loads.
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

struct bench_timer *bench_timer_create(struct backend *b, struct planes picture,
                                       const struct arrays_layout *layout, bench_timer_stop *stop,
                                       void *data, struct error *err)
{
    const size_t lead = lead_bytes(backend_device(b));
    struct bench_timer *m = g_new0(struct bench_timer, 1);
    m->backend = b;
    m->host = picture;
    m->stop = stop;
    m->data = data;
    if (workspace_init(&m->workspace, b, picture, pairs_of(backend_device(b), layout), err) &&
        workspace_reserve(&m->workspace, layout, err) &&
        (!lead || backend_alloc(b, lead, &m->lead, err)) && backend_wait(b, err))
        return m;
    bench_timer_destroy(m);
    return NULL;
}

void bench_timer_destroy(struct bench_timer *m)
{
    if (!m || m->is_caught) return;
    backend_wait(m->backend, NULL);
    backend_free(m->backend, m->inputs);
    backend_free(m->backend, m->lead);
    workspace_finish(&m->workspace);
    g_free(m);
}

// ---- one batch ----

// Queues the timed work on a pair. The device copy works in the layout of the last prepared frame.
static bool queue_one(struct bench_timer *m, const struct frame *what, int pair, struct error *err)
{
    const struct frame copy = {.backend = m->backend, .arrays = m->workspace.layout};
    const struct frame *const timed = what->choice.filter ? what : &copy;
    const struct frame_memory memory = workspace_memory(&m->workspace, &timed->arrays, pair);
    return frame_run(timed, &memory, err);
}

static bool copy_lead(struct bench_timer *m, struct error *err)
{
    return backend_copy(m->backend, (unsigned char *)m->lead + LEAD_BYTES, m->lead, LEAD_BYTES,
                        err);
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

// A module that was loaded again has lost its weights, even if it lies at the same address. A
// launch of another variant may have written over what this one's prepare= has made.
static bool prepare(struct bench_timer *m, const struct frame *what, bool is_loaded,
                    struct error *err)
{
    if (!what->choice.filter) return true;
    if (is_loaded) workspace_forget_weights(&m->workspace);
    // A preparing pass may not come back either.
    return workspace_prepare(&m->workspace, what, err) && wait(m, 0, err);
}

// Times one batch of at most `most` launches of a prepared frame. The first one shows what reaches
// into a gap; closing the gaps of all pairs would take time from later ones.
static bool time_batch(struct bench_timer *m, const struct frame *prepared,
                       enum bench_timer_buffers buffers, int most, double *expected_ms, double *ms,
                       struct error *err)
{
    const int repeats = batch_repeats(*expected_ms / HEADROOM, most);
    const bool is_hot = buffers == BENCH_TIMER_HOT;
    struct frame timed = *prepared;
    const struct frame *const what = &timed;
    timed.is_unguarded = *expected_ms > 0;
    double span;
    // Copies keep the device busy while the launches are queued, and leave no pair in the L2.
    const double wanted = m->queue_ms * 2 + repeats * fmax(0, m->queue_ms - *expected_ms);
    const int copies = m->lead_ms > 0 ? CLAMP((int)ceil(wanted / m->lead_ms), 1, 64) : 1;
    for (int i = 0; m->lead && i < copies; i++)
        if (!copy_lead(m, err)) return false;
    if ((is_hot && !queue_one(m, what, 0, err)) || !backend_mark(m->backend, 0, err)) return false;
    const double start = wall_ms();
    for (int i = 0; i < repeats; i++) {
        if (!is_hot) m->last_pair = (m->last_pair + 1) % m->workspace.pairs;
        if (!queue_one(m, what, is_hot ? 0 : m->last_pair, err)) return false;
    }
    m->queue_ms = (wall_ms() - start) / repeats;
    if (!backend_mark(m->backend, 1, err) || !wait(m, repeats * *expected_ms, err) ||
        !backend_elapsed(m->backend, 0, 1, &span, err))
        return false;
    *expected_ms = fmax(span / repeats, BATCH_SPAN_MS / MAX_REPEATS);
    *ms = span >= BATCH_SPAN_MS || repeats == most ? span / repeats : 0;
    return true;
}

bool bench_timer_sample(struct bench_timer *m, const struct frame *what,
                        enum bench_timer_buffers buffers, double *expected_ms, double *ms,
                        struct error *err)
{
    return prepare(m, what, *expected_ms <= 0, err) && time_lead(m, err) &&
           time_batch(m, what, buffers, MAX_REPEATS, expected_ms, ms, err);
}

// ---- launches that find nothing of others ----

bool bench_timer_sample_fresh(struct bench_timer *m, const struct frame *what, double *expected_ms,
                              double *ms, int *launches, struct error *err)
{
    const int most = MAX(1, m->workspace.pairs - 1);
    const struct filter *f = what->choice.filter;
    const struct arrays_layout *l = &what->arrays;
    const bool is_first = f && !m->inputs;
    *launches = batch_repeats(*expected_ms / HEADROOM, most);
    if (!prepare(m, what, true, err) || !time_lead(m, err)) return false;
    const struct frame_memory memory = workspace_of(&m->workspace, what);
    // The arrays of a pair are kept, with poison between them and in all but the in arrays.
    if (is_first && (!backend_alloc(m->backend, l->bytes, &m->inputs, err) ||
                     !backend_fill(m->backend, m->inputs, FRAME_POISON, l->bytes, err)))
        return false;
    for (int i = 0; f && i < l->count; i++) {
        const struct array_place *place = &l->places[i];
        const enum array_kind kind = f->arrays[i].kind;
        if (is_first && kind == ARRAY_IN && !place->is_shared &&
            !backend_copy(m->backend, (unsigned char *)m->inputs + place->offset,
                          (unsigned char *)memory.arrays + place->offset, place->bytes, err))
            return false;
        if (kind == ARRAY_SCRATCH && place->is_shared && place->bytes &&  // all pairs share it
            !backend_fill(m->backend, frame_array(what, &memory, i), FRAME_POISON, place->bytes,
                          err))
            return false;
    }
    m->last_pair = 0;
    for (int i = 0; m->inputs && i < *launches; i++)
        if (!backend_copy(m->backend, bench_timer_launched(m, i).arrays, m->inputs,
                          m->workspace.layout.bytes, err))
            return false;
    return time_batch(m, what, BENCH_TIMER_COLD, most, expected_ms, ms, err);
}

// The batch begins with the second pair.
struct frame_memory bench_timer_launched(const struct bench_timer *m, int launch)
{
    return workspace_memory(&m->workspace, &m->workspace.layout, (1 + launch) % m->workspace.pairs);
}

// ---- checks ----

static bool launch_once(void *timer, const struct frame *frame, struct frame_memory *memory,
                        struct error *err)
{
    struct bench_timer *const m = timer;
    if (!prepare(m, frame, true, err)) return false;
    *memory = workspace_of(&m->workspace, frame);
    return frame_poison(frame, memory, err) && frame_run(frame, memory, err) &&
           frame_finish(frame, memory, err) && wait(m, 0, err);
}

bool bench_timer_compare(struct bench_timer *m, const struct frame *what, bool *agrees,
                         struct error *err)
{
    return agreement_test(what, launch_once, m, agrees, err);
}

bool bench_timer_verify(struct bench_timer *m, const struct frame *what, struct checker *checker,
                        const struct references *references, bool *is_checked,
                        struct image_difference *found, struct error *err)
{
    const struct choice *c = &what->choice;
    struct frame_memory memory;
    struct frame frame = *what;
    struct checker_task task = {.references = references,
                                .frame = &frame,
                                .memory = &memory,
                                .source = m->host,
                                .most_bytes = 8e9,
                                .has_lines = true,
                                .keeps_answers = true};
    *is_checked = false;
    if (!filter_has_reference(c->filter)) return true;
    if (filter_has_picture(c->filter))
        task.samples = (int)CLAMP(SAMPLED_TAPS / launch_taps(c->filter, &c->settings), MIN_SAMPLES,
                                  MOST_SAMPLES);
    // Fibers show what a kernel does against CUDA's rules; the fast code, which was timed, must be
    // right, too.
    for (int strict = what->module && backend_is_fast(what->module); strict >= 0; strict--) {
        enum checker_state state;
        frame.is_strict = strict;
        *is_checked = false;
        if (is_check_over(m)) return m->is_check_late;
        if (!launch_once(m, &frame, &memory, err)) return false;
        state = checker_begin_now(checker, &task, err);
        if (state != CHECKER_RUNNING) return state == CHECKER_IMPOSSIBLE;
        while ((state = checker_result(checker, found, err)) == CHECKER_RUNNING &&
               !is_check_over(m))
            g_usleep(500);
        *is_checked = state == CHECKER_DONE;
        if (!*is_checked) return state == CHECKER_RUNNING && m->is_check_late;
        if (result_check_of(c, *found) == CHECK_WRONG) return true;
    }
    return true;
}

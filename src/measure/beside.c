#include "measure/beside.h"

#include "measure/batch.h"

enum { COPY_EVERY = 8, FIRST_COPIES = STATS_SETTLED + STATS_DROPPED };

void beside_set_copy_bytes(struct beside *s, double bytes)
{
    if (s->copy_bytes == bytes) return;
    stats_reset(&s->copies);
    s->copy_ms = 0;
    s->copy_bytes = bytes;
}

void beside_begin_round(struct beside *s, double frame_ms)
{
    s->rounds++;
    s->kind = BESIDE_NOTHING;
    s->has_copied = s->is_given_up = false;
    scheduler_begin(&s->scheduler, frame_ms);
}

const struct choice *beside_choice(const struct beside *s)
{
    switch (s->kind) {
    case BESIDE_NOTHING:
    case BESIDE_COPY:
        break;
    case BESIDE_POINT:
        return &s->point.choice;
    }
    return NULL;
}

// ---- queueing ----

static bool queue_copies(struct beside *s, struct error *err)
{
    const struct frame copy = workspace_copy(s->workspace);
    const struct frame_memory memory = workspace_copy_memory(s->workspace, 0);
    s->repeats = batch_repeats(s->copy_ms, BATCH_LIVE_MOST);
    return batch_queue(&copy, &memory, s->repeats, BESIDE_MARK_BEGIN, err);
}

// What finish= does is left out, unless the result is looked at.
static bool queue_point(struct beside *s, struct error *err)
{
    const struct result known = results_get(s->results, &s->point.choice);
    if (!workspace_prepare(s->workspace, &s->point, err)) return false;
    const struct frame_memory memory = workspace_of(s->workspace, &s->point);
    s->repeats = batch_repeats(known.ms.median, BATCH_LIVE_MOST);
    s->is_checked_point = known.check == CHECK_UNKNOWN && !s->checker->is_running;
    if (s->is_checked_point && !frame_poison(&s->point, &memory, err)) return false;
    return batch_queue(&s->point, &memory, s->repeats, BESIDE_MARK_BEGIN, err) &&
           (!s->is_checked_point || frame_finish(&s->point, &memory, err));
}

static bool is_copy_due(const struct beside *s)
{
    return !s->has_copied && (s->copies.seen < FIRST_COPIES || s->rounds % COPY_EVERY == 0);
}

// Points that are done are measured again to be compared with the shown frame, if there is one.
static bool find_point(struct beside *s, bool has_frame)
{
    return scheduler_next(&s->scheduler, &s->point) ||
           (has_frame && scheduler_again(&s->scheduler, &s->point));
}

bool beside_begin(struct beside *s, const struct frame *shown, bool is_settled)
{
    struct error err = {""};
    s->begun_ms = backend_work(s->backend).own_ms;
    if (shown && is_copy_due(s)) {
        s->has_copied = true;
        s->kind = BESIDE_COPY;
        if (queue_copies(s, &err)) return true;
    } else if (is_settled && find_point(s, shown != NULL)) {
        s->kind = BESIDE_POINT;
        if (queue_point(s, &err)) return true;
        results_refuse(s->results, &s->point.choice, err.text);
    } else {
        return false;
    }
    return !backend_wait(s->backend, NULL);  // for half a batch
}

// ---- counting ----

// A point's result is looked at only once.
static bool check_point(struct beside *s, struct error *err)
{
    const struct frame_memory memory = workspace_of(s->workspace, &s->point);
    const struct checker_task task = {.frame = &s->point, .memory = &memory, .most_bytes = 256e6};
    enum checker_begun unused;
    return result_checker_begin(s->checker, &s->point.choice, task, &unused, err);
}

static bool count_point(struct beside *s, double ms, struct error *err)
{
    results_add(s->results, &s->point.choice, ms);
    scheduler_judge(&s->scheduler, &s->point.choice, ms);
    return !s->is_checked_point || check_point(s, err);
}

bool beside_count(struct beside *s, struct error *err)
{
    double ms;
    if (!backend_elapsed(s->backend, BESIDE_MARK_BEGIN, BESIDE_MARK_END, &ms, err)) return false;
    switch (s->kind) {
    case BESIDE_NOTHING:
        break;
    case BESIDE_COPY:
        stats_add(&s->copies, ms / s->repeats);
        s->copy_ms = stats_summarize(&s->copies).median;
        break;
    case BESIDE_POINT:
        return count_point(s, ms / s->repeats, err);
    }
    return true;
}

void beside_give_up_late(struct beside *s)
{
    const double own_ms = backend_work(s->backend).own_ms - s->begun_ms;
    const struct choice *late = beside_choice(s);
    if (!late || s->is_given_up) return;
    s->is_given_up = scheduler_gives_up(&s->scheduler, late, own_ms);
    if (!s->is_given_up) return;
    backend_cancel(s->backend);
}

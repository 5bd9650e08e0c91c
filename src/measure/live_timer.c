#include "measure/live_timer.h"

#include <glib.h>

#include "frame/frame.h"
#include "frame/lab.h"
#include "frame/workspace.h"
#include "measure/batch.h"
#include "measure/figures.h"
#include "measure/result_checker.h"
#include "measure/scheduler.h"

enum { MARK_BEGIN, MARK_END, MARK_SIDE_BEGIN, MARK_SIDE_END };
enum { MAX_REPEATS = 64, SIDE_EVERY = 8, SIDE_SAMPLES = STATS_SETTLED + STATS_DROPPED };

enum side { SIDE_NONE, SIDE_COPY, SIDE_POINT, SIDE_PLAIN };

struct live_timer {
    struct backend *backend;
    struct builder *builder;
    struct results *results;
    struct workspace workspace;  // of the picture; its target takes all that is not shown

    struct frame frame;  // what is shown; no module: nothing was chosen
    bool is_new;         // no frame of it was begun yet
    bool is_busy, is_cancelled, has_failed;
    bool has_no_frame;                // what is busy are measurements alone
    struct live_timer_report report;  // without what the results know
    int frames;
    double launch_ms;
    long long wanted_element;  // of the shown array; -1: none

    // Beside the frame in hand.
    enum side side;  // what is in the queue; NONE: the frame itself
    int side_repeats;
    gint64 side_begun_us;
    bool has_copied, is_given_up;
    struct scheduler scheduler;
    struct frame point;
    struct frame plain;    // what a point or the frame itself is compared with
    struct planes target;  // of the frame in hand
    struct stats copy;

    struct result_checker checker;
    bool is_checked_point;  // the point's result goes to the checker
};

// Of a choice of which nothing is known yet. The copies stay.
static void begin_report(struct live_timer *r)
{
    r->report = (struct live_timer_report){.repeats = 1,
                                           .copy_ms = r->report.copy_ms,
                                           .copy_bytes = r->report.copy_bytes,
                                           .occupancy = {.limiter = ""},
                                           .element_index = -1};
}

// Nothing that was chosen or brought to the device holds any more.
static void forget(struct live_timer *r)
{
    result_checker_forget(&r->checker);
    r->frame.module = NULL;
    begin_report(r);
    workspace_forget(&r->workspace);
}

// Copies of another size are measured anew.
static void set_copy_bytes(struct live_timer *r, double bytes)
{
    if (r->report.copy_bytes == bytes) return;
    stats_reset(&r->copy);
    r->report.copy_ms = 0;
    r->report.copy_bytes = bytes;
}

struct live_timer *live_timer_create(struct backend *b, struct builder *builder,
                                     struct results *results)
{
    struct live_timer *r = g_new0(struct live_timer, 1);
    r->backend = b;
    r->builder = builder;
    r->results = results;
    result_checker_init(&r->checker, results);
    r->wanted_element = -1;
    r->scheduler = (struct scheduler){.backend = b, .builder = builder, .results = results};
    forget(r);
    return r;
}

void live_timer_destroy(struct live_timer *r)
{
    if (!r) return;
    live_timer_cancel(r);
    backend_wait(r->backend, NULL);
    workspace_finish(&r->workspace);
    result_checker_finish(&r->checker);
    g_free(r);
}

void live_timer_set_references(struct live_timer *r, const struct references *references)
{
    r->checker.references = references;
}

bool live_timer_set_picture(struct live_timer *r, struct planes picture, struct error *err)
{
    struct workspace workspace;
    if (!backend_wait(r->backend, err) || !workspace_init(&workspace, r->backend, picture, 1, err))
        return false;
    workspace_finish(&r->workspace);
    r->workspace = workspace;
    r->checker.picture = picture;
    r->scheduler.picture = workspace.picture;
    set_copy_bytes(r, 0);
    forget(r);
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

struct choice live_timer_shown(const struct live_timer *r)
{
    struct choice shown = r->frame.choice;
    shown.settings.is_unrolled &= !r->report.is_generic;
    return shown;
}

const struct module *live_timer_module(const struct live_timer *r)
{
    return r->frame.module;
}

void live_timer_restart(struct live_timer *r)
{
    const struct choice shown = live_timer_shown(r);
    r->is_new = true;
    if (r->frame.module) results_begin(r->results, &shown);
}

// Times start anew. What does not change from frame to frame is asked for here.
static void show(struct live_timer *r, const struct frame *frame, bool is_generic)
{
    set_copy_bytes(r, figures_bytes(&frame->choice, r->workspace.picture));
    const struct launch_config *first = &frame->plan.passes[0];
    const int entry = frame->first_entry;
    r->frame = *frame;
    begin_report(r);
    r->report.is_generic = is_generic;
    if (frame->plan.pass_count) {
        r->report.facts = backend_facts(frame->module)[entry];
        r->report.occupancy = backend_occupancy(r->backend, frame->module, entry, first);
    }
    for (int i = 0; i < frame->plan.pass_count; i++)
        r->report.shared_bytes[i] = frame->plan.passes[i].shared_bytes +
                                    backend_facts(frame->module)[entry + i].static_shared_bytes;
    live_timer_restart(r);
}

static struct result shown_result(const struct live_timer *r)
{
    const struct choice shown = live_timer_shown(r);
    return results_get(r->results, &shown);
}

enum live_timer_state live_timer_choose(struct live_timer *r, const struct choice *choice,
                                        struct error *err)
{
    struct frame frame = {.backend = r->backend, .choice = *choice};
    bool is_generic;
    switch (builder_pick(r->builder, choice, &frame.module, &is_generic, err)) {
    case BUILDER_BUILDING:
        return LIVE_TIMER_COMPILING;
    case BUILDER_FAILED:
        return LIVE_TIMER_BROKEN;
    case BUILDER_READY:
        break;
    }
    if (r->frame.module == frame.module && choice_is_same(&r->frame.choice, choice))
        return LIVE_TIMER_READY;
    if (r->is_busy) return LIVE_TIMER_COMPILING;  // the frame in hand belongs to the old choice

    if (!frame_plan(&frame, r->workspace.picture, err) ||
        !workspace_prepare(&r->workspace, &frame, err))
        return LIVE_TIMER_REFUSED;
    show(r, &frame, is_generic);
    return LIVE_TIMER_READY;
}

struct planes live_timer_shape(const struct live_timer *r)
{
    return frame_picture(&r->frame);
}

void live_timer_show(struct live_timer *r, int array, const struct array_scale *scale)
{
    if (array != r->frame.shown_array) r->report.element_index = -1;
    frame_show(&r->frame, array, scale);
}

void live_timer_look(struct live_timer *r, long long index)
{
    r->wanted_element = index;
}

// ---- one frame ----

static bool queue_batch(struct live_timer *r, const struct frame *frame,
                        const struct frame_memory *memory, int repeats, int first_mark,
                        struct error *err)
{
    if (!backend_mark(r->backend, first_mark, err)) return false;
    for (int i = 0; i < repeats; i++)
        if (!frame_run(frame, memory, err)) return false;
    return backend_mark(r->backend, first_mark + 1, err);
}

static void begin_round(struct live_timer *r, double known_ms)
{
    r->is_cancelled = r->is_given_up = r->has_copied = false;
    r->frames++;
    r->side = SIDE_NONE;
    scheduler_begin(&r->scheduler, known_ms);
    results_next_round(r->results);
}

// The weights are brought anew: another timer may have used the module since. The first frame of a
// choice is written over poison, or pixels that it leaves out would be those of the choice before.
bool live_timer_begin(struct live_timer *r, struct planes target, struct error *err)
{
    const double known_ms = shown_result(r).ms.median;
    const int repeats = batch_repeats(known_ms, MAX_REPEATS);
    begin_round(r, known_ms);
    r->is_busy = true;
    r->has_no_frame = false;
    r->report.repeats = repeats;
    workspace_forget_weights(&r->workspace);
    if (!workspace_prepare(&r->workspace, &r->frame, err)) return false;
    struct frame_memory memory = workspace_of(&r->workspace, &r->frame);
    memory.target = r->target = target;
    if (r->is_new && !frame_poison(&r->frame, &memory, err)) return false;
    r->is_new = false;
    const gint64 start = g_get_monotonic_time();
    if (!queue_batch(r, &r->frame, &memory, repeats, MARK_BEGIN, err)) return false;
    r->launch_ms = (double)(g_get_monotonic_time() - start) / 1000 / repeats;
    return frame_finish(&r->frame, &memory, err);
}

bool live_timer_ask(struct live_timer *r, const struct reference_samples *samples,
                    struct reference *reference, struct error *err)
{
    const struct frame_memory memory = workspace_of(&r->workspace, &r->frame);
    return reference_ask(reference, &r->frame, &memory, samples, err);
}

// ---- beside the frame ----

static bool queue_copies(struct live_timer *r, struct error *err)
{
    if (r->has_no_frame)
        set_copy_bytes(r, figures_bytes(&(struct choice){0}, r->workspace.picture));
    const struct frame copy = workspace_copy(&r->workspace);
    const struct frame_memory memory = workspace_copy_memory(&r->workspace, 0);
    r->side_repeats = batch_repeats(r->report.copy_ms, MAX_REPEATS);
    return queue_batch(r, &copy, &memory, r->side_repeats, MARK_SIDE_BEGIN, err);
}

// What finish= does is left out, unless the result is looked at.
static bool queue_point(struct live_timer *r, struct error *err)
{
    const struct result known = results_get(r->results, &r->point.choice);
    if (!workspace_prepare(&r->workspace, &r->point, err)) return false;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->point);
    r->side_repeats = batch_repeats(known.ms.median, MAX_REPEATS);
    r->is_checked_point = known.check == CHECK_UNKNOWN && !r->checker.is_running;
    if (r->is_checked_point && !frame_poison(&r->point, &memory, err)) return false;
    return queue_batch(r, &r->point, &memory, r->side_repeats, MARK_SIDE_BEGIN, err) &&
           (!r->is_checked_point || frame_finish(&r->point, &memory, err));
}

// A point's result is looked at only once.
static bool check_point(struct live_timer *r, struct error *err)
{
    static const double MOST_BYTES = 256e6;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->point);
    return result_checker_begin(&r->checker, &r->point, &memory, &r->point.choice, MOST_BYTES, err);
}

// The one under the cursor, say.
static bool read_element(struct live_timer *r, struct error *err)
{
    const struct frame *frame = &r->frame;
    const long long index = r->wanted_element;
    r->report.element_index = -1;
    if (!frame->choice.filter->is_lab || index < 0 ||
        index >= frame->arrays.places[frame->shown_array].count)
        return true;
    const struct frame_memory memory = workspace_of(&r->workspace, frame);
    if (!lab_read_element(frame, &memory, index, &r->report.element, err)) return false;
    r->report.element_index = index;
    return true;
}

bool live_timer_checks(const struct filter *f)
{
    return f->is_lab || !filter_has_reference(f);
}

// The shown frames of a lab are checked where they were made: their picture shows less.
static bool check_shown(struct live_timer *r, const struct choice *shown, struct error *err)
{
    struct frame_memory memory = workspace_of(&r->workspace, &r->frame);
    if (!shown->filter->is_lab) memory.target = r->target;
    if (!live_timer_checks(shown->filter) || r->checker.is_running ||
        shown_result(r).check != CHECK_UNKNOWN)
        return true;
    return result_checker_begin(&r->checker, &r->frame, &memory, shown, 0, err);
}

// Runs what a result of a file without a REFERENCE is compared with, over poison and untimed.
static bool queue_plain(struct live_timer *r, const struct frame *of, struct error *err)
{
    if (!frame_plan_plain(&r->plain, of, err) || !workspace_prepare(&r->workspace, &r->plain, err))
        return false;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->plain);
    return frame_poison(&r->plain, &memory, err) &&
           queue_batch(r, &r->plain, &memory, 1, MARK_SIDE_BEGIN, err) &&
           frame_finish(&r->plain, &memory, err);
}

// True: it is in the queue, or stopped the device, as the next poll says. What was checked is the
// frame, or the point that was measured last.
static bool begin_plain(struct live_timer *r)
{
    struct error err = {""};
    const struct frame *of = r->side == SIDE_POINT ? &r->point : &r->frame;
    if (!result_checker_wants_plain(&r->checker)) return false;
    r->side = SIDE_PLAIN;
    if (queue_plain(r, of, &err)) return true;
    result_checker_give_up(&r->checker, err.text);
    return !backend_wait(r->backend, NULL);
}

static bool take_plain(struct live_timer *r, struct error *err)
{
    const struct frame_memory memory = workspace_of(&r->workspace, &r->plain);
    return result_checker_take_plain(&r->checker, &r->plain, &memory, err);
}

static bool is_settled(const struct live_timer *r)
{
    return shown_result(r).is_settled && !r->report.is_generic;
}

// Points that are done are measured again to be compared with the frame, if there is one.
static bool find_point(struct live_timer *r)
{
    if (!r->has_no_frame && !is_settled(r)) return false;
    return scheduler_next(&r->scheduler, &r->point) ||
           (!r->has_no_frame && scheduler_again(&r->scheduler, &r->point));
}

// The queue is idle. True: something is in it again, or stopped the device, as the next poll says.
static bool begin_side(struct live_timer *r)
{
    struct error err = {""};
    r->side_begun_us = g_get_monotonic_time();
    if (begin_plain(r)) return true;
    const bool is_copy_due = r->copy.seen < SIDE_SAMPLES || r->frames % SIDE_EVERY == 0;
    if (is_copy_due && !r->has_copied && !r->has_no_frame) {
        r->has_copied = true;
        r->side = SIDE_COPY;
        if (queue_copies(r, &err)) return true;
    } else if (find_point(r)) {
        r->side = SIDE_POINT;
        if (queue_point(r, &err)) return true;
        results_refuse(r->results, &r->point.choice, err.text);
    } else {
        return false;
    }
    return !backend_wait(r->backend, NULL);  // for half a batch
}

bool live_timer_measure(struct live_timer *r)
{
    result_checker_poll(&r->checker);
    if (r->is_busy) return true;
    begin_round(r, 0);
    workspace_forget_weights(&r->workspace);
    r->has_no_frame = true;
    return r->is_busy = begin_side(r);
}

// ---- counting ----

static bool count_point(struct live_timer *r, double ms, struct error *err)
{
    results_add(r->results, &r->point.choice, ms);
    scheduler_judge(&r->scheduler, &r->point.choice, ms);
    return !r->is_checked_point || check_point(r, err);
}

// What was in the queue is complete.
static bool count(struct live_timer *r, struct error *err)
{
    double ms;
    const struct choice shown = live_timer_shown(r);
    const int begin = r->side == SIDE_NONE ? MARK_BEGIN : MARK_SIDE_BEGIN;
    if (!backend_elapsed(r->backend, begin, begin + 1, &ms, err)) return false;
    switch (r->side) {
    case SIDE_NONE:
        results_add(r->results, &shown, ms / r->report.repeats);
        return read_element(r, err) && check_shown(r, &shown, err);
    case SIDE_COPY:
        stats_add(&r->copy, ms / r->side_repeats);
        r->report.copy_ms = stats_summarize(&r->copy).median;
        break;
    case SIDE_POINT:
        return count_point(r, ms / r->side_repeats, err);
    case SIDE_PLAIN:
        return take_plain(r, err);
    }
    return true;
}

// An endless loop in a kernel that is not shown must not stop the picture. A GPU cannot be helped.
static void give_up_late_point(struct live_timer *r)
{
    const double ms = (double)(g_get_monotonic_time() - r->side_begun_us) / 1000;
    if ((r->side != SIDE_POINT && r->side != SIDE_PLAIN) || r->is_given_up) return;
    const struct frame *late = r->side == SIDE_PLAIN ? &r->plain : &r->point;
    r->is_given_up = scheduler_gives_up(&r->scheduler, &late->choice, ms);
    if (!r->is_given_up) return;
    result_checker_give_up(&r->checker, "the first variant is too slow to compare with");
    backend_cancel(r->backend);
}

enum backend_state live_timer_poll(struct live_timer *r, struct error *err)
{
    result_checker_poll(&r->checker);
    if (!r->is_busy) return BACKEND_IDLE;
    const enum backend_state state = backend_poll(r->backend, err);
    if (state == BACKEND_BUSY) {
        give_up_late_point(r);
        return state;
    }
    r->is_busy = false;
    r->has_failed = state == BACKEND_FAILED;
    if (r->has_failed || r->is_cancelled || r->is_given_up) return state;
    r->has_failed = !count(r, err);
    if (r->has_failed) return BACKEND_FAILED;
    r->is_busy = begin_side(r);
    return r->is_busy ? BACKEND_BUSY : BACKEND_IDLE;
}

bool live_timer_find_culprit(const struct live_timer *r, struct choice *culprit, bool *is_beside)
{
    *is_beside = false;
    if (!r->has_failed || r->side == SIDE_COPY) return false;
    *is_beside = r->side != SIDE_NONE;
    *culprit = r->side == SIDE_POINT   ? r->point.choice
               : r->side == SIDE_PLAIN ? r->plain.choice
                                       : live_timer_shown(r);
    return culprit->variant != NULL;
}

void live_timer_cancel(struct live_timer *r)
{
    if (!r->is_busy) return;
    r->is_cancelled = true;
    result_checker_give_up(&r->checker, NULL);
    backend_cancel(r->backend);
}

double live_timer_launch_ms(const struct live_timer *r)
{
    return r->launch_ms;
}

struct live_timer_report live_timer_report(const struct live_timer *r)
{
    struct live_timer_report report = r->report;
    if (!r->frame.module) return report;
    const struct choice shown = live_timer_shown(r);
    report.ms = results_get(r->results, &shown).ms;
    report.is_settled = is_settled(r);
    report.naive_ms = results_naive_ms(r->results, &shown);
    report.check_done = result_checker_progress(&r->checker, &shown);
    return report;
}

// This file is long because frames, points and checks take turns in one queue, with one state.
#include "frame/engine.h"

#include <math.h>
#include <stdint.h>

#include "base/number.h"
#include "base/wall.h"
#include "frame/agreement.h"
#include "frame/batch.h"

enum { MARK_BEGIN, MARK_END };

static const double BUDGET_MS = 8;  // a round; the first batch may take longer
// A launch that is predicted to take longer does not run, because it would delay the next frame.
static const double GPU_LIMIT_MS = 100, CPU_LIMIT_MS = 400;
static const double TRY_MS = 1000;  // the same limit if only times of other variants are known
enum { AGAIN_SHARE = 8 };           // kept points take one part of so many
enum { MOST_REPEATS = 64 };         // of a launch, because the next frame waits for them
enum { COPY_EVERY = 8 };            // rounds
static const double WAIT_MS = 500;  // at least, until a launch is given up
enum { REST_SHARE = 9, LEAST_REST_US = 250000, MOST_REST_US = 2000000 };

enum verdict {
    VERDICT_MEASURE,
    VERDICT_COMPILING,
    VERDICT_SLOW,     // as far as is known now
    VERDICT_LATER,    // in the next round
    VERDICT_REFUSED,  // the results know why
};

// ---- life ----

static void forget_check(struct engine *e)
{
    checker_forget(e->checker);
    e->checking.variant = NULL;
}

// Empties the report: nothing is known of a new choice yet.
static void begin_report(struct engine *e)
{
    e->report =
        (struct engine_report){.repeats = 1, .occupancy = {.limiter = ""}, .element_index = -1};
}

static bool has_variant(GPtrArray *variants, const struct choice *c)
{
    return g_ptr_array_find(variants, (void *)(uintptr_t)c->variant, NULL);
}

static void add_variant(GPtrArray *variants, const struct choice *c)
{
    if (!has_variant(variants, c)) g_ptr_array_add(variants, (void *)(uintptr_t)c->variant);
}

// Forgets what was chosen and what was brought to the device.
static void forget(struct engine *e)
{
    forget_check(e);
    e->shown.module = NULL;
    e->on_fibers.variant = NULL;
    e->check = ENGINE_UNSEEN;
    e->state = ENGINE_RESTS;  // the choice that stopped the device may be gone
    begin_report(e);
    workspace_forget(&e->workspace);
}

struct engine *engine_create(struct backend *b, struct builder *builder, struct results *results,
                             const struct references *references)
{
    struct engine *e = g_new0(struct engine, 1);
    e->backend = b;
    e->builder = builder;
    e->results = results;
    e->references = references;
    e->checker = checker_create();
    e->judged = g_ptr_array_new();
    e->distrusted = g_ptr_array_new();
    e->wanted_element = -1;
    forget(e);
    return e;
}

void engine_destroy(struct engine *e)
{
    if (!e) return;
    engine_leave(e);
    backend_wait(e->backend, NULL);
    workspace_finish(&e->workspace);
    checker_destroy(e->checker);
    g_ptr_array_free(e->judged, TRUE);
    g_ptr_array_free(e->distrusted, TRUE);
    image_finish(&e->kept);
    g_free(e->printed);
    g_free(e);
}

bool engine_set_picture(struct engine *e, struct planes picture, struct error *err)
{
    struct workspace workspace;
    if (!backend_wait(e->backend, err) || !workspace_init(&workspace, e->backend, picture, 1, err))
        return false;
    workspace_finish(&e->workspace);
    e->workspace = workspace;
    e->picture = picture;
    forget(e);
    return true;
}

void engine_adopt(struct engine *e, struct builder *builder)
{
    engine_leave(e);
    backend_wait(e->backend, NULL);
    e->builder = builder;
    g_ptr_array_set_size(e->judged, 0);
    g_ptr_array_set_size(e->distrusted, 0);
    forget(e);
}

// ---- choosing ----

struct choice engine_shown(const struct engine *e)
{
    struct choice shown = e->shown.choice;
    shown.settings.is_unrolled &= !e->report.is_generic;
    return shown;
}

void engine_restart(struct engine *e)
{
    const struct choice shown = engine_shown(e);
    e->check = ENGINE_UNSEEN;
    if (e->shown.module) results_begin(e->results, &shown);
}

static struct result shown_result(const struct engine *e)
{
    const struct choice shown = engine_shown(e);
    return results_measured(e->results, &shown);
}

bool engine_is_settled(const struct engine *e)
{
    return e->shown.module && shown_result(e).is_settled && !e->report.is_generic;
}

// Before a picture's frame, frees the arrays of a lab, which may fill the device. False: the frame
// is a lab's, and they stay. A running check needs only its copies on the host.
static bool drop_arrays(struct engine *e, const struct frame *frame)
{
    if (!frame->arrays.places[ARRAYS_IN].picture.width) return false;
    workspace_drop_arrays(&e->workspace);
    if (!e->checking.variant) forget_check(e);
    return true;
}

enum engine_choice engine_choose(struct engine *e, const struct choice *choice, struct error *err)
{
    struct frame frame = {.backend = e->backend, .choice = *choice};
    bool is_generic;
    const enum builder_state built =
        builder_pick(e->builder, choice, &frame.module, &is_generic, err);
    if (e->state <= ENGINE_COMPILES)
        e->state = built == BUILDER_BUILDING ? ENGINE_COMPILES : ENGINE_RESTS;
    if (built != BUILDER_READY) return built == BUILDER_FAILED ? ENGINE_BROKEN : ENGINE_WAITS;
    if (e->shown.module == frame.module && choice_is_same(&e->shown.choice, choice))
        return ENGINE_READY;
    if (engine_is_busy(e)) return ENGINE_WAITS;  // the job in the queue needs the old choice

    if (!frame_plan(&frame, e->workspace.picture, err)) return ENGINE_REFUSED;
    if (!e->shown.module || !choice_is_same(&e->shown.choice, choice)) e->has_prints = true;
    e->has_prints &= backend_has_prints(e->backend, frame.module);
    if (e->has_prints) g_free(backend_take_prints(e->backend, frame.module));  // of other choices
    // The arrays of the lab that is still shown may have left no room. If it stays, they come
    // again.
    if (!workspace_prepare(&e->workspace, &frame, err) &&
        (!e->workspace.arrays.memory || !drop_arrays(e, &frame) ||
         !workspace_prepare(&e->workspace, &frame, err)))
        return ENGINE_REFUSED;
    frame.is_strict = e->references && backend_is_fast(frame.module) &&
                      (!has_variant(e->judged, choice) || has_variant(e->distrusted, choice));
    e->shown = frame;
    begin_report(e);
    e->report.is_generic = is_generic;
    if (frame.plan.pass_count) {  // what does not change from frame to frame
        const struct launch_pass *passes = frame.plan.passes;
        const struct kernel_facts *facts = backend_facts(frame.module) + frame.first_entry;
        e->report.facts = *facts;
        e->report.occupancy =
            backend_occupancy(e->backend, frame.module, frame.first_entry, &passes->config);
        for (int i = 0; i < frame.plan.pass_count; i++)
            e->report.shared_bytes[i] =
                passes[i].config.shared_bytes + facts[i].static_shared_bytes;
    }
    engine_restart(e);
    return ENGINE_READY;
}

void engine_show(struct engine *e, int array, const struct array_scale *scale)
{
    if (array != e->shown.shown_array) {
        e->report.element_index = -1;
        e->report.number_count = 0;
        e->is_repainted = true;
    }
    const struct array_scale before = e->shown.scale;
    frame_show(&e->shown, array, scale);
    e->is_repainted |= memcmp(&before, &e->shown.scale, sizeof before) != 0;
}

// ---- the next point ----

static void refuse_slow(struct engine *e, const struct choice *point, const char *about, double ms)
{
    char reason[128];
    const bool is_seconds = ms >= 1000;
    g_snprintf(reason, sizeof reason, "%s %s %s a launch: too slow here", about,
               number_three(is_seconds ? ms / 1000 : ms).text, is_seconds ? "s" : "ms");
    results_refuse(e->results, point, reason);
}

static enum verdict refuse(struct engine *e, const struct choice *point, const struct error *why)
{
    results_refuse(e->results, point, why->text);
    return VERDICT_REFUSED;
}

//     A point that                       is
//     is illegal or does not compile     refused, with the reason
//     is not compiled yet                requested and passed over
//     seems too slow now                 passed over, and refused when nothing else is left to
//                                        measure that could make it seem faster
//     takes longer than the time left    measured in a later round
//
// Too slow means more than 100 ms a launch (400 ms on a CPU) and more than the frame's own launches
// take. A variant without any times is tried once even if other variants take up to 1 s. On a busy
// machine a launch on a CPU may wait for a processor: it is slow only if it had that much time of
// its own (backend_work).
//
// An illegal point is refused before it is compiled. A copy needs no module. asks: the builder is
// to compile a missing one; it gets one such request at a time.
static enum verdict judge(struct engine *e, struct frame *frame, bool asks)
{
    const struct choice *c = &frame->choice;
    struct error why = {""};
    if (c->variant &&
        !launch_plan(&frame->plan, c, e->workspace.picture, backend_device(e->backend), NULL, &why))
        return refuse(e, c, &why);
    const double predicted_ms = results_predict(e->results, c);
    if (predicted_ms > e->limit_ms && (predicted_ms > TRY_MS || results_has_variant(e->results, c)))
        return VERDICT_SLOW;
    if (c->variant) {
        const struct launch_build build = launch_build(c);
        const enum builder_state built = (asks ? builder_get : builder_look)(
            e->builder, c->filter, &build, &frame->module, &why);
        if (built == BUILDER_BUILDING) return VERDICT_COMPILING;
        if (built == BUILDER_FAILED) return refuse(e, c, &why);
    }
    frame->is_strict = has_variant(e->distrusted, c);
    if (!frame_plan(frame, e->workspace.picture, &why)) return refuse(e, c, &why);
    if (!e->found) return VERDICT_MEASURE;
    const double spent_ms = (double)(g_get_monotonic_time() - e->points_us) / 1000;
    return predicted_ms > 0 && spent_ms + fmax(BATCH_SPAN_MS, predicted_ms) < BUDGET_MS
               ? VERDICT_MEASURE
               : VERDICT_LATER;
}

// Plans the copy that the shown choice is compared with. False: it is not due.
static bool find_copy(struct engine *e, const struct choice *shown, struct frame *copy)
{
    copy->choice = choice_copy_of(shown);
    const enum result_state state = results_measured(e->results, &copy->choice).state;
    const bool is_due = state != RESULT_DONE || e->round % COPY_EVERY == 0;
    if (e->copied == e->round || !is_due || state == RESULT_REFUSED) return false;
    e->copied = e->round;
    return frame_plan(copy, e->workspace.picture, NULL);
}

// Points that were passed over stay the first ones, because they have no new samples. The search
// goes on behind them until the next round.
static bool find_wanted(struct engine *e, struct frame *point)
{
    bool is_compiling = e->passed_over > 0;
    while (results_next(e->results, e->passed_over, &point->choice)) {
        const enum verdict verdict = judge(e, point, !is_compiling);
        if (verdict == VERDICT_MEASURE) return true;
        if (verdict == VERDICT_LATER) return false;
        is_compiling |= verdict == VERDICT_COMPILING;
        e->passed_over += verdict != VERDICT_REFUSED;
    }
    struct choice slow;  // all that are left seem to be
    while (!e->found && !is_compiling && results_next(e->results, 0, &slow))
        refuse_slow(e, &slow, results_has_variant(e->results, &slow) ? "about" : "up to",
                    results_predict(e->results, &slow));
    return false;
}

// Finds a point that is done and is measured again, to be compared with the shown frame.
static bool find_again(struct engine *e, struct frame *point)
{
    const gint64 now = g_get_monotonic_time();
    if (now < e->again_us || !results_again(e->results, &point->choice)) return false;
    const enum verdict verdict = judge(e, point, true);
    if (verdict == VERDICT_SLOW)
        refuse_slow(e, &point->choice, "about", results_predict(e->results, &point->choice));
    if (verdict == VERDICT_MEASURE) e->again_begun_us = now;
    return verdict == VERDICT_MEASURE;
}

// ---- queueing ----

// known_ms: what the frame's launches take; 0: not known, or there is no frame.
static void begin_round(struct engine *e, struct planes target, double known_ms)
{
    const bool is_gpu = backend_device(e->backend)->is_gpu;
    e->target = target;
    e->round_begun_us = g_get_monotonic_time();
    e->limit_ms = fmax(is_gpu ? GPU_LIMIT_MS : CPU_LIMIT_MS, known_ms);
    e->passed_over = e->found = 0;
    e->round++;
    results_next_round(e->results);
    workspace_forget_weights(&e->workspace);  // another engine may have used the modules since
}

static bool queue(struct engine *e, const struct frame *job, const struct frame_memory *memory,
                  double known_ms, struct error *err)
{
    e->repeats = arrays_are_in_place(&job->choice) ? 1 : batch_repeats(known_ms, MOST_REPEATS);
    if (!backend_mark(e->backend, MARK_BEGIN, err)) return false;
    for (int i = 0; i < e->repeats; i++)
        if (!frame_run(job, memory, err)) return false;
    return backend_mark(e->backend, MARK_END, err);
}

static void take_prints(struct engine *e)
{
    if (!e->has_prints || e->state != ENGINE_FRAME) return;
    g_free(e->printed);
    e->printed = backend_take_prints(e->backend, e->shown.module);
    e->has_prints = false;
}

// True: the shown variant was right on fibers, and begin_frame has not noted that yet.
static bool is_to_judge(const struct engine *e)
{
    const bool is_good = e->check == ENGINE_UNCHECKED ||
                         (e->check == ENGINE_CHECKED && shown_result(e).check != CHECK_WRONG);
    return is_good && !has_variant(e->distrusted, &e->shown.choice) &&
           (e->shown.is_strict ||
            (!backend_is_fast(e->shown.module) && !has_variant(e->judged, &e->shown.choice)));
}

// True if the shown frames run as they will for good: neither on trial, nor on a CPU until faster
// code is compiled.
static bool is_timed(const struct engine *e)
{
    const struct frame *const f = &e->shown;
    return f->is_strict ? e->check == ENGINE_CHECKED || has_variant(e->distrusted, &f->choice)
                        : !e->report.is_generic || backend_device(e->backend)->is_gpu;
}

// Until they are checked, frames are written over poison. Otherwise a pixel that they leave out
// would keep the value of the choice before, and they would be blamed for what that wrote behind an
// array.
static bool begin_frame(struct engine *e, struct planes target, struct error *err)
{
    // A variant's first frames run on fibers, which see races and missing barriers. If they are
    // right, later frames run as fast as they can, and are checked anew.
    if (is_to_judge(e)) {
        add_variant(e->judged, &e->shown.choice);
        if (e->shown.is_strict) {
            e->shown.is_strict = false;
            engine_restart(e);
        }
    }
    const bool is_trial = e->shown.is_strict && !is_timed(e);
    const double known_ms = is_trial ? 0 : shown_result(e).ms.median;
    begin_round(e, target, known_ms);
    e->state = ENGINE_FRAME;
    e->is_repainted = false;
    e->job = &e->shown;
    if (e->check == ENGINE_UNSEEN) e->check = ENGINE_FIRST;
    if (!workspace_prepare(&e->workspace, &e->shown, err)) return false;
    struct frame_memory memory = workspace_of(&e->workspace, &e->shown);
    memory.target = target;
    const bool is_fresh = e->check <= ENGINE_DUE || arrays_are_in_place(&e->shown.choice);
    if (is_fresh && !frame_poison(&e->shown, &memory, err)) return false;
    const double start = wall_ms();
    if (!queue(e, &e->shown, &memory, e->has_prints ? 0 : known_ms, err)) return false;
    e->report.repeats = e->repeats;
    e->report.launch_ms = (wall_ms() - start) / e->repeats;
    return frame_finish(&e->shown, &memory, err);
}

bool engine_begin(struct engine *e, struct planes target, struct error *err)
{
    const bool is_begun = begin_frame(e, target, err);
    if (!is_begun && backend_poll(e->backend, NULL) == BACKEND_FAILED) take_prints(e);
    return is_begun;
}

// Goes on with the round. False: it is complete. True: something is in the queue, or stopped the
// device, as the next poll says.
static bool begin_point(struct engine *e)
{
    struct error err = {""};
    const bool has_frame = e->target.pixels != NULL;
    const bool is_free = !has_frame || (engine_is_settled(e) && e->check != ENGINE_DUE);
    e->begun_ms = backend_work(e->backend).own_ms;
    e->point = (struct frame){.backend = e->backend};
    e->again_begun_us = 0;
    if (!has_frame || !find_copy(e, &e->shown.choice, &e->point)) {
        if (!is_free || !(find_wanted(e, &e->point) || (has_frame && find_again(e, &e->point))))
            return false;
        if (!e->found++) e->points_us = g_get_monotonic_time();
    }
    e->state = ENGINE_POINT;
    e->job = &e->point;
    const struct result known = results_measured(e->results, &e->point.choice);
    const bool is_ready =  // a picture's copy always is
        !e->point.choice.filter || workspace_prepare(&e->workspace, &e->point, &err);
    const struct frame_memory memory = workspace_of(&e->workspace, &e->point);
    e->is_checked_point = known.check == CHECK_UNKNOWN && !e->checking.variant;
    // The kernel of finish= is left out, unless the result is checked.
    if (is_ready && (!e->is_checked_point || frame_poison(&e->point, &memory, &err)) &&
        queue(e, &e->point, &memory, known.ms.median, &err) &&
        (!e->is_checked_point || frame_finish(&e->point, &memory, &err)))
        return true;
    results_refuse(e->results, &e->point.choice, err.text);
    return !backend_wait(e->backend, NULL);  // for a part of a batch
}

// ---- checking ----

// Begins a check in place of the one before.
static enum checker_state begin_check(struct engine *e, const struct choice *choice,
                                      struct checker_task task, struct error *err)
{
    struct frame_memory memory = workspace_of(&e->workspace, task.frame);
    if (task.frame == &e->shown) memory.target = e->target;
    task.memory = &memory;
    task.references = e->references;
    task.source = e->picture;
    const enum checker_state begun = checker_begin(e->checker, &task, err);
    if (begun == CHECKER_RUNNING) e->checking = *choice;
    if (begun != CHECKER_IMPOSSIBLE) return begun;
    e->checking.variant = NULL;
    results_leave_unchecked(e->results, choice, NULL);
    return begun;
}

// Begins the check of the shown frame, if it is due. This ends any other check. False: the device
// failed.
static bool check_shown(struct engine *e, const struct choice *shown, struct error *err)
{
    if (e->check == ENGINE_UNSEEN || e->check > ENGINE_DUE) return true;
    if (!e->shown.arrays.places[ARRAYS_IN].picture.width &&
        shown_result(e).check != CHECK_UNKNOWN) {
        e->check = ENGINE_CHECKED;
        return true;
    }
    const struct checker_task task = {.frame = &e->shown, .has_lines = true};
    const enum checker_state begun = begin_check(e, shown, task, err);
    if (begun == CHECKER_LOST) return false;
    e->check = begun == CHECKER_WAITS        ? ENGINE_DUE
               : begun == CHECKER_IMPOSSIBLE ? ENGINE_UNCHECKED
                                             : ENGINE_CHECKING;
    return true;
}

// Tells the results what a complete check has found. If they have forgotten that, another check is
// due.
static void poll_check(struct engine *e)
{
    struct image_difference found;
    struct error why = {""};
    const enum checker_state state =
        e->checking.variant ? checker_result(e->checker, &found, &why) : CHECKER_RUNNING;
    if (state == CHECKER_DONE) results_check(e->results, &e->checking, found);
    if (state == CHECKER_FAILED) results_leave_unchecked(e->results, &e->checking, why.text);
    if (state != CHECKER_RUNNING) {
        e->checking.variant = NULL;
        if (e->check == ENGINE_CHECKING)
            e->check = state == CHECKER_DONE ? ENGINE_CHECKED : ENGINE_UNCHECKED;
    }
    if (e->check >= ENGINE_UNCHECKED && shown_result(e).check == CHECK_UNKNOWN)
        e->check = ENGINE_DUE;
}

// ---- counting ----

// Reads the wanted element, such as the one under the cursor, and all elements of a short array.
static bool read_elements(struct engine *e, struct error *err)
{
    const struct frame *frame = &e->shown;
    const struct array_place *place = &frame->arrays.places[frame->shown_array];
    const struct frame_memory memory = workspace_of(&e->workspace, frame);
    const long long index = e->wanted_element;
    e->report.element_index = -1;
    e->report.number_count = 0;
    if (!place->picture.width && place->count <= ENGINE_NUMBERS) {
        if (!frame_read(frame, &memory, frame->shown_array, 0, (int)place->count, e->report.numbers,
                        err))
            return false;
        e->report.number_count = (int)place->count;
    }
    if (index < 0 || index >= place->count) return true;
    if (!frame_read(frame, &memory, frame->shown_array, index, 1, &e->report.element, err))
        return false;
    e->report.element_index = index;
    return true;
}

bool engine_may_rest(const struct engine *e)
{
    struct choice wanted;
    if (backend_device(e->backend)->is_gpu || e->check < ENGINE_CHECKING || e->has_prints ||
        e->is_repainted || e->wanted_element != e->report.element_index)
        return false;
    if (is_to_judge(e)) return false;
    if (!is_timed(e)) return true;  // until it is checked, or there is faster code
    const gint64 rested_us = g_get_monotonic_time() - e->round_ended_us,
                 took_us = e->round_ended_us - e->round_begun_us;
    return shown_result(e).is_settled && !results_next(e->results, 0, &wanted) &&
           rested_us < CLAMP(REST_SHARE * took_us, LEAST_REST_US, MOST_REST_US);
}

// Compares a first frame of the fast code with the one on fibers. If they differ, the variant goes
// back there, unless it then gives something else again.
static bool compare_with_fibers(struct engine *e, struct error *err)
{
    uint64_t print;
    const struct choice *const c = &e->shown.choice;
    struct frame_memory memory = workspace_of(&e->workspace, &e->shown);
    memory.target = e->target;
    if (e->check != ENGINE_FIRST || !agreement_may_lack(&e->shown)) return true;
    if (!agreement_print(&e->shown, &memory, &print, err)) return false;
    const bool differs =
        e->on_fibers.variant && choice_is_same(&e->on_fibers, c) && print != e->on_fibers_print;
    if (!e->shown.is_strict && backend_is_fast(e->shown.module)) {
        if (!differs) return true;
        add_variant(e->distrusted, c);
        e->shown.is_strict = true;
        engine_restart(e);
    } else {
        e->on_fibers = *c;
        e->on_fibers_print = print;
        if (!has_variant(e->distrusted, c)) return true;
        if (differs) {
            e->on_fibers.variant = NULL;
            g_ptr_array_remove_fast(e->distrusted, (void *)(uintptr_t)c->variant);
        }
    }
    results_leave_unchecked(e->results, c, has_variant(e->distrusted, c) ? AGREEMENT_LACKS : "");
    return true;
}

// Takes the time of a complete job, and begins its check if that is due.
static bool count(struct engine *e, struct error *err)
{
    const bool is_frame = e->job == &e->shown;
    const struct choice choice = is_frame ? engine_shown(e) : e->point.choice;
    const double own_ms = backend_work(e->backend).own_ms - e->begun_ms;
    double ms;
    if (is_frame) drop_arrays(e, &e->shown);
    if (!backend_elapsed(e->backend, MARK_BEGIN, MARK_END, &ms, err)) return false;
    if (!is_frame || is_timed(e)) results_add(e->results, &choice, ms / e->repeats);
    if (!is_frame) {
        const struct checker_task task = {.frame = &e->point, .most_bytes = 256e6};
        const gint64 now = g_get_monotonic_time();
        const double most_ms = 2 * e->limit_ms, launch_ms = ms / e->repeats;
        if (e->again_begun_us) e->again_us = now + (AGAIN_SHARE - 1) * (now - e->again_begun_us);
        if (launch_ms > most_ms && own_ms >= most_ms) refuse_slow(e, &choice, "about", launch_ms);
        return !e->is_checked_point || begin_check(e, &choice, task, err) != CHECKER_LOST;
    }
    if (!compare_with_fibers(e, err)) return false;
    const bool is_kept = e->check == ENGINE_FIRST && image_fit(&e->kept, e->target, NULL);
    return read_elements(e, err) &&
           (!is_kept || backend_download(e->backend, e->kept.planes, e->target, err)) &&
           check_shown(e, &choice, err);
}

// ---- turns ----

bool engine_is_busy(const struct engine *e)
{
    return e->state >= ENGINE_FRAME && e->state <= ENGINE_LEFT;
}

bool engine_measure(struct engine *e)
{
    poll_check(e);
    if (engine_is_busy(e)) return true;
    begin_round(e, (struct planes){.pixels = NULL}, 0);
    if (!begin_point(e)) e->state = ENGINE_RESTS;
    return engine_is_busy(e);
}

enum backend_state engine_poll(struct engine *e, struct error *err)
{
    poll_check(e);
    if (!engine_is_busy(e)) return BACKEND_IDLE;
    const enum backend_state queue = backend_poll(e->backend, err);
    if (queue == BACKEND_BUSY) {
        // An endless loop in a kernel that is not shown must not stop the picture. A GPU cannot end
        // it.
        const double own_ms = backend_work(e->backend).own_ms - e->begun_ms;
        const double patience_ms = fmax(WAIT_MS, 1.25 * e->limit_ms);
        if (e->state == ENGINE_POINT && e->point.choice.variant && own_ms >= patience_ms) {
            refuse_slow(e, &e->point.choice, "more than", patience_ms);
            e->state = ENGINE_GIVEN_UP;
            backend_cancel(e->backend);
        }
        return queue;
    }
    const bool counts = e->state == ENGINE_FRAME || e->state == ENGINE_POINT;
    take_prints(e);
    if (queue == BACKEND_FAILED || (counts && !count(e, err))) {
        e->state = ENGINE_FAILED;
        return BACKEND_FAILED;
    }
    if (counts && begin_point(e)) return BACKEND_BUSY;
    e->state = ENGINE_RESTS;
    e->round_ended_us = g_get_monotonic_time();
    return BACKEND_IDLE;
}

void engine_leave(struct engine *e)
{
    if (!engine_is_busy(e)) return;
    e->state = ENGINE_LEFT;
    backend_cancel(e->backend);
}

struct choice engine_running(const struct engine *e)
{
    return e->job == &e->point && e->point.choice.variant ? e->point.choice : engine_shown(e);
}

bool engine_find_culprit(const struct engine *e, struct choice *culprit, bool *is_point)
{
    const bool has_failed = e->state == ENGINE_FAILED;
    *culprit = engine_running(e);
    *is_point = has_failed && e->job == &e->point && e->point.choice.variant;
    return *is_point || (has_failed && e->job == &e->shown);
}

#include "measure/live_timer.h"

#include <glib.h>

#include "frame/frame.h"
#include "frame/lab.h"
#include "frame/workspace.h"
#include "measure/batch.h"
#include "measure/beside.h"
#include "measure/figures.h"
#include "measure/result_checker.h"
#include "measure/wall.h"

enum { MARK_BEGIN, MARK_END };
G_STATIC_ASSERT((int)MARK_END < (int)BESIDE_MARK_BEGIN);

struct live_timer {
    struct backend *backend;
    struct builder *builder;
    struct results *results;
    struct workspace workspace;  // of the picture; its target takes all that is not shown

    struct frame frame;  // what is shown; no module: nothing was chosen
    enum live_timer_check check;
    bool is_first;      // the frame in hand, or the complete one, is the first of its choice
    struct image kept;  // what the last such frame has made
    bool is_busy, is_cancelled, has_failed;
    bool has_no_frame;                // what is busy are measurements alone
    struct live_timer_report report;  // without what the results know, and without copies
    double launch_ms;
    long long wanted_element;  // of the shown array; -1: none

    struct planes target;  // of the frame in hand
    struct result_checker checker;
    struct beside beside;
};

// Of a choice of which nothing is known yet.
static void begin_report(struct live_timer *r)
{
    r->report =
        (struct live_timer_report){.repeats = 1, .occupancy = {.limiter = ""}, .element_index = -1};
}

// Nothing that was chosen or brought to the device holds any more.
static void forget(struct live_timer *r)
{
    result_checker_forget(&r->checker);
    r->frame.module = NULL;
    r->check = LIVE_TIMER_UNSEEN;
    r->has_failed = false;  // the choice that stopped the device may be gone
    begin_report(r);
    workspace_forget(&r->workspace);
}

struct live_timer *live_timer_create(struct backend *b, struct builder *builder,
                                     struct results *results)
{
    struct live_timer *r = g_new0(struct live_timer, 1);
    r->backend = b;
    r->builder = builder;
    r->results = results;
    r->checker = (struct result_checker){.results = results, .checker = checker_create()};
    r->wanted_element = -1;
    r->beside = (struct beside){
        .backend = b,
        .results = results,
        .workspace = &r->workspace,
        .checker = &r->checker,
        .scheduler = {.backend = b, .builder = builder, .results = results},
    };
    forget(r);
    return r;
}

void live_timer_destroy(struct live_timer *r)
{
    if (!r) return;
    live_timer_cancel(r);
    backend_wait(r->backend, NULL);
    workspace_finish(&r->workspace);
    checker_destroy(r->checker.checker);
    image_finish(&r->kept);
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
    r->beside.scheduler.picture = workspace.picture;
    beside_set_copy_bytes(&r->beside, 0);
    forget(r);
    return true;
}

void live_timer_adopt(struct live_timer *r, struct builder *builder)
{
    live_timer_cancel(r);
    backend_wait(r->backend, NULL);
    r->builder = r->beside.scheduler.builder = builder;
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

void live_timer_show_anew(struct live_timer *r)
{
    r->check = LIVE_TIMER_UNSEEN;
}

void live_timer_restart(struct live_timer *r)
{
    const struct choice shown = live_timer_shown(r);
    live_timer_show_anew(r);
    if (r->frame.module) results_begin(r->results, &shown);
}

// Times start anew. What does not change from frame to frame is asked for here.
static void show(struct live_timer *r, const struct frame *frame, bool is_generic)
{
    beside_set_copy_bytes(&r->beside, figures_bytes(&frame->choice, r->workspace.picture));
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

// Those of a lab before a picture's frame, which may be as large as the device. Returns false where
// they stay: for a lab. A check that runs has read them, and needs the copies on the host alone.
static bool drop_arrays(struct live_timer *r, const struct frame *frame)
{
    if (frame->choice.filter->is_lab) return false;
    workspace_drop_arrays(&r->workspace);
    if (!r->checker.is_running) result_checker_forget(&r->checker);
    return true;
}

// The arrays of the lab that is still shown may have left no room. If it stays, they come again.
static bool prepare(struct live_timer *r, const struct frame *frame, struct error *err)
{
    if (workspace_prepare(&r->workspace, frame, err)) return true;
    return r->workspace.arrays && drop_arrays(r, frame) &&
           workspace_prepare(&r->workspace, frame, err);
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

    if (!frame_plan(&frame, r->workspace.picture, err) || !prepare(r, &frame, err))
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

bool live_timer_is_unseen(const struct live_timer *r)
{
    return r->check == LIVE_TIMER_UNSEEN;
}

bool live_timer_was_first(const struct live_timer *r, struct planes *copy)
{
    *copy = r->kept.planes;
    return r->is_first;
}

enum live_timer_check live_timer_check(const struct live_timer *r)
{
    return r->check;
}

// ---- one frame ----

static void begin_round(struct live_timer *r, double known_ms)
{
    r->is_cancelled = false;
    beside_begin_round(&r->beside, known_ms);
    results_next_round(r->results);
}

// The weights are brought anew: another timer may have used the module since. Frames are written
// over poison until they are checked, or pixels that they leave out would be those of the choice
// before, and what another choice wrote behind an array would be theirs.
bool live_timer_begin(struct live_timer *r, struct planes target, struct error *err)
{
    const double known_ms = shown_result(r).ms.median;
    const int repeats = batch_repeats(known_ms, BATCH_LIVE_MOST);
    begin_round(r, known_ms);
    r->is_busy = true;
    r->has_no_frame = false;
    r->is_first = live_timer_is_unseen(r);
    r->report.repeats = repeats;
    workspace_forget_weights(&r->workspace);
    if (!workspace_prepare(&r->workspace, &r->frame, err)) return false;
    struct frame_memory memory = workspace_of(&r->workspace, &r->frame);
    memory.target = r->target = target;
    if (r->check <= LIVE_TIMER_DUE && !frame_poison(&r->frame, &memory, err)) return false;
    const double start = wall_ms();
    if (!batch_queue(&r->frame, &memory, repeats, MARK_BEGIN, err)) return false;
    r->launch_ms = (wall_ms() - start) / repeats;
    return frame_finish(&r->frame, &memory, err);
}

// ---- counting ----

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

static bool keep_first(struct live_timer *r, struct error *err)
{
    return !r->is_first || !image_fit(&r->kept, r->target, NULL) ||
           backend_download(r->backend, r->kept.planes, r->target, err);
}

// The checks of points wait for this one, which ends any other.
static bool check_shown(struct live_timer *r, const struct choice *shown, struct error *err)
{
    static const enum live_timer_check checks[] = {[CHECKER_WAITS] = LIVE_TIMER_DUE,
                                                   [CHECKER_IMPOSSIBLE] = LIVE_TIMER_UNCHECKED,
                                                   [CHECKER_BEGUN] = LIVE_TIMER_CHECKING};
    const struct frame_memory memory = workspace_of(&r->workspace, &r->frame);
    const struct checker_task task = {
        .frame = &r->frame, .memory = &memory, .result = r->kept.planes};
    enum checker_begun begun;
    if (r->check > LIVE_TIMER_DUE || (live_timer_is_unseen(r) && !r->is_first)) return true;
    if (!r->kept.planes.pixels) {
        results_leave_unchecked(r->results, shown, "there is no memory to check it in");
        r->check = LIVE_TIMER_UNCHECKED;
        return true;
    }
    if (shown->filter->is_lab && shown_result(r).check != CHECK_UNKNOWN) {
        r->check = LIVE_TIMER_CHECKED;
        return true;
    }
    if (!result_checker_begin(&r->checker, shown, task, &begun, err)) return false;
    r->check = checks[begun];
    return true;
}

static bool count_frame(struct live_timer *r, struct error *err)
{
    double ms;
    const struct choice shown = live_timer_shown(r);
    drop_arrays(r, &r->frame);
    if (!backend_elapsed(r->backend, MARK_BEGIN, MARK_END, &ms, err)) return false;
    results_add(r->results, &shown, ms / r->report.repeats);
    return read_element(r, err) && keep_first(r, err) && check_shown(r, &shown, err);
}

// What was in the queue is complete.
static bool count(struct live_timer *r, struct error *err)
{
    return r->beside.kind == BESIDE_NOTHING ? count_frame(r, err) : beside_count(&r->beside, err);
}

// ---- turns ----

static bool is_settled(const struct live_timer *r)
{
    return shown_result(r).is_settled && !r->report.is_generic;
}

// True: something is in the queue, or stopped the device, as the next poll says.
static bool begin_beside(struct live_timer *r)
{
    return r->has_no_frame
               ? beside_begin(&r->beside, NULL, true)
               : beside_begin(&r->beside, &r->frame, is_settled(r) && r->check != LIVE_TIMER_DUE);
}

// The results may have forgotten what they were told.
static void step_check(struct live_timer *r)
{
    result_checker_poll(&r->checker);
    if (r->check == LIVE_TIMER_CHECKING && !r->checker.is_running)
        r->check = r->checker.is_done ? LIVE_TIMER_CHECKED : LIVE_TIMER_UNCHECKED;
    if (r->check >= LIVE_TIMER_UNCHECKED && shown_result(r).check == CHECK_UNKNOWN)
        r->check = LIVE_TIMER_DUE;
}

bool live_timer_measure(struct live_timer *r)
{
    step_check(r);
    if (r->is_busy) return true;
    begin_round(r, 0);
    workspace_forget_weights(&r->workspace);
    r->has_no_frame = true;
    return r->is_busy = begin_beside(r);
}

enum backend_state live_timer_poll(struct live_timer *r, struct error *err)
{
    step_check(r);
    if (!r->is_busy) return BACKEND_IDLE;
    const enum backend_state state = backend_poll(r->backend, err);
    if (state == BACKEND_BUSY) {
        beside_give_up_late(&r->beside);
        return state;
    }
    r->is_busy = false;
    r->has_failed = state == BACKEND_FAILED;
    if (r->has_failed || r->is_cancelled || r->beside.is_given_up) return state;
    r->has_failed = !count(r, err);
    if (r->has_failed) return BACKEND_FAILED;
    r->is_busy = begin_beside(r);
    return r->is_busy ? BACKEND_BUSY : BACKEND_IDLE;
}

bool live_timer_find_culprit(const struct live_timer *r, struct choice *culprit, bool *is_beside)
{
    *is_beside = false;
    if (!r->has_failed || r->beside.kind == BESIDE_COPY) return false;
    *is_beside = beside_choice(&r->beside) != NULL;
    *culprit = live_timer_running(r);
    return culprit->variant != NULL;
}

void live_timer_cancel(struct live_timer *r)
{
    if (!r->is_busy) return;
    r->is_cancelled = true;
    backend_cancel(r->backend);
}

struct choice live_timer_running(const struct live_timer *r)
{
    const struct choice *beside = beside_choice(&r->beside);
    return beside ? *beside : live_timer_shown(r);
}

double live_timer_launch_ms(const struct live_timer *r)
{
    return r->launch_ms;
}

struct live_timer_report live_timer_report(const struct live_timer *r)
{
    struct live_timer_report report = r->report;
    report.copy_ms = r->beside.copy_ms;
    report.copy_bytes = r->beside.copy_bytes;
    if (!r->frame.module) return report;
    const struct choice shown = live_timer_shown(r);
    report.ms = results_get(r->results, &shown).ms;
    report.is_settled = is_settled(r);
    report.naive_ms = results_naive_ms(r->results, &shown);
    if (r->check == LIVE_TIMER_CHECKING) report.check_done = checker_progress(r->checker.checker);
    return report;
}

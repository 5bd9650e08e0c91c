#include "frame/scheduler.h"

#include <math.h>

#include "base/number.h"
#include "frame/frame.h"
#include "frame/batch.h"

static const double BUDGET_MS = 8;  // a round; the first batch may take longer
// A launch that is predicted to take longer does not run, because it would delay the next frame.
static const double GPU_LIMIT_MS = 100, CPU_LIMIT_MS = 400;
static const double TRY_MS = 1000;  // the same limit where only other variants are known
enum { AGAIN_SHARE = 8 };           // kept points take one part of so many
enum { COPY_EVERY = 8 };            // rounds
static const double WAIT_MS = 500;  // at least, until a launch is given up

enum verdict {
    VERDICT_MEASURE,
    VERDICT_COMPILING,
    VERDICT_SLOW,     // as far as is known now
    VERDICT_LATER,    // in the next round
    VERDICT_REFUSED,  // the results know why
};

void scheduler_begin(struct scheduler *s, double frame_ms)
{
    const bool is_gpu = backend_device(s->backend)->is_gpu;
    s->limit_ms = fmax(is_gpu ? GPU_LIMIT_MS : CPU_LIMIT_MS, frame_ms);
    s->passed_over = s->found = 0;
    s->round++;
}

static void refuse_slow(struct scheduler *s, const struct choice *point, const char *about,
                        double ms)
{
    char figure[32], reason[128];
    const bool is_seconds = ms >= 1000;
    number_three(figure, sizeof figure, is_seconds ? ms / 1000 : ms);
    g_snprintf(reason, sizeof reason, "%s %s %s a launch: too slow here", about, figure,
               is_seconds ? "s" : "ms");
    results_refuse(s->results, point, reason);
}

static enum verdict refuse(struct scheduler *s, const struct choice *point, const struct error *why)
{
    results_refuse(s->results, point, why->text);
    return VERDICT_REFUSED;
}

static bool plan(const struct scheduler *s, struct frame *frame, struct error *err)
{
    if (frame->choice.filter) return frame_plan(frame, s->picture, err);
    arrays_plan_picture(&frame->arrays, s->picture);
    return true;
}

// What is illegal is refused before it is compiled. A copy needs no module. asks: whether the
// builder is to compile a missing one. The scheduler asks for one at a time.
static enum verdict judge(struct scheduler *s, struct frame *frame, bool asks)
{
    const struct choice *c = &frame->choice;
    struct error why = {""};
    if (c->variant &&
        !launch_plan(&frame->plan, c, s->picture, backend_device(s->backend), NULL, &why))
        return refuse(s, c, &why);
    const double predicted_ms = results_predict(s->results, c);
    if (predicted_ms > s->limit_ms && (predicted_ms > TRY_MS || results_has_variant(s->results, c)))
        return VERDICT_SLOW;
    if (c->variant) {
        const struct launch_build build = launch_build(c->filter, &c->settings);
        const enum builder_state built = (asks ? builder_get : builder_look)(
            s->builder, c->filter, build.params, &frame->module, &why);
        if (built == BUILDER_BUILDING) return VERDICT_COMPILING;
        if (built == BUILDER_FAILED) return refuse(s, c, &why);
    }
    if (!plan(s, frame, &why)) return refuse(s, c, &why);
    if (!s->found) return VERDICT_MEASURE;
    const double spent_ms = (double)(g_get_monotonic_time() - s->begun_us) / 1000;
    const bool has_time =
        predicted_ms > 0 && spent_ms + fmax(BATCH_SPAN_MS, predicted_ms) < BUDGET_MS;
    return has_time ? VERDICT_MEASURE : VERDICT_LATER;
}

// The copy that the shown choice is compared with.
static bool find_copy(struct scheduler *s, const struct choice *shown, struct frame *copy)
{
    copy->choice = choice_copy_of(shown);
    const enum result_state state = results_get(s->results, &copy->choice).state;
    const bool is_due = state != RESULT_DONE || s->round % COPY_EVERY == 0;
    if (s->copied == s->round || !is_due || state == RESULT_REFUSED) return false;
    s->copied = s->round;
    return plan(s, copy, NULL);
}

// Points that were passed over stay the first ones, because they have no new samples. The search
// goes on behind them until the next round.
static bool find_wanted(struct scheduler *s, struct frame *point)
{
    bool is_compiling = s->passed_over > 0;
    while (results_next(s->results, s->passed_over, &point->choice)) {
        const enum verdict verdict = judge(s, point, !is_compiling);
        if (verdict == VERDICT_MEASURE) return true;
        if (verdict == VERDICT_LATER) return false;
        is_compiling |= verdict == VERDICT_COMPILING;
        s->passed_over += verdict != VERDICT_REFUSED;
    }
    struct choice slow;  // all that are left seem to be
    while (!s->found && !is_compiling && results_next(s->results, 0, &slow))
        refuse_slow(s, &slow, results_has_variant(s->results, &slow) ? "about" : "up to",
                    results_predict(s->results, &slow));
    return false;
}

// Points that are done are measured again to be compared with the shown frame.
static bool find_again(struct scheduler *s, struct frame *point)
{
    const gint64 now = g_get_monotonic_time();
    if (now < s->again_us || !results_again(s->results, &point->choice)) return false;
    const enum verdict verdict = judge(s, point, false);
    if (verdict == VERDICT_SLOW)
        refuse_slow(s, &point->choice, "about", results_predict(s->results, &point->choice));
    if (verdict == VERDICT_MEASURE) s->again_begun_us = now;
    return verdict == VERDICT_MEASURE;
}

bool scheduler_next(struct scheduler *s, const struct choice *shown, bool is_free,
                    struct frame *point)
{
    *point = (struct frame){.backend = s->backend};
    s->again_begun_us = 0;
    if (shown && find_copy(s, shown, point)) return true;
    if (!is_free || !(find_wanted(s, point) || (shown && find_again(s, point)))) return false;
    if (!s->found++) s->begun_us = g_get_monotonic_time();
    return true;
}

void scheduler_judge(struct scheduler *s, const struct choice *point, double ms, double own_ms)
{
    const gint64 now = g_get_monotonic_time();
    const double most_ms = 2 * s->limit_ms;
    if (s->again_begun_us) s->again_us = now + (AGAIN_SHARE - 1) * (now - s->again_begun_us);
    if (ms > most_ms && own_ms >= most_ms) refuse_slow(s, point, "about", ms);
}

bool scheduler_gives_up(struct scheduler *s, const struct choice *point, double own_ms)
{
    const double patience_ms = fmax(WAIT_MS, 1.25 * s->limit_ms);
    if (own_ms < patience_ms) return false;
    refuse_slow(s, point, "more than", patience_ms);
    return true;
}

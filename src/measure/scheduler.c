#include "measure/scheduler.h"

#include <math.h>

#include "base/number.h"
#include "frame/frame.h"
#include "measure/batch.h"

static const double BUDGET_MS = 8;  // beside one frame; the first batch may take longer
// A launch that is predicted to take longer does not run beside a frame, because it would delay the
// next one.
static const double GPU_LIMIT_MS = 100, CPU_LIMIT_MS = 400;
static const double TRY_MS = 1000;  // the same limit where only other variants are known
enum { AGAIN_SHARE = 8 };           // kept points take one part of so many
static const double WAIT_MS = 500;  // at least, until a launch is given up

enum verdict {
    VERDICT_MEASURE,
    VERDICT_COMPILING,
    VERDICT_SLOW,     // as far as is known now
    VERDICT_LATER,    // beside the next frame
    VERDICT_REFUSED,  // the results know why
};

void scheduler_begin(struct scheduler *s, double frame_ms)
{
    const bool is_gpu = backend_device(s->backend)->is_gpu;
    s->limit_ms = fmax(is_gpu ? GPU_LIMIT_MS : CPU_LIMIT_MS, frame_ms);
    s->passed_over = s->found = 0;
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

static bool is_slow(const struct scheduler *s, const struct choice *point, double predicted_ms)
{
    if (predicted_ms <= s->limit_ms) return false;
    return predicted_ms > TRY_MS || results_has_variant(s->results, point);
}

static bool has_time(const struct scheduler *s, double predicted_ms)
{
    if (!s->found) return true;
    const double spent_ms = (double)(g_get_monotonic_time() - s->begun_us) / 1000;
    return predicted_ms > 0 && spent_ms + fmax(BATCH_SPAN_MS, predicted_ms) < BUDGET_MS;
}

// A copy needs no module.
static enum verdict judge_copy(struct scheduler *s, struct frame *frame)
{
    struct error why = {""};
    const double predicted_ms = results_predict(s->results, &frame->choice);
    if (is_slow(s, &frame->choice, predicted_ms)) return VERDICT_SLOW;
    if (!frame_plan(frame, s->picture, &why)) return refuse(s, &frame->choice, &why);
    return has_time(s, predicted_ms) ? VERDICT_MEASURE : VERDICT_LATER;
}

// asks: whether the builder is to compile a missing module. The scheduler asks for one at a time.
static enum verdict judge(struct scheduler *s, struct frame *frame, bool asks)
{
    const struct choice *c = &frame->choice;
    struct error why = {""};
    if (!c->variant) return judge_copy(s, frame);
    if (!launch_plan(&frame->plan, c, s->picture, backend_device(s->backend), NULL, &why))
        return refuse(s, c, &why);
    const double predicted_ms = results_predict(s->results, c);
    if (is_slow(s, c, predicted_ms)) return VERDICT_SLOW;

    const struct launch_build build = launch_build(c->filter, &c->settings);
    switch ((asks ? builder_get : builder_look)(s->builder, c->filter, build.params, &frame->module,
                                                &why)) {
    case BUILDER_BUILDING:
        return VERDICT_COMPILING;
    case BUILDER_FAILED:
        return refuse(s, c, &why);
    case BUILDER_READY:
        break;
    }
    if (!frame_plan(frame, s->picture, &why)) return refuse(s, c, &why);
    return has_time(s, predicted_ms) ? VERDICT_MEASURE : VERDICT_LATER;
}

static void refuse_all_slow(struct scheduler *s)
{
    struct choice point;
    while (results_next(s->results, 0, &point))
        refuse_slow(s, &point, results_has_variant(s->results, &point) ? "about" : "up to",
                    results_predict(s->results, &point));
}

// Points that were passed over stay the first ones, because they have no new samples. The search
// goes on behind them until the next frame.
bool scheduler_next(struct scheduler *s, struct frame *point)
{
    bool is_compiling = s->passed_over > 0;
    s->is_again = false;
    *point = (struct frame){.backend = s->backend};
    while (results_next(s->results, s->passed_over, &point->choice)) {
        switch (judge(s, point, !is_compiling)) {
        case VERDICT_MEASURE:
            if (!s->found++) s->begun_us = g_get_monotonic_time();
            s->found_ms = backend_work(s->backend).own_ms;
            return true;
        case VERDICT_LATER:
            return false;
        case VERDICT_COMPILING:
            is_compiling = true;
            s->passed_over++;
            break;
        case VERDICT_SLOW:
            s->passed_over++;
            break;
        case VERDICT_REFUSED:
            break;
        }
    }
    if (!s->found && !is_compiling) refuse_all_slow(s);
    return false;
}

bool scheduler_again(struct scheduler *s, struct frame *point)
{
    s->found_us = g_get_monotonic_time();
    *point = (struct frame){.backend = s->backend};
    if (s->found_us < s->again_us || !results_again(s->results, &point->choice)) return false;
    const enum verdict verdict = judge(s, point, false);
    if (verdict == VERDICT_SLOW)
        refuse_slow(s, &point->choice, "about", results_predict(s->results, &point->choice));
    s->is_again = verdict == VERDICT_MEASURE;
    if (s->is_again && !s->found++) s->begun_us = s->found_us;
    s->found_ms = backend_work(s->backend).own_ms;
    return s->is_again;
}

// Whether the last point took that long because of itself.
static bool has_had(const struct scheduler *s, double ms)
{
    return backend_work(s->backend).own_ms - s->found_ms >= ms;
}

void scheduler_judge(struct scheduler *s, const struct choice *point, double ms)
{
    const gint64 now = g_get_monotonic_time();
    if (s->is_again) s->again_us = now + (AGAIN_SHARE - 1) * (now - s->found_us);
    const double most_ms = 2 * s->limit_ms;
    if (ms > most_ms && has_had(s, most_ms)) refuse_slow(s, point, "about", ms);
}

bool scheduler_gives_up(struct scheduler *s, const struct choice *point, double own_ms)
{
    const double patience_ms = fmax(WAIT_MS, 1.25 * s->limit_ms);
    if (own_ms < patience_ms) return false;
    refuse_slow(s, point, "more than", patience_ms);
    return true;
}

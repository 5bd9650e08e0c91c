#include "scout.h"

#include <math.h>

#include "figure.h"
#include "frame.h"

static const double BUDGET_MS = 8;  // beside one frame; the first batch may take longer
// Launches that seem longer than that are not run beside: a GPU's hold the next picture up.
static const double GPU_LIMIT_MS = 100, CPU_LIMIT_MS = 400;
static const double TRY_MS = 1000;   // nor that, when only other variants make it seem so
static const double WAIT_MS = 500;   // for a launch to come back
static const double BATCH_MS = 0.2;  // a batch is about that long at least

enum verdict {
    VERDICT_MEASURE,
    VERDICT_COMPILING,
    VERDICT_SLOW,     // as far as is known now
    VERDICT_LATER,    // beside the next frame
    VERDICT_REFUSED,  // the survey knows why
};

void scout_begin(struct scout *s, double frame_ms)
{
    const bool is_gpu = backend_device(s->backend)->is_gpu;
    s->limit_ms = fmax(is_gpu ? GPU_LIMIT_MS : CPU_LIMIT_MS, frame_ms);
    s->passed_over = s->found = 0;
}

static void refuse_slow(struct scout *s, const struct survey_point *point, const char *about,
                        double ms)
{
    char figure[32], reason[128];
    const bool is_seconds = ms >= 1000;
    figure_three(figure, sizeof figure, is_seconds ? ms / 1000 : ms);
    g_snprintf(reason, sizeof reason, "%s %s %s a launch: too slow here", about, figure,
               is_seconds ? "s" : "ms");
    survey_refuse(s->survey, point, reason);
}

static enum verdict refuse(struct scout *s, const struct survey_point *point,
                           const struct error *why)
{
    survey_refuse(s->survey, point, why->text);
    return VERDICT_REFUSED;
}

static bool is_slow(const struct scout *s, const struct survey_point *point, double predicted_ms)
{
    if (predicted_ms <= s->limit_ms) return false;
    return predicted_ms > TRY_MS || survey_knows(s->survey, point);
}

static bool has_time(const struct scout *s, double predicted_ms)
{
    if (!s->found) return true;
    const double spent_ms = (double)(g_get_monotonic_time() - s->begun_us) / 1000;
    return predicted_ms > 0 && spent_ms + fmax(BATCH_MS, predicted_ms) < BUDGET_MS;
}

// asks: whether the builder is to compile what it has not got. It keeps no long list: one module is
// asked for at a time.
static enum verdict judge(struct scout *s, const struct survey_point *point, bool asks,
                          const struct module **module)
{
    struct frame frame = {.backend = s->backend,
                          .filter = point->filter,
                          .variant = point->variant,
                          .settings = point->settings,
                          .source = s->picture};
    struct launch_plan plan;
    struct error why = {""};
    if (!launch_plan(&plan, frame.filter, frame.variant, &frame.settings, s->picture,
                     backend_device(s->backend), NULL, &why))
        return refuse(s, point, &why);
    const double predicted_ms = survey_predict(s->survey, point);
    if (is_slow(s, point, predicted_ms)) return VERDICT_SLOW;

    const int radius = launch_compiled_radius(frame.filter, &frame.settings);
    switch ((asks ? builder_get : builder_look)(s->builder, frame.filter, radius, module, &why)) {
    case BUILDER_BUILDING:
        return VERDICT_COMPILING;
    case BUILDER_FAILED:
        return refuse(s, point, &why);
    case BUILDER_READY:
        break;
    }
    frame.module = *module;
    if (!frame_plan(&frame, &plan, &why)) return refuse(s, point, &why);
    return has_time(s, predicted_ms) ? VERDICT_MEASURE : VERDICT_LATER;
}

static void refuse_all_slow(struct scout *s)
{
    struct survey_point point;
    while (survey_next(s->survey, 0, &point))
        refuse_slow(s, &point, survey_knows(s->survey, &point) ? "about" : "up to",
                    survey_predict(s->survey, &point));
}

// Candidates passed over stay the first ones, as nothing is measured of them: the search goes on
// behind them until the next frame.
bool scout_next(struct scout *s, struct survey_point *point, const struct module **module)
{
    bool is_compiling = s->passed_over > 0;
    while (survey_next(s->survey, s->passed_over, point)) {
        switch (judge(s, point, !is_compiling, module)) {
        case VERDICT_MEASURE:
            if (!s->found++) s->begun_us = g_get_monotonic_time();
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

void scout_judge(struct scout *s, const struct survey_point *point, double ms)
{
    if (ms > 2 * s->limit_ms) refuse_slow(s, point, "about", ms);
}

bool scout_gives_up(struct scout *s, const struct survey_point *point, double ms)
{
    const double patience_ms = fmax(WAIT_MS, 1.25 * s->limit_ms);
    if (ms < patience_ms) return false;
    refuse_slow(s, point, "more than", patience_ms);
    return true;
}

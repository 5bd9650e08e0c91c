// viewer_tour.c -- the job that plays a tour (tour.h): it presses the keys, and fills the captions
// with what was measured here.
#include <glib.h>
#include <string.h>

#include "base/figure.h"
#include "measure/figures.h"
#include "viewer/viewer.h"

enum { MAX_FIGURES = 16 };

// ---- figures ----

// A figure's launch of a variant: as it is shown, or in its default block, and with the figure's
// value. False: the shown filter has no such thing.
static bool point_of(const struct choice *shown, const char *name, const struct tour_figure *f,
                     struct choice *point)
{
    const struct variant *variant = *name ? filter_variant(shown->filter, name) : shown->variant;
    struct error ignored;
    if (!variant) return false;
    *point = choice_of_variant(shown, variant);
    struct param_values *params = &point->settings.params;
    return !*f->value || (filter_set_param(shown->filter, params, f->param, f->value, &ignored) &&
                          filter_check(shown->filter, params, &ignored));
}

static struct result result_of(const struct viewer *v, const char *name,
                               const struct tour_figure *f)
{
    struct choice point;
    if (!point_of(&viewer_facts(v, v->app.side)->choice, name, f, &point))
        return (struct result){.state = RESULT_UNKNOWN};
    return results_get(stage_results(v->stage), &point);
}

// 0: not known yet.
static double ms_of(const struct viewer *v, const char *name, const struct tour_figure *f)
{
    const struct result known = result_of(v, name, f);
    return known.state == RESULT_DONE ? known.ms.median : 0;
}

static bool is_wrong(const struct viewer *v, const char *name, const struct tour_figure *f)
{
    return result_of(v, name, f).check == CHECK_WRONG;
}

// A time stands with a mark where its result is wrong.
static bool write_ms(char *text, size_t size, const struct viewer *v, const struct tour_figure *f)
{
    const double ms = ms_of(v, f->variant, f);
    if (ms <= 0) return false;
    figure_three(text, size, ms);
    if (is_wrong(v, f->variant, f)) g_strlcat(text, " (wrong)", size);
    return true;
}

// The shown variant is compared with naive as in the headline, even if it is naive in another
// block.
static double other_ms_of(const struct viewer *v, const struct tour_figure *f)
{
    const struct choice shown = viewer_choice(v, v->app.side);
    struct choice point;
    if (*f->variant || strcmp(f->other, "naive") != 0) return ms_of(v, f->other, f);
    return point_of(&shown, "", f, &point) ? results_naive_ms(stage_results(v->stage), &point) : 0;
}

// Times of wrong results are not compared.
static bool write_speed_up(char *text, size_t size, const struct viewer *v,
                           const struct tour_figure *f)
{
    if (is_wrong(v, f->variant, f) || is_wrong(v, f->other, f))
        return g_strlcpy(text, "(wrong)", size) > 0;
    const double speed_up = figures_speed_up(ms_of(v, f->variant, f), other_ms_of(v, f));
    if (speed_up <= 0) return false;
    figure_three(text, size, speed_up);
    return true;
}

static bool write_number(char *text, size_t size, double number)
{
    if (number <= 0) return false;
    figure_three(text, size, number);
    return true;
}

static bool write_param(char *text, size_t size, const struct choice *shown, const char *name)
{
    const int index = filter_param(shown->filter, name);
    char value[FILTER_VALUE];
    if (index < 0) return false;
    filter_write_value(&shown->filter->params[index], shown->settings.params.v[index], value);
    return g_strlcpy(text, value, size) > 0;
}

static bool write_figure(void *user, const struct tour_figure *figure, char *text, size_t size)
{
    const struct viewer *v = user;
    const struct caption_facts *f = viewer_facts(v, v->app.side);
    switch (figure->kind) {
    case TOUR_MS:
        return write_ms(text, size, v, figure);
    case TOUR_SPEED_UP:
        return write_speed_up(text, size, v, figure);
    case TOUR_COPY:
        return write_number(text, size,
                            figures_percent_of_copy(ms_of(v, "", figure), f->report.copy_ms));
    case TOUR_DEVICE:
        return g_strlcpy(text, f->device->name, size) > 0;
    case TOUR_FILTER:
        return g_strlcpy(text, f->choice.filter->name, size) > 0;
    case TOUR_VARIANT:
        return g_strlcpy(text, f->choice.variant->name, size) > 0;
    case TOUR_PARAM:
        return write_param(text, size, &f->choice, figure->param);
    }
    return false;
}

// What is shown as it is shown is measured anyway.
static int add_told(const struct choice *now, const char *name, const struct tour_figure *f,
                    struct choice *points, int count, int max)
{
    struct choice point;
    if ((!*name && !*f->value) || count == max || !point_of(now, name, f, &point)) return count;
    for (int i = 0; i < count; i++)
        if (choice_is_same(&points[i], &point)) return count;
    points[count] = point;
    return count + 1;
}

int viewer_told(const struct viewer *v, const struct choice *now, struct choice *points, int max)
{
    struct tour_figure figures[MAX_FIGURES];
    int told = 0;
    if (!v->told_caption) return 0;
    const int count = tour_figures(v->told_caption, figures, MAX_FIGURES);
    for (int i = 0; i < count; i++) {
        const struct tour_figure *f = &figures[i];
        if (f->kind == TOUR_MS || f->kind == TOUR_SPEED_UP)
            told = add_told(now, f->variant, f, points, told, max);
        if (f->kind == TOUR_SPEED_UP) told = add_told(now, f->other, f, points, told, max);
    }
    return told;
}

// What planning refuses is never measured.
static bool is_known(const struct viewer *v, const struct choice *point)
{
    const struct caption_facts *f = viewer_facts(v, v->app.side);
    struct launch_plan plan;
    struct error ignored;
    const enum result_state state = results_get(stage_results(v->stage), point).state;
    return state == RESULT_DONE || state == RESULT_REFUSED ||
           !launch_plan(&plan, point, f->picture, f->device, NULL, &ignored);
}

// Whether every figure of the caption is there that can be had.
static bool has_figures(const struct viewer *v)
{
    struct choice points[FILTER_MAX_VARIANTS];
    const struct choice shown = viewer_choice(v, v->app.side);
    const int count = viewer_told(v, &shown, points, G_N_ELEMENTS(points));
    for (int i = 0; i < count; i++)
        if (!is_known(v, &points[i])) return false;
    return true;
}

// ---- turn by turn ----

static void step(void *job, struct viewer *v)
{
    struct tour_play *play = job;
    const char *before = play->caption;
    if (!v->app.has_tour || !v->now.sides) return;
    play->tour = &v->tour;
    if (viewer_take(v, INPUT_GO_ON)) tour_go_on(play);
    const bool is_settled = viewer_is_settled(v) && has_figures(v) && !jobs_are_busy(v->jobs);
    const char *key = tour_turn(play, (double)g_get_monotonic_time() / 1e6, is_settled);
    if (key) viewer_press(v, key);
    if (before != play->caption) v->needs_caption = true;
    v->told_caption = play->caption;
    if (!tour_is_over(play)) return;
    v->app.has_tour = false;
    viewer_note(v, "the tour is over");
}

static void write_caption(void *job, struct viewer *v)
{
    const struct tour_play *play = job;
    struct overlay_content *c = &v->content;
    if (v->app.has_tour) g_strlcpy(c->hint, "space  goes on", sizeof c->hint);
    if (!play->caption) return;
    char *text = tour_fill(play->caption, write_figure, v);
    g_strlcpy(c->caption, text, sizeof c->caption);
    g_free(text);
}

const struct job_type tour_job = {.size = sizeof(struct tour_play),
                                  .step = {[JOB_PRESSES] = step, [JOB_WRITES] = write_caption}};

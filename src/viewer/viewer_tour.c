// viewer_tour.c -- the job that plays a tour (tour.h): it presses the keys, and fills the captions
// with what was measured here.
#include <glib.h>
#include <string.h>

#include "base/figure.h"
#include "measure/figures.h"
#include "viewer/viewer.h"

enum { MAX_FIGURES = 16 };

// ---- figures ----

// The result of a variant at the present settings: as it is shown, or in its default block.
static struct result result_of(const struct viewer *v, const char *name)
{
    const struct caption_facts *now = viewer_facts(v, v->app.side);
    const struct choice *shown = &now->choice;
    const struct variant *variant = *name ? filter_variant(shown->filter, name) : shown->variant;
    if (!variant) return (struct result){.state = RESULT_UNKNOWN};
    const struct choice point = choice_of_variant(shown, variant);
    return results_get(stage_results(v->stage), &point);
}

// 0: not known yet.
static double ms_of(const struct viewer *v, const char *name)
{
    const struct result known = result_of(v, name);
    return known.state == RESULT_DONE ? known.ms.median : 0;
}

static bool is_wrong(const struct viewer *v, const char *name)
{
    return result_of(v, name).check == CHECK_WRONG;
}

// A time stands with a mark where its result is wrong.
static bool write_ms(char *text, size_t size, const struct viewer *v, const char *name)
{
    const double ms = ms_of(v, name);
    if (ms <= 0) return false;
    figure_three(text, size, ms);
    if (is_wrong(v, name)) g_strlcat(text, " (wrong)", size);
    return true;
}

// The shown variant is compared with naive as in the headline, even if it is naive in another
// block.
static double other_ms_of(const struct viewer *v, const char *name, const char *other)
{
    const struct choice shown = viewer_choice(v, v->app.side);
    if (*name || strcmp(other, "naive") != 0) return ms_of(v, other);
    return results_naive_ms(stage_results(v->stage), &shown);
}

// Times of wrong results are not compared.
static bool write_speed_up(char *text, size_t size, const struct viewer *v, const char *name,
                           const char *other)
{
    if (is_wrong(v, name) || is_wrong(v, other)) return g_strlcpy(text, "(wrong)", size) > 0;
    const double speed_up = figures_speed_up(ms_of(v, name), other_ms_of(v, name, other));
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

static bool write_radius(char *text, size_t size, const struct caption_facts *f)
{
    const int index = filter_radius(f->choice.filter);
    if (index < 0) return false;
    g_snprintf(text, size, "%g", f->choice.settings.params.v[index]);
    return true;
}

static bool write_figure(void *user, const struct tour_figure *figure, char *text, size_t size)
{
    const struct viewer *v = user;
    const struct caption_facts *f = viewer_facts(v, v->app.side);
    switch (figure->kind) {
    case TOUR_MS:
        return write_ms(text, size, v, figure->variant);
    case TOUR_SPEED_UP:
        return write_speed_up(text, size, v, figure->variant, figure->other);
    case TOUR_COPY:
        return write_number(text, size, figures_percent_of_copy(ms_of(v, ""), f->report.copy_ms));
    case TOUR_DEVICE:
        return g_strlcpy(text, f->device->name, size) > 0;
    case TOUR_FILTER:
        return g_strlcpy(text, f->choice.filter->name, size) > 0;
    case TOUR_VARIANT:
        return g_strlcpy(text, f->choice.variant->name, size) > 0;
    case TOUR_RADIUS:
        return write_radius(text, size, f);
    }
    return false;
}

static unsigned bit_of(const struct filter *f, const char *name)
{
    const struct variant *variant = *name ? filter_variant(f, name) : NULL;
    return variant ? 1u << (variant - f->variants) : 0;
}

static unsigned told_variants(const struct tour_play *play, const struct viewer *v)
{
    struct tour_figure figures[MAX_FIGURES];
    unsigned variants = 0;
    if (!play->caption) return 0;
    const int count = tour_figures(play->caption, figures, MAX_FIGURES);
    for (int i = 0; i < MIN(count, MAX_FIGURES); i++)
        variants |= bit_of(app_filter(&v->app), figures[i].variant) |
                    bit_of(app_filter(&v->app), figures[i].other);
    return variants;
}

// Whether every figure of the caption is there that can be had.
static bool has_figures(const struct tour_play *play, struct viewer *v)
{
    const struct filter *f = app_filter(&v->app);
    const unsigned variants = told_variants(play, v);
    for (int i = 0; i < f->variant_count; i++) {
        if (!(variants & 1u << i)) continue;
        const enum result_state state = result_of(v, f->variants[i].name).state;
        if (state != RESULT_DONE && state != RESULT_REFUSED) return false;
    }
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
    const bool is_settled = viewer_is_settled(v) && has_figures(play, v) && !jobs_are_busy(v->jobs);
    const char *key = tour_turn(play, (double)g_get_monotonic_time() / 1e6, is_settled);
    if (key) viewer_press(v, key);
    if (before != play->caption) v->needs_caption = true;
    v->told_variants = told_variants(play, v);
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

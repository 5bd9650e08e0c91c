// viewer_extent.c -- how much of a large picture the window works on: the rule, and the job that
// follows it, the user, and the jobs that need the whole.
#include <glib.h>

#include "viewer/viewer.h"

static const long long LARGE = 1000000;  // pixels; a copy has no more

// ---- the rule ----

bool viewer_extent_is_reduced(enum extent extent)
{
    return extent == EXTENT_TRIED || extent == EXTENT_REDUCED || extent == EXTENT_USERS_REDUCED;
}

enum extent viewer_extent_after(enum extent now, const struct extent_facts *facts)
{
    switch (now) {
    case EXTENT_NEW:
        return facts->limit_ms <= 0 ? EXTENT_USERS_WHOLE
               : facts->has_copy    ? EXTENT_TRIED
                                    : EXTENT_WHOLE;
    case EXTENT_TRIED:
        if (facts->whole_ms <= 0) return now;
        return facts->whole_ms <= facts->limit_ms ? EXTENT_WHOLE : EXTENT_REDUCED;
    case EXTENT_WHOLE:
        return facts->has_copy && facts->whole_ms > facts->limit_ms ? EXTENT_REDUCED : now;
    case EXTENT_REDUCED:
    case EXTENT_USERS_WHOLE:
    case EXTENT_USERS_REDUCED:
        break;
    }
    return now;
}

static long long count_pixels(struct planes p, int factor)
{
    return (long long)((p.width - 1) / factor + 1) * ((p.height - 1) / factor + 1);
}

int viewer_extent_factor(struct planes whole)
{
    int factor = 1;
    while (count_pixels(whole, factor) > LARGE) factor++;
    return factor;
}

// ---- what is shown ----

static struct extent_facts facts_of(const struct viewer *v, const struct image *reduced)
{
    return (struct extent_facts){.has_copy =
                                     reduced->planes.pixels && !v->stage->host.device->is_gpu,
                                 .limit_ms = v->options->reduce_above_ms};
}

static bool is_to_be_reduced(const struct viewer *v, enum extent extent,
                             const struct extent_facts *facts)
{
    return viewer_extent_is_reduced(extent) && !v->extent.is_held && facts->has_copy;
}

bool viewer_begin_extent(struct viewer *v, const struct image *whole, const struct image *reduced,
                         struct error *err)
{
    struct viewer_extent *e = &v->extent;
    const struct extent_facts facts = facts_of(v, reduced);
    const bool is_users = e->chosen >= EXTENT_USERS_WHOLE;
    const enum extent chosen = is_users ? e->chosen : viewer_extent_after(EXTENT_NEW, &facts);
    const bool is_reduced = is_to_be_reduced(v, chosen, &facts);
    if (!stage_set_picture(v->stage, is_reduced ? reduced->planes : whole->planes, err))
        return false;
    e->chosen = chosen;
    e->is_reduced = is_reduced;
    e->has_failed = false;
    return true;
}

bool viewer_need_whole(struct viewer *v)
{
    v->extent.is_needed = true;
    return !v->extent.is_reduced || v->extent.has_failed;
}

unsigned viewer_pixels_version(const struct viewer *v)
{
    return 2 * v->pictures.version + v->extent.is_reduced;
}

// ---- the job ----

static void turn_over(struct viewer *v, bool has_copy)
{
    struct viewer_extent *e = &v->extent;
    const char *why = v->stage->host.device->is_gpu ? "a GPU shows all of a picture, however large"
                      : !viewer_is_of_pictures(v)   ? "a lab's arrays are never reduced"
                      : !has_copy                   ? "this picture is small: all of it is shown"
                      : e->is_held || e->is_needed
                          ? "all of the picture is shown as long as its figures are needed"
                          : NULL;
    if (!why) e->chosen = e->is_reduced ? EXTENT_USERS_WHOLE : EXTENT_USERS_REDUCED;
    viewer_note(v, why             ? why
                   : e->is_reduced ? "from now on, all of a picture is shown"
                                   : "from now on, large pictures are shown reduced");
}

// While a lab is shown, its results are not forgotten for the sake of a picture.
static void follow(void *job, struct viewer *v)
{
    struct viewer_extent *e = &v->extent;
    const struct viewer_pictures *p = &v->pictures;
    const struct extent_facts facts = facts_of(v, &p->reduced);
    struct error err = {""};
    (void)job;
    if (viewer_take(v, INPUT_EXTENT) % 2) turn_over(v, facts.has_copy);
    e->is_held = e->is_needed;
    e->is_needed = e->is_due = false;
    const bool is_reduced = is_to_be_reduced(v, e->chosen, &facts);
    const bool is_put_off = !e->is_held && !viewer_is_of_pictures(v);
    if (is_reduced == e->is_reduced || e->has_failed || is_put_off) return;
    v->screen.needs_words = true;
    e->has_failed =
        !stage_set_picture(v->stage, is_reduced ? p->reduced.planes : p->whole.planes, &err);
    if (e->has_failed)
        viewer_note(v, err.text);
    else
        e->is_reduced = is_reduced;
}

// By this device's own times; of two pictures, the slower one. 0: not known.
static double predict_ms(const struct viewer *v)
{
    const double ratio = (double)count_pixels(v->pictures.whole.planes, 1) /
                         (double)count_pixels(v->stage->host.picture, 1);
    const struct results *results = v->stage->host.results;
    double slowest_ms = 0;
    if (v->extent.is_reduced && !v->now.is_settled) return 0;
    for (int i = 0; i < v->now.sides; i++) {
        const struct choice *choice = &viewer_facts(v, i)->choice;
        double ms = 0;
        if (v->extent.is_reduced)
            ms = ratio * results_measured(results, choice).ms.median;
        else if (results_has_variant(results, choice))
            ms = results_predict(results, choice);
        slowest_ms = MAX(slowest_ms, ms);
    }
    return slowest_ms;
}

static void judge(void *job, struct viewer *v)
{
    struct viewer_extent *e = &v->extent;
    struct extent_facts facts = facts_of(v, &v->pictures.reduced);
    (void)job;
    if (e->is_held || !facts.has_copy || !viewer_is_of_pictures(v) || !viewer_shows_chosen(v))
        return;
    facts.whole_ms = predict_ms(v);
    e->chosen = viewer_extent_after(e->chosen, &facts);
    e->is_due = is_to_be_reduced(v, e->chosen, &facts) != e->is_reduced && !e->has_failed;
}

const struct job_type extent_job = {.step = {[JOB_FOLLOWS] = follow, [JOB_SHOWS] = judge}};

#include "viewer/tour_marks.h"

#include <glib.h>
#include <string.h>

#include "app/state.h"
#include "viewer/viewer.h"

void tour_marks_set(struct tour_mark *m, const struct viewer *v, const struct tour_play *play)
{
    tour_marks_clear(m);
    m->state = state_write(&v->app, &(struct state_picture){.is_grey = v->pictures.is_grey});
    memcpy(m->sides, v->app.sides, sizeof m->sides);
    m->has_compared = v->app.has_compared;
    m->filters_version = v->filters_version;
    m->picture = v->app.picture;
    memcpy(m->lens_cursors, v->lens.cursors, sizeof m->lens_cursors);
    memcpy(m->lens_steps, v->app.lens_steps, sizeof m->lens_steps);
    m->play = *play;
    m->play.is_hurrying = false;
}

void tour_marks_clear(struct tour_mark *m)
{
    g_free(m->state);
    *m = (struct tour_mark){.state = NULL};
}

// What a state of the lecture leaves alone.
static void take_over(struct viewer *v, struct app *next)
{
    const struct app *now = &v->app;
    next->is_light = now->is_light;
    next->is_bare = now->is_bare;
    next->is_fullscreen = now->is_fullscreen;
    next->text_scale = now->text_scale;
    next->has_vsync = now->has_vsync;
    next->has_tour = now->has_tour;
    next->tour_steps = now->tour_steps;
    next->tour_step = now->tour_step;
    next->is_saved_broken = now->is_saved_broken;
    v->app = *next;
    v->input.held[0] = '\0';
    v->lens.line.line = 0;
    v->screen.needs_words = v->screen.needs_draw = true;
}

void tour_marks_reset(struct viewer *v)
{
    const struct choice_words none = {.filter = NULL};
    struct choice first;
    struct app next;
    app_init(&next, v->app.filters, v->app.picture_count);
    if (choice_read(&first, &none, v->app.filters, NULL))
        next.sides[APP_A].filter = (int)(first.filter - v->app.filters->filters);
    next.picture = v->app.picture;
    next.is_staged = v->app.is_staged;
    take_over(v, &next);
    memset(v->lens.cursors, 0, sizeof v->lens.cursors);
}

bool tour_marks_has_left(const struct tour_mark *m, const struct viewer *v)
{
    if (!m->state || m->filters_version != v->filters_version) return false;
    for (int side = 0; side < app_sides(&v->app); side++) {
        const struct app_side *then = &m->sides[side], *now = &v->app.sides[side];
        const struct app_choice *was = &then->choices[then->filter],
                                *is = &now->choices[now->filter];
        if (then->filter != now->filter || was->variant != is->variant ||
            !choice_settings_are_same(&was->settings, &is->settings))
            return true;
    }
    return false;
}

static bool read_state(const struct tour_mark *m, const struct viewer *v, struct app *next)
{
    struct state_picture unused = {0};
    struct error ignored;
    if (!m->state) return false;
    app_init(next, v->app.filters, v->app.picture_count);
    const bool is_read = state_read(next, &unused, m->state, "the tour's step", &ignored);
    state_picture_finish(&unused);
    if (!is_read) return false;
    if (m->filters_version == v->filters_version) {
        memcpy(next->sides, m->sides, sizeof next->sides);
        next->has_compared = m->has_compared;
    }
    return true;
}

struct choice tour_marks_choice(const struct tour_mark *start, const struct viewer *v, int step)
{
    struct app a;
    enum input_request unused;
    const struct tour_step *last = &v->tour.file.steps[step];
    if (!read_state(start, v, &a)) return (struct choice){.filter = NULL};
    a.has_tour = true;
    for (int i = 0; i < last->first + last->count; i++)
        for (char **key = v->tour.file.lines[i].keys; key && *key; key++)
            input_press(&a, *key, &unused);
    return app_chosen(&a, a.side);
}

bool tour_marks_restore(const struct tour_mark *m, struct viewer *v, struct tour_play *play)
{
    struct app next;
    if (!read_state(m, v, &next)) return false;
    // Since the mark was made, other pictures may have been dropped.
    next.picture = m->picture < v->app.picture_count ? m->picture : v->app.picture;
    memcpy(next.lens_steps, m->lens_steps, sizeof next.lens_steps);
    take_over(v, &next);
    memcpy(v->lens.cursors, m->lens_cursors, sizeof v->lens.cursors);
    *play = m->play;
    return true;
}

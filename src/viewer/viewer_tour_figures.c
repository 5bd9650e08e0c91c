// viewer_tour_figures.c -- the figures of a tour's words: what is measured and counted for them
// here, and their values (tour/tour_value.h).
#include <glib.h>
#include <string.h>

#include "frame/frame.h"
#include "tour/tour_value.h"
#include "viewer/viewer.h"

static struct tour_source source_of(struct viewer *v, const struct choice *shown);

static const struct lens_result *find_block(void *user, const struct choice *point,
                                            struct error *why)
{
    struct viewer *v = user;
    const struct tour_source source = source_of(v, point);
    struct tracing_request request = tour_value_block(&source, point);
    request.picture_version = v->pictures.version;
    request.filters_version = v->filters_version;
    traces_want(v->lens.traces, &request, TRACES_FIGURE);
    const struct traces_found found = traces_get(v->lens.traces, &request, TRACES_FIGURE);
    if (found.why)
        error_set(why, "%s: %.*s", point->variant->name, (int)strcspn(found.why, "\n"), found.why);
    return found.result;
}

static bool find_kernels(void *user, const struct choice *point, struct tour_kernels *kernels,
                         struct error *why)
{
    const struct viewer *v = user;
    struct frame frame;
    return stage_plan(v->stage, point, &frame, why) && tour_value_kernels(&frame, kernels, why);
}

static bool find_screen(void *user, const char *path, struct tour_screen_times *times,
                        struct error *why)
{
    const struct viewer *v = user;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    enum interop_path wanted = now->path;
    if (*path && !now->device->is_gpu)
        return error_set(why, "no GPU: pictures take the path %s", interop_path_name(now->path));
    if (*path) interop_path_parse(path, &wanted);
    *times = v->tour.path_times.times[wanted];
    if (!times->host.count && wanted != now->path)
        error_set(why, "the path %s was not taken with these settings", path);
    return times->host.count > 0;
}

static struct tour_source source_of(struct viewer *v, const struct choice *shown)
{
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    return (struct tour_source){.shown = *shown,
                                .picture = v->stage->host.picture,
                                .device = now->device,
                                .results = v->stage->host.results,
                                .user = v,
                                .block = find_block,
                                .kernels = find_kernels,
                                .screen = find_screen};
}

struct tour_value viewer_find_figure(void *viewer, const struct tour_figure *figure)
{
    struct viewer *v = viewer;
    const struct tour_source source = source_of(v, &viewer_facts(v, v->app.side)->choice);
    return tour_value_find(&source, figure);
}

// ---- what is to be measured ----

// What is shown as it is shown is measured anyway.
static int add_point(const struct choice *point, const struct choice *now, struct choice *points,
                     int count, int max)
{
    if (count == max || choice_is_same(point, now)) return count;
    for (int i = 0; i < count; i++)
        if (choice_is_same(&points[i], point)) return count;
    points[count] = *point;
    return count + 1;
}

int viewer_told(struct viewer *v, const struct choice *now, struct choice *points, int max)
{
    struct tour_figure figures[TOUR_MAX_FIGURES];
    int told = 0;
    if (!v->tour.play) return 0;
    const struct tour_source source = source_of(v, now);
    const int count = tour_play_figures(v->tour.play, figures, TOUR_MAX_FIGURES);
    for (int i = 0; i < count; i++) {
        struct choice own[TOUR_VALUE_POINTS];
        if (!tour_figure_is_time(&figures[i])) continue;
        const int own_count = tour_value_points(&source, &figures[i], own);
        for (int k = 0; k < own_count; k++) told = add_point(&own[k], now, points, told, max);
    }
    return told;
}

// Times are measured beside frames, or while a shown choice is refused.
static bool is_measuring(const struct viewer *v)
{
    for (int i = 0; i < v->now.sides; i++) {
        const enum trouble_kind trouble = v->stage->panes[i].trouble.kind;
        if (trouble != TROUBLE_NONE && trouble != TROUBLE_REFUSED) return false;
    }
    return !v->app.is_frozen;
}

// A copy is measured only beside a choice that runs.
static bool can_come(const struct viewer *v, const struct tour_figure *figure)
{
    return figure->kind != TOUR_COPY && (!tour_figure_is_time(figure) || is_measuring(v));
}

bool viewer_has_figures(struct viewer *v)
{
    struct tour_figure figures[TOUR_MAX_FIGURES];
    const int count = v->tour.play ? tour_play_figures(v->tour.play, figures, TOUR_MAX_FIGURES) : 0;
    const struct choice shown = viewer_choice(v, v->app.side);
    const struct tour_source source = source_of(v, &shown);
    for (int i = 0; i < count; i++)
        if (can_come(v, &figures[i]) && tour_value_find(&source, &figures[i]).known == TOUR_PENDING)
            return false;
    return true;
}

// viewer_tour_figures.c -- what a tour's words tell and point to. The figures: what is measured and
// counted for them here, and their values (tour/tour_value.h). The places: it opens what is closed,
// and marks them; the source's job finds a line.
#include <string.h>

#include "frame/frame.h"
#include "tour/tour_value.h"
#include "viewer/viewer.h"

static const struct lens_result *find_block(void *user, const struct tracing_request *asked,
                                            struct error *why)
{
    struct viewer *v = user;
    struct tracing_request request = *asked;
    request.picture_version = viewer_pixels_version(v);
    request.filters_version = v->kernels.version;
    traces_want(v->lens.traces, &request, TRACES_FIGURE);
    const struct traces_found found = traces_get(v->lens.traces, &request, TRACES_FIGURE);
    if (found.why)
        error_set(why, "%s: %.*s", request.choice.variant->name, (int)strcspn(found.why, "\n"),
                  found.why);
    return found.result;
}

static bool plan(void *user, const struct choice *point, struct frame *frame, struct error *why)
{
    return stage_plan(((const struct viewer *)user)->stage, point, frame, why);
}

static bool find_screen(void *user, const char *path, struct tour_screen_times *times,
                        struct error *why)
{
    const struct viewer *v = user;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    enum interop_path wanted = now->path;
    if (*path && !now->device->is_gpu) return error_set(why, "not known without a GPU");
    if (*path) interop_path_parse(path, &wanted);
    *times = v->tour.path_times.times[wanted];
    if (!times->host.count && wanted != now->path)
        error_set(why, "the path %s was not taken with these settings", path);
    return times->host.count > 0;
}

// shown: the user's choice, whatever a job shows in its place.
static struct tour_source source_of(struct viewer *v, const struct choice *shown)
{
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    return (struct tour_source){.shown = *shown,
                                .picture = v->stage->host.picture,
                                .device = now->device,
                                .results = v->stage->host.results,
                                .user = v,
                                .block = find_block,
                                .plan = plan,
                                .screen = find_screen};
}

// That the tour's words tell of.
static struct choice told_choice(const struct viewer *v)
{
    const bool is_known = v->tour.told.filter && v->tour.told_version == v->kernels.version;
    return is_known ? v->tour.told : app_chosen(&v->app, v->app.side);
}

struct tour_value viewer_find_figure(void *viewer, const struct tour_figure *figure)
{
    struct viewer *v = viewer;
    const struct choice shown = told_choice(v);
    const struct tour_source source = source_of(v, &shown);
    return tour_value_find(&source, figure);
}

struct tour_value viewer_find_present(void *viewer, const struct tour_figure *figure)
{
    struct viewer *v = viewer;
    const struct choice shown = app_chosen(&v->app, v->app.side);
    const struct tour_source source = source_of(v, &shown);
    return tour_value_find(&source, figure);
}

char *viewer_fill(struct viewer *v, const char *caption)
{
    const struct choice shown = told_choice(v);
    const struct tour_source source = source_of(v, &shown);
    return tour_value_fill(&source, caption, viewer_find_figure, v);
}

// ---- what is to be measured ----

int viewer_told(struct viewer *v, const struct choice *now, struct choice *points, int max)
{
    struct tour_figure figures[TOUR_MAX_FIGURES];
    int told = 0;
    if (!v->tour.play) return 0;
    const struct choice shown = told_choice(v);
    const struct tour_source source = source_of(v, &shown);
    const int count = tour_play_figures(v->tour.play, figures, TOUR_MAX_FIGURES);
    for (int i = 0; i < count; i++) {
        struct choice own[TOUR_VALUE_POINTS];
        if (!tour_figure_is_time(&figures[i])) continue;
        const int own_count = tour_value_points(&source, &figures[i], own);
        for (int k = 0; k < own_count && told < max; k++) {
            bool is_known = choice_is_same(&own[k], now);  // that is measured anyway
            for (int n = 0; n < told; n++) is_known |= choice_is_same(&points[n], &own[k]);
            if (!is_known) points[told++] = own[k];
        }
    }
    return told;
}

bool viewer_has_figures(struct viewer *v)
{
    struct tour_figure figures[TOUR_MAX_FIGURES];
    const int count = v->tour.play ? tour_play_figures(v->tour.play, figures, TOUR_MAX_FIGURES) : 0;
    const struct choice shown = told_choice(v);
    const struct tour_source source = source_of(v, &shown);
    // Times are measured between frames, or while a shown choice is refused.
    bool is_measuring = !v->app.is_frozen;
    for (int i = 0; i < v->now.sides; i++) {
        const enum trouble_kind trouble = v->stage->panes[i].trouble.kind;
        is_measuring &= trouble == TROUBLE_NONE || trouble == TROUBLE_REFUSED;
    }
    for (int i = 0; i < count; i++) {
        // A copy is measured only while a choice runs.
        const bool can_come =
            figures[i].kind != TOUR_COPY && (is_measuring || !tour_figure_is_time(&figures[i]));
        if (can_come && tour_value_find(&source, &figures[i]).known == TOUR_PENDING) return false;
    }
    return true;
}

void viewer_note_path(struct viewer *v)
{
    struct viewer_path_times *p = &v->tour.path_times;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    const bool is_settled =
        now->frame_ms.count >= STATS_SETTLED && now->host_ms.count >= STATS_SETTLED;
    if (!p->vsync || strcmp(p->vsync, now->vsync) != 0 ||
        !choice_is_same(&p->choice, &now->choice) ||
        !planes_is_same_shape(p->picture, now->picture))
        *p = (struct viewer_path_times){
            .choice = now->choice, .picture = now->picture, .vsync = now->vsync};
    if (now->is_current && is_settled)
        p->times[now->path] = (struct tour_screen_times){now->frame_ms, now->host_ms};
}

// ---- what it points to ----

// By tour_place: what is marked.
static const struct {
    enum overlay_pointed kind;
    int index;  // of the panel, or of A's dock
} places[] = {
    [TOUR_BARS] = {OVERLAY_POINTED_PANEL, OVERLAY_BARS},
    [TOUR_SWEEP] = {OVERLAY_POINTED_PANEL, OVERLAY_SWEEP},
    [TOUR_HEAT] = {OVERLAY_POINTED_PANEL, OVERLAY_HEAT},
    [TOUR_BLOCK] = {OVERLAY_POINTED_PANEL, OVERLAY_GRID},
    [TOUR_SOURCE] = {OVERLAY_POINTED_DOCK, OVERLAY_SOURCE_A},
    [TOUR_LENS] = {OVERLAY_POINTED_DOCK, OVERLAY_LENS_A},
    [TOUR_LENS_FULL] = {OVERLAY_POINTED_NONE, 0},
    [TOUR_SHARING] = {OVERLAY_POINTED_NONE, 0},
    [TOUR_SOURCE_LINE] = {OVERLAY_POINTED_NONE, 0},
    [TOUR_SPOT] = {OVERLAY_POINTED_SPOT, 0},
};

void viewer_point_tour(struct viewer *v, const struct tour_pointer *to)
{
    const struct tour_pointer *was = &v->tour.pointed;
    if (was->place == to->place && was->line == to->line && was->x == to->x && was->y == to->y &&
        was->is_relative == to->is_relative)
        return;
    v->tour.pointed = *to;
    v->tour.is_pointed_new = true;
    v->screen.needs_words = true;
    const char *key;
    for (int i = 0; i < TOUR_OPENING_KEYS && (key = tour_opening_key(to->place, &v->app)); i++)
        viewer_press(v, key, false);
}

void viewer_write_pointer(struct viewer *v)
{
    struct overlay_pointer *p = &v->screen.content.pointer;
    const enum tour_place place = v->tour.pointed.place;
    if (place == TOUR_SOURCE_LINE) return;
    *p = (struct overlay_pointer){.kind = places[place].kind, .index = places[place].index};
    if (p->kind == OVERLAY_POINTED_DOCK) p->index += v->app.side;
    if (p->kind != OVERLAY_POINTED_SPOT) return;
    const struct tour_pointer *to = &v->tour.pointed;
    double across, down;
    const struct paint_box box = viewer_place(v, &across, &down);
    p->x = box.left + (to->is_relative ? to->x * box.width : (to->x + 0.5) * across);
    p->y = box.top + (to->is_relative ? to->y * box.height : (to->y + 0.5) * down);
}

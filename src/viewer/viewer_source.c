// viewer_source.c -- the job of the source docks: the text that runs beside its picture, and what
// the mouse means in it.
#include <glib.h>

#include "app/docks.h"
#include "device/headers.h"
#include "screen/source_model.h"
#include "viewer/viewer.h"

enum { WHEEL_LINES = 3 };

struct source_job {
    struct source_model *models[APP_SIDES];
    struct headers headers;                     // as they were when the filters were read
    unsigned version;                           // of the filters, plus one; 0: none was read
    const struct variant *variants[APP_SIDES];  // shown last
};

static void open_models(void *job, const struct options *options)
{
    struct source_job *s = job;
    (void)options;
    for (int i = 0; i < APP_SIDES; i++) s->models[i] = source_model_create();
}

static void finish(void *job)
{
    struct source_job *s = job;
    for (int i = 0; i < APP_SIDES; i++) source_model_destroy(s->models[i]);
    headers_finish(&s->headers);
}

// With the filters, so that their texts belong together. Headers that cannot be read now leave the
// old ones.
static void read_headers(struct source_job *s, const struct viewer *v)
{
    struct headers found;
    struct error ignored;
    char *folder = options_include_folder(v->options);
    if (headers_load(&found, folder, &ignored)) {
        headers_finish(&s->headers);
        s->headers = found;
    }
    g_free(folder);
}

// Another variant is shown from its first line on. What a saved state opens with stays.
static void follow_variant(struct source_job *s, struct viewer *v, int side)
{
    const struct variant *now = viewer_choice(v, side).variant;
    if (s->variants[side] && s->variants[side] != now) v->app.scrolls[side].first = 0;
    s->variants[side] = now;
}

static void step(void *job, struct viewer *v)
{
    struct source_job *s = job;
    if (s->version != v->filters_version + 1) {
        read_headers(s, v);
        s->version = v->filters_version + 1;
        for (int i = 0; i < APP_SIDES; i++) s->variants[i] = NULL;
    }
    for (int i = 0; i < APP_SIDES; i++) follow_variant(s, v, i);
}

static const struct listing *listing_of(struct source_job *s, struct viewer *v, int side)
{
    static const char *const letters[] = {"A", "B"};
    const struct choice choice = viewer_choice(v, side);
    const struct source_model_facts facts = {.filter = choice.filter,
                                             .variant = choice.variant,
                                             .headers = &s->headers,
                                             .version = s->version,
                                             .letter = v->app.is_comparing ? letters[side] : "",
                                             .has_changes = v->app.has_changes,
                                             .is_broken = v->app.is_saved_broken};
    source_model_update(s->models[side], &facts);
    struct listing *listing = source_model_listing(s->models[side]);
    listing->first = (int)v->app.scrolls[side].first;
    listing->is_active = v->app.is_comparing && v->app.side == side;
    return listing;
}

static void write_source(void *job, struct viewer *v)
{
    struct source_job *s = job;
    const int sides = v->app.is_comparing ? APP_SIDES : 1;
    for (int i = 0; i < APP_SIDES; i++)
        v->content.docks.source[i] = v->app.has_source && i < sides ? listing_of(s, v, i) : NULL;
}

// How far keys may scroll is known once it is drawn.
static void read_scrolls(void *job, struct viewer *v)
{
    (void)job;
    for (int i = 0; i < APP_SIDES; i++) {
        struct listing_scroll scroll;
        const enum overlay_dock dock = i == APP_A ? OVERLAY_SOURCE_A : OVERLAY_SOURCE_B;
        if (!overlay_dock_scroll(v->overlay, dock, &scroll)) continue;
        v->app.scrolls[i].last = scroll.last;
        v->app.scrolls[i].page = scroll.page;
    }
}

const struct job_type source_job = {
    .size = sizeof(struct source_job),
    .open = open_models,
    .step = {[JOB_FOLLOWS] = step, [JOB_WRITES] = write_source, [JOB_TELLS] = read_scrolls},
    .finish = finish};

// ---- the mouse ----

static int side_at(const struct viewer *v, int x, int y)
{
    enum overlay_dock dock;
    if (x < 0 || !overlay_find_dock(v->overlay, x + 0.5, y + 0.5, &dock)) return -1;
    return dock == OVERLAY_SOURCE_A ? APP_A : APP_B;
}

bool viewer_is_over_source(const struct viewer *v, int x, int y)
{
    return side_at(v, x, y) >= 0;
}

bool viewer_wheel_source(struct viewer *v, int steps)
{
    const int side = side_at(v, v->pointer.x, v->pointer.y);
    if (side < 0) return false;
    docks_scroll_lines(&v->app, side, -WHEEL_LINES * steps);
    v->needs_caption = true;
    return true;
}

bool viewer_click_source(struct viewer *v)
{
    const int side = side_at(v, v->pointer.x, v->pointer.y);
    if (side < 0) return false;
    v->app.side = side;
    return true;
}

#include "lens/traces.h"

#include <glib.h>

#include "base/image.h"
#include "lens/tracer.h"

static const gint64 KEPT_US = 2 * G_USEC_PER_SEC;
enum { UNUSED = TRACES_FIGURE + 1 };

// What is known of a request.
struct trace_entry {
    struct tracing_request request;
    int use;         // enum traces_use: the foremost since the last poll; or UNUSED
    bool is_figure;  // wanted on and on
    bool has_steps;
    gint64 unused_us;            // since when nobody wants it; 0: somebody does
    struct lens_result *result;  // owned; NULL: not traced
    char *why;                   // owned; NULL: it has not failed
};

// A thread that traces.
struct lane {
    struct tracer *tracer;        // NULL: nothing was ever asked for
    struct trace_entry *running;  // NULL: nothing runs
    unsigned number;
    struct tracer_progress progress;
    enum tracer_state state;
    gint64 unused_us;
    bool is_at_rest;
};
enum { BLOCKS, WHOLE, LANES };

struct traces {
    char *include;
    bool is_alone;
    struct lane lanes[LANES];
    GPtrArray *entries;
    struct image copy;  // of the picture
    unsigned picture_version;
};

static void free_entry(gpointer data)
{
    struct trace_entry *e = data;
    lens_result_free(e->result);
    g_free(e->why);
    g_free(e);
}

struct traces *traces_create(const char *include, bool is_alone)
{
    struct traces *t = g_new0(struct traces, 1);
    t->include = g_strdup(include);
    t->is_alone = is_alone;
    t->entries = g_ptr_array_new_with_free_func(free_entry);
    return t;
}

void traces_destroy(struct traces *t)
{
    if (!t) return;
    for (int i = 0; i < LANES; i++) tracer_destroy(t->lanes[i].tracer);
    g_ptr_array_unref(t->entries);
    image_finish(&t->copy);
    g_free(t->include);
    g_free(t);
}

// ---- entries ----

static struct trace_entry *entry_at(const struct traces *t, guint i)
{
    return t->entries->pdata[i];
}

static struct trace_entry *find(const struct traces *t, const struct tracing_request *r)
{
    for (guint i = 0; i < t->entries->len; i++)
        if (tracing_is_same(&entry_at(t, i)->request, r)) return entry_at(t, i);
    return NULL;
}

static bool is_known(const struct trace_entry *e, int use)
{
    return e->why || (e->result && (use != TRACES_STEPS || e->has_steps));
}

static bool is_of(const struct trace_entry *e, const struct traces_scene *scene)
{
    return e->request.picture_version == scene->picture_version &&
           e->request.filters_version == scene->filters_version;
}

static bool is_in(const struct traces *t, const struct trace_entry *e, const struct lane *lane)
{
    return lane == &t->lanes[e->request.is_whole ? WHOLE : BLOCKS];
}

void traces_want(struct traces *t, const struct tracing_request *r, enum traces_use use)
{
    struct trace_entry *e = find(t, r);
    if (!e) {
        e = g_new0(struct trace_entry, 1);
        e->request = *r;
        e->use = UNUSED;
        g_ptr_array_add(t->entries, e);
    }
    e->use = MIN(e->use, (int)use);
    e->is_figure |= use == TRACES_FIGURE;
}

// ---- what was traced ----

static void keep(const struct traces *t, struct trace_entry *e, struct lens_result *result)
{
    lens_result_free(e->result);
    e->result = result;
    e->has_steps = e->use == TRACES_STEPS || t->is_alone;
    if (!e->has_steps) lens_result_drop_steps(result);
}

// True: there is news.
static bool take(const struct traces *t, struct lane *lane)
{
    const enum tracer_state state = lane->state;
    const int percent = (int)(100 * lane->progress.part);
    if (!lane->running) return false;
    lane->state = tracer_poll(lane->tracer, &lane->progress);
    if (lane->state == TRACER_FAILED) lane->running->why = g_strdup(lane->progress.why.text);
    struct lens_result *result = lane->state == TRACER_DONE ? tracer_take(lane->tracer) : NULL;
    if (result && result->number == lane->number)
        keep(t, lane->running, g_steal_pointer(&result));
    else
        lens_result_free(result);
    if (lane->state != TRACER_BUILDING && lane->state != TRACER_TRACING) lane->running = NULL;
    return lane->state != state || (int)(100 * lane->progress.part) != percent;
}

// ---- what goes ----

// Whether it has been unused for so long that nobody is likely to come back to it.
static bool is_over(gint64 *unused_us, bool is_used, gint64 now)
{
    if (is_used || !*unused_us) *unused_us = is_used ? 0 : now;
    return !is_used && now - *unused_us >= KEPT_US;
}

static void drop_unused(struct traces *t, const struct traces_scene *scene, gint64 now)
{
    for (guint i = t->entries->len; i-- > 0;) {
        struct trace_entry *e = entry_at(t, i);
        const bool is_running = e == t->lanes[BLOCKS].running || e == t->lanes[WHOLE].running;
        e->is_figure &= is_of(e, scene);
        if (e->use == UNUSED && e->is_figure) e->use = TRACES_FIGURE;
        if (is_over(&e->unused_us, e->use != UNUSED || is_running, now))
            g_ptr_array_remove_index(t->entries, i);
    }
}

// Those that nobody wants lose their steps, the one that was wanted longest ago first.
static void drop_steps(struct traces *t)
{
    for (;;) {
        struct trace_entry *oldest = NULL;
        int count = 0;
        for (guint i = 0; i < t->entries->len; i++) {
            struct trace_entry *e = entry_at(t, i);
            count += e->has_steps;
            const bool is_free = e->has_steps && e->use != TRACES_STEPS;
            if (is_free && (!oldest || e->unused_us < oldest->unused_us)) oldest = e;
        }
        if (count <= SHARE_MAX_BLOCKS || !oldest) return;
        lens_result_drop_steps(oldest->result);
        oldest->has_steps = false;
    }
}

// ---- asking ----

// False: there is no memory for it.
static bool bring_picture(struct traces *t, const struct traces_scene *scene, struct error *err)
{
    const struct planes p = scene->picture;
    if (t->is_alone || t->picture_version == scene->picture_version) return true;
    for (int i = 0; i < LANES; i++) {
        if (t->lanes[i].tracer) tracer_drain(t->lanes[i].tracer);
        t->lanes[i].running = NULL;
    }
    image_finish(&t->copy);
    t->picture_version = 0;
    if (!image_init(&t->copy, p.width, p.height, p.count, err)) return false;
    image_copy(t->copy.planes, p);
    t->picture_version = scene->picture_version;
    return true;
}

static void ask(struct traces *t, struct lane *lane, struct trace_entry *e,
                const struct traces_scene *scene)
{
    struct error err = {""};
    struct tracing_request r = e->request;
    const enum share share = t->is_alone           ? SHARE_ALONE
                             : e->request.is_whole ? SHARE_WHOLE
                                                   : SHARE_BLOCKS;
    if (!bring_picture(t, scene, &err)) {
        e->why = g_strdup(err.text);
        return;
    }
    r.picture = t->is_alone ? scene->picture : t->copy.planes;
    if (!lane->tracer) lane->tracer = tracer_create(t->include, share);
    lane->number = tracer_ask(lane->tracer, &r);
    lane->running = e;
    lane->state = TRACER_BUILDING;
    lane->progress.part = 0;
    lane->is_at_rest = false;
}

static bool is_candidate(const struct traces *t, const struct trace_entry *e,
                         const struct lane *lane, const struct traces_scene *scene)
{
    return e->use != UNUSED && !is_known(e, e->use) && is_of(e, scene) && is_in(t, e, lane);
}

static void go_on(struct traces *t, struct lane *lane, const struct traces_scene *scene)
{
    struct trace_entry *next = lane->running;
    if (next && !is_candidate(t, next, lane, scene)) next = NULL;
    for (guint i = 0; i < t->entries->len; i++) {
        struct trace_entry *e = entry_at(t, i);
        if (is_candidate(t, e, lane, scene) && (!next || e->use < next->use)) next = e;
    }
    if (next && next != lane->running) ask(t, lane, next, scene);
    if (!next && lane->running) tracer_cancel(lane->tracer);
    if (!next) lane->running = NULL;
}

// Whether somebody wants what a lane traces. Figures that are known need no device.
static bool is_used(const struct traces *t, const struct lane *lane)
{
    if (lane->running || t->is_alone) return true;
    for (guint i = 0; i < t->entries->len; i++)
        if (is_in(t, entry_at(t, i), lane) && entry_at(t, i)->use < TRACES_FIGURE) return true;
    return false;
}

static void rest(struct lane *lane)
{
    if (!lane->tracer || lane->is_at_rest) return;
    tracer_rest(lane->tracer);
    lane->is_at_rest = true;
}

bool traces_poll(struct traces *t, const struct traces_scene *scene)
{
    const gint64 now = g_get_monotonic_time();
    bool is_new = false;
    drop_unused(t, scene, now);
    if (!t->is_alone) drop_steps(t);
    for (int i = 0; i < LANES; i++) is_new |= take(t, &t->lanes[i]);
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = &t->lanes[i];
        go_on(t, lane, scene);
        if (is_over(&lane->unused_us, is_used(t, lane), now)) rest(lane);
    }
    for (guint i = 0; i < t->entries->len; i++) entry_at(t, i)->use = UNUSED;
    return is_new;
}

bool traces_are_busy(const struct traces *t)
{
    return t->lanes[BLOCKS].running || t->lanes[WHOLE].running;
}

// ---- what is known ----

struct traces_found traces_get(const struct traces *t, const struct tracing_request *r,
                               enum traces_use use)
{
    const struct trace_entry *e = find(t, r);
    struct traces_found found = {.state = e ? TRACES_WAITING : TRACES_UNKNOWN};
    if (e && is_known(e, use))
        return (struct traces_found){.state = e->why ? TRACES_FAILED : TRACES_DONE,
                                     .result = e->why ? NULL : e->result,
                                     .why = e->why};
    for (int i = 0; e && i < LANES; i++) {
        const struct lane *lane = &t->lanes[i];
        if (lane->running != e) continue;
        found.state = lane->state == TRACER_BUILDING ? TRACES_BUILDING : TRACES_TRACING;
        found.percent = (int)(100 * lane->progress.part);
    }
    return found;
}

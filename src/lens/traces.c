#include "lens/traces.h"

#include <glib.h>
#include <malloc.h>

#include "base/image.h"
#include "base/signals.h"

static const gint64 KEPT_US = 2 * G_USEC_PER_SEC;
enum { UNUSED = TRACES_FIGURE + 1 };

// A request and its results so far.
struct trace_entry {
    struct tracing_request request;
    int use;         // enum traces_use: the foremost since the last poll; or UNUSED
    bool is_figure;  // wanted on and on
    bool has_steps;
    gint64 unused_us;            // since when nobody wants it; 0: somebody does
    struct lens_result *result;  // owned; NULL: not traced
    char *why;                   // owned; NULL: it has not failed
};

// A request that a thread traces, and its outcome.
struct job {
    struct tracing_request request;
    struct filter *filter;  // the request's own copy
    struct lens_result *result;
    struct error why;
    bool is_done, is_dropped;  // dropped: it is not begun any more, and the thread frees it
};

// Traces one job at a time (tracing.h does the work) on a thread of its own. A newer job takes the
// present one's place, unless that is still compiling what the newer one needs, too.
struct lane {
    struct trace_entry *running;  // NULL: nothing runs
    struct job *job;              // its own: that waits, is traced, or is done
    enum traces_state state;
    int percent;
    gint64 unused_us;
    bool is_at_rest;  // no device is kept, or it is just closed

    const char *include;
    enum share share;
    GThreadPool *pool;
    struct tracing *tracing;  // its thread's
    GMutex lock;              // of the jobs
    GCond changed;            // there is no traced one any more
    struct job *traced;
    struct tracing_watch watch;
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

// ---- a thread ----

static void free_job(struct job *j)
{
    filter_free(j->filter);
    lens_result_free(j->result);
    g_free(j);
}

// data is a job to trace, or the lane itself, which then closes its device.
static void work(gpointer data, gpointer user)
{
    struct lane *const l = user;
    struct job *const j = data;
    if (data == l) {
        g_clear_pointer(&l->tracing, tracing_destroy);
        malloc_trim(0);  // pieces that were freed one by one stay with the allocator until then
        return;
    }
    g_mutex_lock(&l->lock);
    if (!j->is_dropped) {
        l->traced = j;
        atomic_store(&l->watch.cancel, false);
        atomic_store(&l->watch.cancel_build, false);
        atomic_store(&l->watch.permille, 0);
        g_mutex_unlock(&l->lock);
        if (!l->tracing) l->tracing = tracing_create(l->include, l->share, &j->why);
        if (l->tracing) j->result = tracing_run(l->tracing, &j->request, &l->watch, &j->why);
        g_mutex_lock(&l->lock);
        l->traced = NULL;
        j->is_done = true;
    }
    if (j->is_dropped) free_job(j);
    g_cond_broadcast(&l->changed);
    g_mutex_unlock(&l->lock);
}

// ---- what it is told ----

// Replaces the lane's job; next NULL: by none. The caller holds the lock.
static void replace_job(struct lane *l, struct job *next)
{
    const struct job *const t = l->traced;
    const bool needs_build = next && t &&
                             t->request.filters_version == next->request.filters_version &&
                             filter_has_same_text(t->filter, next->filter);
    if (t) atomic_store(&l->watch.cancel, true);
    if (t && !needs_build) atomic_store(&l->watch.cancel_build, true);
    if (l->job && !l->job->is_done)
        l->job->is_dropped = true;
    else if (l->job)
        free_job(l->job);
    l->job = next;
}

static void cancel(struct lane *l)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&l->lock);
    replace_job(l, NULL);
    l->running = NULL;
}

// ---- the record ----

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
    for (int i = 0; i < LANES; i++) {
        struct lane *l = &t->lanes[i];
        l->include = t->include;
        l->share = is_alone ? SHARE_ALONE : i == WHOLE ? SHARE_WHOLE : SHARE_BLOCKS;
        l->pool = g_thread_pool_new(work, l, 1, false, NULL);
        l->is_at_rest = true;
        g_mutex_init(&l->lock);
        g_cond_init(&l->changed);
    }
    return t;
}

void traces_destroy(struct traces *t)
{
    if (!t) return;
    for (int i = 0; i < LANES; i++) {
        struct lane *l = &t->lanes[i];
        cancel(l);
        g_thread_pool_free(l->pool, false, true);
        tracing_destroy(l->tracing);
        g_mutex_clear(&l->lock);
        g_cond_clear(&l->changed);
    }
    g_ptr_array_unref(t->entries);
    image_finish(&t->copy);
    g_free(t->include);
    g_free(t);
}

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

// Takes over what a lane has traced. True: there is news.
static bool take(const struct traces *t, struct lane *l)
{
    const enum traces_state state = l->state;
    const int percent = l->percent;
    struct trace_entry *const e = l->running;
    if (!e) return false;
    g_mutex_lock(&l->lock);
    struct job *const j = l->job;
    const bool is_begun = j == l->traced, is_done = j->is_done;
    l->state = is_begun && !atomic_load(&l->watch.is_building) ? TRACES_TRACING : TRACES_BUILDING;
    l->percent = is_begun ? (int)(atomic_load(&l->watch.permille) / 10) : 0;
    g_mutex_unlock(&l->lock);
    if (!is_done) return l->state != state || l->percent != percent;
    if (j->result) {
        lens_result_free(e->result);
        e->result = g_steal_pointer(&j->result);
        e->has_steps = (e->use == TRACES_STEPS && j->request.has_sectors == j->request.is_whole) ||
                       t->is_alone;
        if (!e->has_steps) lens_result_drop_steps(e->result);
    } else {
        e->why = g_strdup(j->why.text);
    }
    g_clear_pointer(&l->job, free_job);
    l->running = NULL;
    return true;
}

// ---- what goes ----

// True if it has been unused for so long that nobody is likely to come back to it.
static bool is_over(gint64 *unused_us, bool is_used, gint64 now)
{
    if (is_used || !*unused_us) *unused_us = is_used ? 0 : now;
    return !is_used && now - *unused_us >= KEPT_US;
}

// Frees the steps of results that nobody wants: those of whole launches at once, of blocks those
// that were wanted longest ago.
static void drop_steps(struct traces *t)
{
    for (;;) {
        struct trace_entry *oldest = NULL;
        int count = 0;
        for (guint i = 0; i < t->entries->len; i++) {
            struct trace_entry *e = entry_at(t, i);
            const bool is_free = e->has_steps && e->use != TRACES_STEPS;
            count += e->has_steps && !e->request.is_whole;
            if (is_free && e->request.is_whole) {
                lens_result_drop_steps(e->result);
                e->has_steps = false;
            } else if (is_free && (!oldest || e->unused_us < oldest->unused_us))
                oldest = e;
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
        struct lane *l = &t->lanes[i];
        cancel(l);
        g_mutex_lock(&l->lock);
        while (l->traced) g_cond_wait(&l->changed, &l->lock);  // some milliseconds
        g_mutex_unlock(&l->lock);
    }
    image_finish(&t->copy);
    t->picture_version = 0;
    if (!image_init(&t->copy, p.width, p.height, p.count, err)) return false;
    image_copy(t->copy.planes, p);
    t->picture_version = scene->picture_version;
    return true;
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
    if (next && next != lane->running) {
        struct error err = {""};
        struct tracing_request r = next->request;
        if (!bring_picture(t, scene, &err)) {
            next->why = g_strdup(err.text);
            return;
        }
        r.has_sectors = r.is_whole && next->use == TRACES_STEPS && !t->is_alone;
        // The pixels stay as they are while the lane traces the request.
        r.picture = t->is_alone ? scene->picture : t->copy.planes;
        struct job *j = g_new0(struct job, 1);
        j->request = r;
        j->filter = filter_copy(r.choice.filter);
        j->request.choice.filter = j->filter;
        j->request.choice.variant =
            j->filter->variants + (r.choice.variant - r.choice.filter->variants);
        g_mutex_lock(&lane->lock);
        replace_job(lane, j);
        g_mutex_unlock(&lane->lock);
        g_thread_pool_push(lane->pool, j, NULL);
        lane->is_at_rest = false;
        lane->running = next;
        lane->state = TRACES_BUILDING;
        lane->percent = 0;
    }
    if (!next && lane->running) cancel(lane);
}

// True if somebody wants what a lane traces. Figures that are known need no device.
static bool is_used(const struct traces *t, const struct lane *lane)
{
    if (lane->running || t->is_alone) return true;
    for (guint i = 0; i < t->entries->len; i++)
        if (is_in(t, entry_at(t, i), lane) && entry_at(t, i)->use < TRACES_FIGURE) return true;
    return false;
}

bool traces_poll(struct traces *t, const struct traces_scene *scene)
{
    const gint64 now = g_get_monotonic_time();
    bool is_new = false;
    for (guint i = t->entries->len; i-- > 0;) {
        struct trace_entry *e = entry_at(t, i);
        const bool is_running = e == t->lanes[BLOCKS].running || e == t->lanes[WHOLE].running;
        e->is_figure &= is_of(e, scene);
        if (e->use == UNUSED && e->is_figure) e->use = TRACES_FIGURE;
        if (is_over(&e->unused_us, e->use != UNUSED || is_running, now))
            g_ptr_array_remove_index(t->entries, i);
    }
    if (!t->is_alone) drop_steps(t);
    for (int i = 0; i < LANES; i++) is_new |= take(t, &t->lanes[i]);
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = &t->lanes[i];
        go_on(t, lane, scene);
        if (!is_over(&lane->unused_us, is_used(t, lane), now) || lane->is_at_rest) continue;
        lane->is_at_rest = true;
        g_thread_pool_push(lane->pool, lane, NULL);
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
        found.state = lane->state;
        found.percent = lane->percent;
    }
    return found;
}

struct traces_found traces_wait(struct traces *t, const struct tracing_request *r,
                                struct terminal_progress *shown)
{
    enum { MOMENT_US = 1000 };
    const struct traces_scene scene = {.picture = r->picture};
    traces_want(t, r, TRACES_FIGURE);
    for (;;) {
        traces_poll(t, &scene);
        struct traces_found found = traces_get(t, r, TRACES_FIGURE);
        if (signals_came() && !found.result && !found.why) found.why = "cancelled";
        if (found.result || found.why) return found;
        if (shown && terminal_progress_is_due(shown))
            terminal_progress_show(shown, "%s: %d %%", r->choice.variant->name, found.percent);
        g_usleep(MOMENT_US);
    }
}

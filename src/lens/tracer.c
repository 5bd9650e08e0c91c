#include "lens/tracer.h"

#include <glib.h>
#include <malloc.h>

// A request of its own: the filter is a copy.
struct wish {
    struct tracing_request request;
    struct filter *filter;
    unsigned int number;
};

struct tracer {
    char *include;
    enum share share;
    GThread *thread;
    GMutex lock;
    GCond changed;  // there is a wish, or the running one has ended
    struct wish *waiting, *running;
    bool is_building;  // the running one
    bool is_at_rest;   // no device is kept, once nothing runs
    bool is_closing;
    struct tracing_watch watch;  // of the running one
    unsigned int asked;
    enum tracer_state state;  // of the last that was not dropped
    struct error why;
    struct lens_result *result;
};

static void free_wish(struct wish *w)
{
    if (!w) return;
    filter_free(w->filter);
    g_free(w);
}

static struct wish *new_wish(const struct tracing_request *request, unsigned int number)
{
    struct wish *w = g_new0(struct wish, 1);
    const struct choice *c = &request->choice;
    w->request = *request;
    w->number = number;
    w->filter = filter_copy(c->filter);
    w->request.choice.filter = w->filter;
    w->request.choice.variant = w->filter->variants + (c->variant - c->filter->variants);
    return w;
}

// ---- the thread ----

// Runs a request without the lock.
static struct lens_result *trace(struct tracer *t, struct tracing **tracing, struct wish *w,
                                 struct error *err)
{
    if (!*tracing) *tracing = tracing_create(t->include, t->share, err);
    if (!*tracing) return NULL;
    g_mutex_lock(&t->lock);
    t->is_building = tracing_must_build(*tracing, &w->request);
    g_mutex_unlock(&t->lock);
    if (!tracing_build(*tracing, &w->request, &t->watch, err)) return NULL;
    g_mutex_lock(&t->lock);
    t->is_building = false;
    g_mutex_unlock(&t->lock);
    struct lens_result *result = tracing_run(*tracing, &w->request, &t->watch, err);
    if (result) result->number = w->number;
    return result;
}

static void keep_outcome(struct tracer *t, struct lens_result *result, const struct error *err)
{
    if (t->is_at_rest) g_clear_pointer(&result, lens_result_free);
    if (!result && atomic_load(&t->watch.cancel)) {
        t->state = TRACER_IDLE;
        return;
    }
    if (result) {
        lens_result_free(t->result);
        t->result = result;
    } else {
        t->why = *err;
    }
    t->state = result ? TRACER_DONE : TRACER_FAILED;
}

// Pieces that were freed one by one stay with the allocator until malloc_trim.
static void let_go(struct tracer *t, struct tracing **tracing)
{
    struct tracing *gone = g_steal_pointer(tracing);
    g_mutex_unlock(&t->lock);
    tracing_destroy(gone);
    malloc_trim(0);
    g_mutex_lock(&t->lock);
}

static void wait_for_wish(struct tracer *t, struct tracing **tracing)
{
    while (!t->waiting && !t->is_closing)
        if (t->is_at_rest && *tracing)
            let_go(t, tracing);
        else
            g_cond_wait(&t->changed, &t->lock);
}

static gpointer tracer_main(gpointer data)
{
    struct tracer *t = data;
    struct tracing *tracing = NULL;
    struct error *err = g_new0(struct error, 1);
    g_mutex_lock(&t->lock);
    for (;;) {
        wait_for_wish(t, &tracing);
        if (t->is_closing) break;
        t->running = g_steal_pointer(&t->waiting);
        atomic_store(&t->watch.cancel, false);
        atomic_store(&t->watch.permille, 0);
        g_clear_pointer(&t->result, lens_result_free);  // nobody has taken it
        g_mutex_unlock(&t->lock);
        struct lens_result *result = trace(t, &tracing, t->running, err);
        g_mutex_lock(&t->lock);
        keep_outcome(t, result, err);
        t->is_building = false;
        g_clear_pointer(&t->running, free_wish);
        g_cond_broadcast(&t->changed);
    }
    g_mutex_unlock(&t->lock);
    tracing_destroy(tracing);
    g_free(err);
    return NULL;
}

// ---- calls ----

struct tracer *tracer_create(const char *include, enum share share)
{
    struct tracer *t = g_new0(struct tracer, 1);
    t->include = g_strdup(include);
    t->share = share;
    g_mutex_init(&t->lock);
    g_cond_init(&t->changed);
    t->thread = g_thread_new("tracer", tracer_main, t);
    return t;
}

void tracer_destroy(struct tracer *t)
{
    if (!t) return;
    g_mutex_lock(&t->lock);
    t->is_closing = true;
    atomic_store(&t->watch.cancel, true);
    g_cond_broadcast(&t->changed);
    g_mutex_unlock(&t->lock);
    g_thread_join(t->thread);
    free_wish(t->waiting);
    lens_result_free(t->result);
    g_mutex_clear(&t->lock);
    g_cond_clear(&t->changed);
    g_free(t->include);
    g_free(t);
}

static bool has_texts_of(const struct wish *w, const struct tracing_request *request)
{
    return w->request.filters_version == request->filters_version &&
           filter_has_same_text(w->filter, request->choice.filter);
}

unsigned int tracer_ask(struct tracer *t, const struct tracing_request *request)
{
    g_mutex_lock(&t->lock);
    free_wish(t->waiting);
    t->is_at_rest = false;
    t->waiting = new_wish(request, ++t->asked);
    const bool is_needed = t->running && t->is_building && has_texts_of(t->running, request);
    if (t->running && !is_needed) atomic_store(&t->watch.cancel, true);
    g_cond_broadcast(&t->changed);
    const unsigned int number = t->asked;
    g_mutex_unlock(&t->lock);
    return number;
}

// Under the lock.
static void cancel(struct tracer *t)
{
    g_clear_pointer(&t->waiting, free_wish);
    if (t->running) atomic_store(&t->watch.cancel, true);
    t->state = TRACER_IDLE;
}

void tracer_cancel(struct tracer *t)
{
    g_mutex_lock(&t->lock);
    cancel(t);
    g_mutex_unlock(&t->lock);
}

void tracer_rest(struct tracer *t)
{
    g_mutex_lock(&t->lock);
    cancel(t);
    g_clear_pointer(&t->result, lens_result_free);
    t->is_at_rest = true;
    g_cond_broadcast(&t->changed);
    g_mutex_unlock(&t->lock);
}

void tracer_drain(struct tracer *t)
{
    tracer_cancel(t);
    g_mutex_lock(&t->lock);
    while (t->running) g_cond_wait(&t->changed, &t->lock);
    g_mutex_unlock(&t->lock);
}

enum tracer_state tracer_poll(struct tracer *t, struct tracer_progress *progress)
{
    g_mutex_lock(&t->lock);
    const bool is_busy = t->waiting || (t->running && !atomic_load(&t->watch.cancel));
    const enum tracer_state state = !is_busy         ? t->state
                                    : t->is_building ? TRACER_BUILDING
                                                     : TRACER_TRACING;
    progress->part = atomic_load(&t->watch.permille) / 1000.0;
    progress->why = t->why;
    g_mutex_unlock(&t->lock);
    return state;
}

struct lens_result *tracer_take(struct tracer *t)
{
    g_mutex_lock(&t->lock);
    struct lens_result *result = g_steal_pointer(&t->result);
    g_mutex_unlock(&t->lock);
    return result;
}

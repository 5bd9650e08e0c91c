#include "frame/builder.h"

#include <glib.h>
#include <string.h>

#include "frame/frame.h"

struct entry {
    const struct filter *filter;  // a name: it may be gone before the worker comes to it
    struct filter *copy;          // NULL once compiled
    char params[FILTER_LITERALS];
    bool is_begun, is_done;
    guint64 asked_at;       // of the builder's requests
    struct module *module;  // NULL when done: failed, and why
    struct error *why;
};

struct builder {
    struct backend *backend;
    GThread *thread;
    GMutex lock;
    GCond asked;
    GPtrArray *entries;  // of struct entry, newest last
    guint64 requests;
    bool is_closing, is_stopped;
    atomic_bool cancel;  // for a compiler that does not come back
};

static struct entry *find(struct builder *r, const struct filter *f, const char *params)
{
    for (guint i = 0; i < r->entries->len; i++) {
        struct entry *e = g_ptr_array_index(r->entries, i);
        if (e->filter != f || strcmp(e->params, params)) continue;
        e->asked_at = ++r->requests;
        return e;
    }
    return NULL;
}

// The newest request comes first, because it is what the screen shows now.
static struct entry *next_wish(struct builder *r)
{
    for (guint i = r->entries->len; i-- > 0;) {
        struct entry *e = g_ptr_array_index(r->entries, i);
        if (!e->is_begun) return e;
    }
    return NULL;
}

static void free_copy(struct entry *e)
{
    filter_free(e->copy);
    e->copy = NULL;
}

static gpointer work(gpointer data)
{
    struct builder *r = data;
    struct error *err = g_new0(struct error, 1);
    g_mutex_lock(&r->lock);
    while (!r->is_closing) {
        struct entry *e = next_wish(r);
        if (!e) {
            g_cond_wait(&r->asked, &r->lock);
            continue;
        }
        e->is_begun = true;
        g_mutex_unlock(&r->lock);
        err->text[0] = '\0';
        struct module *made = frame_compile_until(r->backend, e->copy, e->params, &r->cancel, err);
        g_mutex_lock(&r->lock);
        free_copy(e);
        e->module = made;
        e->is_done = true;
        if (!made) e->why = g_memdup2(err, sizeof *err);
    }
    r->is_stopped = true;
    g_mutex_unlock(&r->lock);
    g_free(err);
    return NULL;
}

static struct entry *new_entry(const struct filter *f, const char *params)
{
    struct entry *e = g_new0(struct entry, 1);
    *e = (struct entry){.filter = f, .copy = filter_copy(f)};
    g_strlcpy(e->params, params, sizeof e->params);
    return e;
}

static void free_entry(gpointer data)
{
    struct entry *e = data;
    free_copy(e);
    g_free(e->why);
    g_free(e);
}

struct builder *builder_create(struct backend *b)
{
    struct builder *r = g_new0(struct builder, 1);
    r->backend = b;
    r->entries = g_ptr_array_new_with_free_func(free_entry);
    g_mutex_init(&r->lock);
    g_cond_init(&r->asked);
    r->thread = g_thread_new("builder", work, r);
    return r;
}

void builder_stop(struct builder *r)
{
    g_mutex_lock(&r->lock);
    r->is_closing = true;
    atomic_store(&r->cancel, true);
    g_cond_signal(&r->asked);
    g_mutex_unlock(&r->lock);
}

bool builder_is_stopped(struct builder *r)
{
    g_mutex_lock(&r->lock);
    const bool is_stopped = r->is_stopped;
    g_mutex_unlock(&r->lock);
    return is_stopped;
}

void builder_destroy(struct builder *r)
{
    if (!r) return;
    builder_stop(r);
    g_thread_join(r->thread);

    for (guint i = 0; i < r->entries->len; i++) {
        const struct entry *e = g_ptr_array_index(r->entries, i);
        backend_unload(r->backend, e->module);
    }
    g_ptr_array_free(r->entries, TRUE);
    g_mutex_clear(&r->lock);
    g_cond_clear(&r->asked);
    g_free(r);
}

static void drop_other_wishes(struct builder *r, const struct entry *kept)
{
    for (guint i = r->entries->len; i-- > 0;) {
        const struct entry *e = g_ptr_array_index(r->entries, i);
        if (!e->is_begun && e != kept && *e->params) g_ptr_array_remove_index(r->entries, i);
    }
}

static enum builder_state look(const struct entry *e, const struct module **module,
                               struct error *err)
{
    if (!e || !e->is_done) return BUILDER_BUILDING;
    if (!e->module) {
        if (err) *err = *e->why;
        return BUILDER_FAILED;
    }
    *module = e->module;
    return BUILDER_READY;
}

static void ask(struct builder *r, const struct filter *f, const char *params)
{
    struct entry *e = new_entry(f, params);
    e->asked_at = ++r->requests;
    g_ptr_array_add(r->entries, e);
    if (*params) drop_other_wishes(r, e);
    g_cond_signal(&r->asked);
}

enum builder_state builder_get(struct builder *r, const struct filter *f, const char *params,
                               const struct module **module, struct error *err)
{
    g_mutex_lock(&r->lock);
    const struct entry *e = find(r, f, params);
    const enum builder_state state = look(e, module, err);
    if (!e) ask(r, f, params);
    g_mutex_unlock(&r->lock);
    return state;
}

enum builder_state builder_look(struct builder *r, const struct filter *f, const char *params,
                                const struct module **module, struct error *err)
{
    g_mutex_lock(&r->lock);
    const enum builder_state state = look(find(r, f, params), module, err);
    g_mutex_unlock(&r->lock);
    return state;
}

enum builder_state builder_pick(struct builder *r, const struct choice *c,
                                const struct module **module, bool *is_generic, struct error *err)
{
    const struct launch_build build = launch_build(c->filter, &c->settings);
    *is_generic = false;
    if (*build.params) {
        const enum builder_state state = builder_get(r, c->filter, build.params, module, err);
        if (state != BUILDER_BUILDING) return state;
        *is_generic = true;
    }
    return builder_get(r, c->filter, "", module, err);
}

// ---- trimming ----

static bool can_go(const struct entry *e, const struct module *const *used, int used_count)
{
    if (!e->is_done || !*e->params) return false;
    for (int i = 0; i < used_count; i++)
        if (e->module && e->module == used[i]) return false;
    return true;
}

static int count_unrolled(const struct builder *r)
{
    int count = 0;
    for (guint i = 0; i < r->entries->len; i++) {
        const struct entry *e = g_ptr_array_index(r->entries, i);
        count += e->is_done && *e->params;
    }
    return count;
}

// NULL: all that are left are used.
static struct entry *find_oldest(const struct builder *r, const struct module *const *used,
                                 int used_count)
{
    struct entry *oldest = NULL;
    for (guint i = 0; i < r->entries->len; i++) {
        struct entry *e = g_ptr_array_index(r->entries, i);
        if (can_go(e, used, used_count) && (!oldest || e->asked_at < oldest->asked_at)) oldest = e;
    }
    return oldest;
}

void builder_trim(struct builder *r, int most, const struct module *const *used, int used_count)
{
    struct entry *e;
    g_mutex_lock(&r->lock);
    for (int count = count_unrolled(r); count > most; count--) {
        if (!(e = find_oldest(r, used, used_count))) break;
        backend_unload(r->backend, e->module);
        g_ptr_array_remove(r->entries, e);
    }
    g_mutex_unlock(&r->lock);
}

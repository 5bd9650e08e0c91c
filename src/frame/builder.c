#include "frame/builder.h"

#include <glib.h>
#include <string.h>

#include "frame/frame.h"

struct entry {
    const struct filter *filter;  // a name: it may be gone before the worker comes to it
    struct filter *copy;          // NULL once compiled
    struct launch_build build;
    int variant;   // the place of the only one that it holds; ALL
    bool is_fast;  // its kernels are written anew
    bool is_begun, is_done;
    guint64 asked_at;       // the number of the last request for it; 0: it is prepared for one
    struct module *module;  // NULL when done: failed, and why
    struct error *why;
};

struct builder {
    struct backend *backend;
    GThreadPool *pool;  // of one thread; each push compiles one entry
    GMutex lock;
    GPtrArray *entries;  // of struct entry, newest last
    GPtrArray *retired;  // of struct builder
    bool writes_anew;    // the backend does
    bool is_for_references;
    guint64 requests;
    bool is_working;
    atomic_bool cancel;  // becomes true when the builder ends: the compiler is to stop
};

static const struct launch_build any = {.params = ""};
enum { ALL = -1, ANY_WIDTH = -1 };

// One variant compiles in a fraction of the time that a file takes. As they stand, all of a file's
// do so at once, because they compile soon and run until their own modules are there.
static int variant_of(const struct filter *f, const struct launch_build *build, bool is_fast)
{
    const bool is_own = build->variant && (is_fast || *build->params);
    return is_own ? (int)(build->variant - f->variants) : ALL;
}

static struct entry *find(struct builder *r, const struct filter *f,
                          const struct launch_build *build, bool is_fast)
{
    const int variant = variant_of(f, build, is_fast);
    struct entry *found = NULL;
    for (guint i = 0; i < r->entries->len && !(found && found->module); i++) {
        struct entry *e = g_ptr_array_index(r->entries, i);
        if (e->filter != f || e->is_fast != is_fast || strcmp(e->build.params, build->params) ||
            e->variant != variant)
            continue;
        const bool is_its_own =
            !is_fast || build->lanes == ANY_WIDTH || e->build.lanes == build->lanes;
        if (is_its_own || (e->module && build->variant &&
                           !frame_has_strips(r->backend, e->module, build->variant)))
            found = e;
    }
    return found;
}

// What is compiled first: kernels as they stand come before those written anew, which take longer,
// and what was prepared comes last.
static int rank(const struct entry *e)
{
    return !e->asked_at ? 0 : e->is_fast ? 1 : 2;
}

// Compiles the entry that was asked for last, because the screen shows that now and asks again and
// again. There may be no entry left.
static void work(gpointer data, gpointer unused)
{
    (void)unused;
    struct builder *r = data;
    struct entry *e = NULL;
    g_mutex_lock(&r->lock);
    for (guint i = 0; !atomic_load(&r->cancel) && i < r->entries->len; i++) {
        struct entry *one = g_ptr_array_index(r->entries, i);
        if (!one->is_begun &&
            (!e || rank(one) > rank(e) || (rank(one) == rank(e) && one->asked_at > e->asked_at)))
            e = one;
    }
    r->is_working = e != NULL;
    if (e) e->is_begun = true;
    g_mutex_unlock(&r->lock);
    if (!e) return;
    g_autofree struct error *err = g_new0(struct error, 1);
    const struct build how = {.params = e->build.params,
                              .is_fast = e->is_fast,
                              .lanes = e->build.lanes,
                              .cancel = &r->cancel};
    const struct choice only = {
        .filter = e->copy, .variant = e->variant == ALL ? NULL : &e->copy->variants[e->variant]};
    struct module *made = r->is_for_references || only.variant
                              ? frame_build_one(r->backend, &only, how, err)
                              : frame_build(r->backend, e->copy, how, err);
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&r->lock);
    g_clear_pointer(&e->copy, filter_free);
    e->module = made;
    e->is_done = true;
    if (!made) e->why = g_memdup2(err, sizeof *err);
    r->is_working = false;
}

static void free_entry(gpointer data)
{
    struct entry *e = data;
    filter_free(e->copy);
    g_free(e->why);
    g_free(e);
}

struct builder *builder_create(struct backend *b)
{
    struct builder *r = g_new0(struct builder, 1);
    r->backend = b;
    r->writes_anew = !backend_device(b)->is_gpu;
    r->entries = g_ptr_array_new_with_free_func(free_entry);
    r->retired = g_ptr_array_new_with_free_func((GDestroyNotify)builder_destroy);
    g_mutex_init(&r->lock);
    r->pool = g_thread_pool_new(work, NULL, 1, TRUE, NULL);
    return r;
}

struct builder *builder_create_for_references(struct backend *b)
{
    struct builder *r = builder_create(b);
    r->is_for_references = true;
    return r;
}

void builder_destroy(struct builder *r)
{
    if (!r) return;
    atomic_store(&r->cancel, true);
    g_ptr_array_free(r->retired, TRUE);
    g_thread_pool_free(r->pool, FALSE, TRUE);
    for (guint i = 0; i < r->entries->len; i++) {
        const struct entry *e = g_ptr_array_index(r->entries, i);
        backend_unload(r->backend, e->module);
    }
    g_ptr_array_free(r->entries, TRUE);
    g_mutex_clear(&r->lock);
    g_free(r);
}

void builder_retire(struct builder *r, struct builder *old)
{
    if (!old) return;
    atomic_store(&old->cancel, true);
    while (old->retired->len)  // they may still compile when `old` has ended
        g_ptr_array_add(r->retired, g_ptr_array_steal_index_fast(old->retired, 0));
    g_ptr_array_add(r->retired, old);
}

static enum builder_state look(struct builder *r, struct entry *e, const struct module **module,
                               struct error *err)
{
    if (e) e->asked_at = ++r->requests;
    if (!e || !e->is_done) return BUILDER_BUILDING;
    if (!e->module) {
        if (err) *err = *e->why;
        return BUILDER_FAILED;
    }
    *module = e->module;
    return BUILDER_READY;
}

static struct entry *add(struct builder *r, const struct filter *f,
                         const struct launch_build *build, bool is_fast)
{
    struct entry *e = g_new0(struct entry, 1);
    *e = (struct entry){.filter = f,
                        .copy = filter_copy(f),
                        .build = *build,
                        .variant = variant_of(f, build, is_fast),
                        .is_fast = is_fast};
    e->build.variant = NULL;  // as the filter, it may go
    g_ptr_array_add(r->entries, e);
    g_thread_pool_push(r->pool, r, NULL);
    return e;
}

static enum builder_state get(struct builder *r, const struct filter *f,
                              const struct launch_build *build, bool is_fast,
                              const struct module **module, struct error *err)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&r->lock);
    struct entry *e = find(r, f, build, is_fast);
    const enum builder_state state = look(r, e, module, err);
    if (e) return state;
    // A request for unrolled params drops others that have not begun.
    for (guint i = r->entries->len; *build->params && i-- > 0;) {
        const struct entry *other = g_ptr_array_index(r->entries, i);
        if (!other->is_begun && *other->build.params) g_ptr_array_remove_index(r->entries, i);
    }
    add(r, f, build, is_fast)->asked_at = ++r->requests;
    return state;
}

enum builder_state builder_get(struct builder *r, const struct filter *f,
                               const struct launch_build *build, const struct module **module,
                               struct error *err)
{
    return get(r, f, build, r->writes_anew, module, err);
}

enum builder_state builder_get_first(struct builder *r, const struct filter *f,
                                     const struct variant *v, const struct module **module,
                                     struct error *err)
{
    const struct launch_build build = {.variant = v, .lanes = ANY_WIDTH};
    g_mutex_lock(&r->lock);
    const struct entry *const e = find(r, f, &build, r->writes_anew);
    const bool is_ready = e && e->module;
    if (is_ready) *module = e->module;
    g_mutex_unlock(&r->lock);
    return is_ready ? BUILDER_READY : get(r, f, &any, false, module, err);
}

enum builder_state builder_look(struct builder *r, const struct filter *f,
                                const struct launch_build *build, const struct module **module,
                                struct error *err)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&r->lock);
    return look(r, find(r, f, build, r->writes_anew), module, err);
}

void builder_prepare(struct builder *r, const struct filter *f)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&r->lock);
    if (!find(r, f, &any, false)) add(r, f, &any, false);
}

enum builder_state builder_get_all(struct builder *r, const struct filter *const *filters,
                                   int count, struct error *err)
{
    const struct module *module;
    enum builder_state all = BUILDER_READY;
    if (!r) {
        error_set(err, "there is no device left to compile for");
        return BUILDER_FAILED;
    }
    for (int i = 0; i < count && filters[i]; i++) {
        const enum builder_state state = builder_get_first(r, filters[i], NULL, &module, err);
        if (state == BUILDER_FAILED) return state;  // however long the others take
        if (state == BUILDER_BUILDING) all = state;
    }
    return all;
}

// Asks first for the module that compiles sooner, because an idle worker begins at once.
enum builder_state builder_pick(struct builder *r, const struct choice *c,
                                const struct module **module, bool *is_generic, struct error *err)
{
    const struct launch_build build = launch_build(c);
    enum builder_state state = builder_look(r, c->filter, &build, module, err);
    *is_generic = false;
    if (state != BUILDER_BUILDING) return state;
    state = builder_get_first(r, c->filter, c->variant, module, err);
    // It may have been completed meanwhile.
    *is_generic = builder_get(r, c->filter, &build, module, NULL) != BUILDER_READY;
    return *is_generic ? state : BUILDER_READY;
}

void builder_trim(struct builder *r, int most, const struct module *const *used, int used_count)
{
    g_mutex_lock(&r->lock);
    for (;;) {
        struct entry *oldest = NULL;  // that nobody uses
        int count = 0;                // of the unrolled ones
        for (guint i = 0; i < r->entries->len; i++) {
            struct entry *e = g_ptr_array_index(r->entries, i);
            if (!e->is_done || !*e->build.params) continue;
            bool is_used = false;
            for (int k = 0; k < used_count; k++) is_used |= e->module && e->module == used[k];
            if (!is_used && (!oldest || e->asked_at < oldest->asked_at)) oldest = e;
            count++;
        }
        if (!oldest || count <= most) break;
        backend_unload(r->backend, oldest->module);
        g_ptr_array_remove(r->entries, oldest);
    }
    g_mutex_unlock(&r->lock);
    for (guint i = r->retired->len; i-- > 0;) {
        struct builder *old = g_ptr_array_index(r->retired, i);
        g_mutex_lock(&old->lock);
        const bool is_working = old->is_working;
        g_mutex_unlock(&old->lock);
        if (!is_working) g_ptr_array_remove_index_fast(r->retired, i);
    }
}

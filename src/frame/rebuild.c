#include "frame/rebuild.h"

#include <string.h>

static void destroy_builder(gpointer builder)
{
    builder_destroy(builder);
}

void rebuild_init(struct rebuild *r)
{
    *r = (struct rebuild){.old = g_ptr_array_new_with_free_func(destroy_builder)};
}

void rebuild_finish(struct rebuild *r)
{
    g_ptr_array_free(r->old, TRUE);
    *r = (struct rebuild){.next = NULL};
}

void rebuild_open(struct rebuild *r, struct backend *b)
{
    if (r->filters[0]) r->next = builder_create(b);
}

void rebuild_close(struct rebuild *r)
{
    g_ptr_array_set_size(r->old, 0);
    builder_destroy(r->next);
    r->next = NULL;
}

// ---- the new one ----

static void end(struct rebuild *r)
{
    r->next = NULL;
    memset(r->filters, 0, sizeof r->filters);
}

void rebuild_begin(struct rebuild *r, struct backend *b,
                   const struct filter *const filters[REBUILD_MOST])
{
    rebuild_retire(r, r->next);
    r->next = b ? builder_create(b) : NULL;
    memcpy(r->filters, filters, sizeof r->filters);
}

// FAILED comes first: what else is still being compiled does not matter then.
static enum builder_state find_state(const struct rebuild *r, struct error *err)
{
    const struct module *module;
    enum builder_state all = BUILDER_READY;
    if (!r->next) {
        error_set(err, "there is no device left to compile for");
        return BUILDER_FAILED;
    }
    for (int i = 0; i < REBUILD_MOST && r->filters[i]; i++) {
        const enum builder_state state = builder_get(r->next, r->filters[i], "", &module, err);
        if (state == BUILDER_FAILED) return state;
        if (state == BUILDER_BUILDING) all = state;
    }
    return all;
}

enum builder_state rebuild_state(struct rebuild *r, struct error *err)
{
    const enum builder_state state = find_state(r, err);
    if (state != BUILDER_FAILED) return state;
    rebuild_retire(r, r->next);
    end(r);
    return state;
}

struct builder *rebuild_take(struct rebuild *r)
{
    struct builder *const next = r->next;
    end(r);
    return next;
}

// ---- the old ones ----

void rebuild_retire(struct rebuild *r, struct builder *builder)
{
    if (!builder) return;
    builder_stop(builder);
    g_ptr_array_add(r->old, builder);
}

void rebuild_clean(struct rebuild *r)
{
    for (guint i = r->old->len; i-- > 0;)
        if (builder_is_stopped(g_ptr_array_index(r->old, i)))
            g_ptr_array_remove_index_fast(r->old, i);
}

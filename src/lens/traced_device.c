#include "lens/traced_device.h"

#include "device/trace.h"
#include "frame/frame.h"

// ---- the device ----

bool traced_device_open(struct traced_device *d, struct error *err)
{
    char reasons[1024];
    if (d->backend) return true;
    d->backend = backend_open("cpu", reasons, sizeof reasons, err);
    if (!d->backend) return false;
    backend_set_include(d->backend, d->include);
    return true;
}

static void drop_module(struct traced_device *d)
{
    if (d->module) backend_unload(d->backend, d->module);
    d->module = NULL;
    g_clear_pointer(&d->filter, filter_free);
    g_hash_table_remove_all(d->chains);
    workspace_forget(&d->workspace);
    d->is_ready = false;
}

void traced_device_close(struct traced_device *d)
{
    if (!d->backend) return;
    backend_wait(d->backend, NULL);
    drop_module(d);
    workspace_finish(&d->workspace);
    backend_close(d->backend);
    d->backend = NULL;
}

bool traced_device_init(struct traced_device *d, const char *include, enum share share,
                        struct error *err)
{
    *d = (struct traced_device){.include = g_strdup(include), .share = share};
    d->chains = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return traced_device_open(d, err);
}

void traced_device_finish(struct traced_device *d)
{
    traced_device_close(d);
    g_hash_table_destroy(d->chains);
    g_free(d->include);
}

// ---- the filter ----

bool traced_device_must_build(const struct traced_device *d, const struct filter *f,
                              unsigned filters_version)
{
    return !d->module || d->filters_version != filters_version ||
           !filter_has_same_text(d->filter, f);
}

bool traced_device_build(struct traced_device *d, const struct filter *f, unsigned filters_version,
                         atomic_bool *cancel, struct error *err)
{
    if (!traced_device_must_build(d, f, filters_version)) return true;
    if (!traced_device_open(d, err)) return false;
    drop_module(d);
    d->module = frame_compile_traced(d->backend, f, cancel, err);
    if (d->module) d->filter = filter_copy(f);
    d->filters_version = filters_version;
    return d->module != NULL;
}

struct choice traced_device_choice(const struct traced_device *d, const struct choice *c)
{
    struct choice own = *c;
    own.filter = d->filter;
    own.variant = d->filter->variants + (c->variant - c->filter->variants);
    own.settings.is_unrolled = false;
    return own;
}

// ---- memory ----

// What is too small is only freed when the larger is there, so that both might not fit.
static bool must_make_room(const struct traced_device *d, const struct arrays_layout *layout)
{
    const struct workspace *w = &d->workspace;
    const size_t arrays = layout->places[ARRAYS_IN].picture.width ? 0 : layout->bytes;
    const bool is_enough = layout->shared_bytes <= w->shared.bytes &&
                           layout->own_bytes <= w->own.bytes && arrays <= w->arrays.bytes;
    const size_t more = arrays + layout->own_bytes + layout->shared_bytes;
    return !is_enough && workspace_held(w) + more > share_memory_bytes(d->share);
}

// An array that is given is a picture.
bool traced_device_bring(struct traced_device *d, const struct tracing_request *r,
                         struct error *err)
{
    struct arrays_layout layout;
    if (!arrays_plan(&layout, &r->choice, r->picture, err)) return false;
    const struct planes shape = layout.places[ARRAYS_IN].picture;
    const struct planes wanted = shape.width ? r->picture : (struct planes){.pixels = NULL};
    const bool is_there = d->workspace.backend &&
                          (!wanted.pixels || (d->workspace.pictures.memory &&
                                              d->picture_version == r->picture_version &&
                                              planes_is_same_shape(d->workspace.picture, wanted)));
    if (is_there && !must_make_room(d, &layout)) return true;
    d->is_ready = false;
    workspace_finish(&d->workspace);
    if (!workspace_init(&d->workspace, d->backend, wanted, 1, err)) return false;
    d->picture_version = r->picture_version;
    return true;
}

// ---- source lines ----

bool traced_device_learn(struct traced_device *d, const unsigned int *sites, int count,
                         struct error *err)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof *sites);
    for (int i = 0; i < count; i++)
        if (!traced_device_chain(d, sites[i])) g_array_append_val(list, sites[i]);
    struct trace_chain *chains = g_new0(struct trace_chain, list->len + 1);
    const unsigned int *const unknown = (const unsigned int *)(const void *)list->data;
    const bool is_known = !list->len || backend_find_lines(d->backend, d->module, unknown,
                                                           (int)list->len, chains, err);
    for (guint i = 0; is_known && i < list->len; i++)
        g_hash_table_insert(d->chains, GUINT_TO_POINTER(unknown[i]),
                            g_memdup2(&chains[i], sizeof chains[i]));
    g_free(chains);
    g_array_unref(list);
    return is_known;
}

const struct trace_chain *traced_device_chain(const struct traced_device *d, unsigned int site)
{
    return g_hash_table_lookup(d->chains, GUINT_TO_POINTER(site));
}

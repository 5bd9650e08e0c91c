#include "frame/reference.h"

#include <glib.h>
#include <string.h>

#include "filter/launch.h"

// The most taps of one pixel, which take a few milliseconds: a check can end only between pixels.
static const double MAX_TAPS = 4.2e6;

// ---- who compiles them ----

static void take_builder(struct references *r, struct builder *builder)
{
    r->has_own_builder = r->host && (r->has_own_host || !builder);
    r->builder = r->has_own_builder ? builder_create_for_references(r->host)
                 : r->host          ? builder
                                    : NULL;
}

void references_open(struct references *r, struct backend *device, struct builder *builder)
{
    *r = (struct references){.host = device, .has_own_host = backend_device(device)->is_gpu};
    if (r->has_own_host) r->host = backend_open("cpu", NULL, 0, NULL);
    if (r->has_own_host && r->host) backend_set_include(r->host, backend_include(device));
    take_builder(r, builder);
}

void references_close(struct references *r)
{
    if (r->has_own_builder) builder_destroy(r->builder);
    if (r->has_own_host) backend_close(r->host);
    *r = (struct references){0};
}

struct builder *references_renew(struct references *r, struct builder *builder)
{
    struct builder *const old = r->has_own_builder ? r->builder : NULL;
    take_builder(r, builder);
    return old;
}

// ---- one of them ----

enum builder_state reference_get(struct reference *r, const struct references *from,
                                 const struct filter *f, const struct param_values *values)
{
    const struct module *module = from->module;
    if (!filter_has_reference(f) || !from->builder) return BUILDER_FAILED;
    if (launch_taps(f, &(struct settings){.params = *values}) > MAX_TAPS) return BUILDER_FAILED;
    const enum builder_state state =
        module ? BUILDER_READY : builder_get_first(from->builder, f, NULL, &module, NULL);
    if (state != BUILDER_READY) return state;
    struct reference found = {.host = from->host, .module = module};
    bool has_any = false;
    for (int i = 0; i < f->array_count; i++) {
        if (!f->arrays[i].has_reference) continue;
        g_autofree char *symbol = g_strconcat("reference_", f->arrays[i].name, NULL);
        void *const address = backend_function(from->host, module, symbol);
        memcpy(&found.elements[i], &address, sizeof address);  // C has no cast between the two
        has_any |= address != NULL;
    }
    if (!has_any) return BUILDER_FAILED;
    filter_pack(f, values, found.params);
    filter_fill_weights(f, values, found.weights);
    *r = found;
    return BUILDER_READY;
}

bool reference_wait(struct reference *r, const struct references *from, const struct filter *f,
                    const struct param_values *values)
{
    enum builder_state state;
    while ((state = reference_get(r, from, f, values)) == BUILDER_BUILDING) g_usleep(1000);
    return state == BUILDER_READY;
}

// ---- whole pictures ----

struct job {
    const struct reference *reference;
    struct planes out, in;
};

static void run_row(gpointer row, gpointer data)
{
    const struct job *job = data;
    const struct reference *r = job->reference;
    const void *const arrays[] = {
        [ARRAYS_IN] = &job->in, [ARRAYS_SCRATCH] = NULL, [ARRAYS_WEIGHTS] = r->weights};
    const int index = GPOINTER_TO_INT(row) - 1, width = job->in.width;
    unsigned char *out = planes_row(job->out, index / job->in.height, index % job->in.height);
    for (int x = 0; x < width; x++) {
        const long long i = (long long)index * width + x;
        out[x] = (unsigned char)(int)r->elements[ARRAYS_OUT](arrays, r->params, i);
    }
}

void reference_run(const struct reference *r, struct planes out, struct planes in, int threads)
{
    struct job job = {r, out, in};
    if (!threads) threads = (int)g_get_num_processors();
    GThreadPool *pool = g_thread_pool_new(run_row, &job, threads, TRUE, NULL);
    for (int row = 0; row < in.height * in.count; row++)
        g_thread_pool_push(pool, GINT_TO_POINTER(row + 1), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
}

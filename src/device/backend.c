#include "device/backend_impl.h"

#include <assert.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/prints.h"
#include "device/trace.h"

// In order of preference; only the first one translates, if any does. To add one: backend_<name>.c
// with its table at the bottom, and a row here.
static const struct backend_impl *const impls[] = {
#ifdef HAVE_CUDA
    &backend_cuda,
#endif
    &backend_cpu,
};

static void add_reason(char *reasons, size_t size, const char *name, const char *why)
{
    text_join(reasons, size, "\n", "%s: %s", name, why);
}

static void begin_reasons(char *reasons, size_t size)
{
    reasons[0] = '\0';
#ifndef HAVE_CUDA
    add_reason(reasons, size, "cuda", "this build has no CUDA: no toolkit was found");
#else
    (void)size;
#endif
}

// ---- opening ----

void *backend_warm_up(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < G_N_ELEMENTS(impls); i++)
        if (impls[i]->warm_up) impls[i]->warm_up();
    return NULL;
}

// The N of "cuda:N", where name is "cuda"; -1 for "cuda" alone, -2 for another text.
static int ordinal_in(const char *device, const char *name)
{
    if (!g_str_has_prefix(device, name)) return -2;
    const char *rest = device + strlen(name);
    if (!*rest) return -1;
    char *end;
    const long n = rest[0] == ':' && g_ascii_isdigit(rest[1]) ? strtol(rest + 1, &end, 10) : -2;
    return n < 0 || *end || n > 1000 ? -2 : (int)n;
}

bool backend_is_name(const char *device)
{
    return !strcmp(device, "auto") || !strcmp(device, "cpu") || ordinal_in(device, "cuda") != -2;
}

struct backend *backend_open(const char *device, char *reasons, size_t size, struct error *err)
{
    const bool is_auto = !strcmp(device, "auto");
    const bool is_cuda = ordinal_in(device, "cuda") != -2;
    struct error why = {""};
    char own[1024];
    if (!reasons) return backend_open(device, own, sizeof own, err);
    reasons[0] = '\0';
    if (is_auto) begin_reasons(reasons, size);
    for (size_t i = 0; i < G_N_ELEMENTS(impls); i++) {
        const int ordinal = is_auto ? -1 : ordinal_in(device, impls[i]->name);
        if (ordinal == -2) continue;
        struct backend *b = impls[i]->open(ordinal, &why);
        if (b) return b;
        if (is_auto) add_reason(reasons, size, impls[i]->name, why.text);
    }
    if (is_auto)
        error_set(err, "no device: %s", reasons);
    else if (!*why.text)
        error_set(&why, is_cuda ? "this build has no CUDA" : "there is no such name");
    if (!is_auto) error_set(err, "cannot use device '%s': %s", device, why.text);
    return NULL;
}

void backend_close(struct backend *b)
{
    if (b) b->impl->close(b);
}

const struct device *backend_device(const struct backend *b)
{
    return &b->device;
}

bool device_has_gpu_times(const struct device *device)
{
    return device->is_gpu;
}

void backend_set_include(struct backend *b, const char *folder)
{
    assert(strlen(folder) < sizeof b->include);
    g_strlcpy(b->include, folder, sizeof b->include);
}

const char *backend_include(const struct backend *b)
{
    return b->include;
}

void backend_list(struct device *devices, int max, int *count, char *reasons, size_t size)
{
    *count = 0;
    begin_reasons(reasons, size);
    for (size_t i = 0; i < G_N_ELEMENTS(impls); i++) {
        struct error why = {""};
        const int found = impls[i]->list(devices + *count, max - *count, &why);
        *count += found;
        if (!found) add_reason(reasons, size, impls[i]->name, why.text);
    }
}

struct device backend_best(void)
{
    struct device best = {.id = ""};
    char reasons[1024];
    int count;
    backend_list(&best, 1, &count, reasons, sizeof reasons);
    return best;
}

// ---- memory ----

bool backend_alloc(struct backend *b, size_t bytes, void **memory, struct error *err)
{
    assert(bytes > 0);
    return b->impl->alloc(b, bytes, memory, err);
}

void backend_free(struct backend *b, void *memory)
{
    if (memory) b->impl->free(b, memory);
}

bool backend_upload(struct backend *b, struct planes to, struct planes host, struct error *err)
{
    assert(to.pixels && host.pixels && planes_is_same_shape(to, host));
    return b->impl->upload(b, to.pixels, host.pixels, planes_bytes(host), err);
}

bool backend_download(struct backend *b, struct planes host, struct planes from, struct error *err)
{
    assert(host.pixels && from.pixels && planes_is_same_shape(host, from));
    return b->impl->download(b, host.pixels, from.pixels, planes_bytes(host), err);
}

bool backend_write(struct backend *b, void *to, const void *host, size_t bytes, struct error *err)
{
    assert(to && host && bytes > 0);
    return b->impl->upload(b, to, host, bytes, err);
}

bool backend_read(struct backend *b, void *host, const void *from, size_t bytes, struct error *err)
{
    assert(host && from && bytes > 0);
    return b->impl->download(b, host, from, bytes, err);
}

bool backend_fill(struct backend *b, void *memory, int byte, size_t bytes, struct error *err)
{
    assert(memory && byte >= 0 && byte <= 255);
    return bytes == 0 || b->impl->fill(b, memory, byte, bytes, err);
}

// ---- kernels ----

static bool find_headers(struct headers *headers, const struct build *build, const char *folder,
                         struct error *err)
{
    if (!headers_load(headers, folder, err))
        return error_prefix(err, "cannot compile '%s': ", build->path);
    if (build->calls) headers_add_users(headers, build->path, build->source);
    if (headers_check(headers, build, err)) return true;
    headers_finish(headers);
    return false;
}

char **backend_compiler_files(struct error *err)
{
    return backend_cpu.compiler_files(err);
}

char *backend_rewrite(const struct build *build, const char *include, char ***kept, char ***where,
                      struct error *err)
{
    OWNED(headers_finish) struct headers headers = {.count = 0};
    if (!find_headers(&headers, build, include, err)) return NULL;
    return backend_cpu.rewrite(build, &headers, kept, where);
}

struct translator *backend_translator(const struct build_target *target, struct error *err)
{
    if (impls[0]->translate) return impls[0]->open_translator(target, err);
    error_set(err, "this build has no CUDA");
    return NULL;
}

bool backend_translate(const struct translator *t, const struct build *build, const char *include,
                       struct build_code *code, struct error *err)
{
    OWNED(headers_finish) struct headers headers = {.count = 0};
    if (!find_headers(&headers, build, include, err)) return false;
    return impls[0]->translate(t, build, &headers, code, err);
}

void backend_translator_free(struct translator *t)
{
    if (t) impls[0]->close_translator(t);
}

char *backend_find_program(const char *name)
{
    return impls[0]->find_program ? impls[0]->find_program(name) : NULL;
}

struct module *backend_compile(struct backend *b, const struct build *build, struct error *err)
{
    assert(build->path && build->source && b->include[0]);
    assert(build->entry_count > 0 && build->entry_count <= BACKEND_MAX_ENTRIES);
    assert(build->function_count <= BACKEND_MAX_FUNCTIONS);
    if (build->is_traced && !b->impl->find_lines) {
        error_set(err, "%s: only the device cpu traces kernels", build->path);
        return NULL;
    }
    OWNED(headers_finish) struct headers headers = {.count = 0};
    if (!find_headers(&headers, build, b->include, err)) return NULL;
    struct module *m = b->impl->compile(b, build, &headers, err);
    if (!m) return NULL;
    m->is_traced = build->is_traced;
    // A missing library disables only its own functions.
    for (int i = 0; i < build->function_count; i++) {
        struct module_function *f = &m->functions[m->function_count++];
        struct error why = {""};
        f->function = build->functions[i];
        if (!b->impl->open_function)
            error_set(&why, "%s is only for cuda", f->function->object);
        else
            b->impl->open_function(b, f->function, &why);
        text_copy_line(f->missing, sizeof f->missing, why.text);
    }
    return m;
}

void backend_unload(struct backend *b, struct module *m)
{
    if (m) b->impl->unload(b, m);
}

bool backend_set_constant(struct backend *b, const struct module *m, const char *name,
                          const void *host, size_t bytes, struct error *err)
{
    assert(m && name && host && bytes > 0);
    void *to;
    size_t size;
    if (!b->impl->find_constant(b, m, name, &to, &size)) return true;
    if (size < bytes)
        return error_set(err, "'%s' holds %zu bytes; the program fills %zu", name, size, bytes);
    return b->impl->upload(b, to, host, bytes, err);
}

static bool find_prints(struct backend *b, const struct module *m, void **prints)
{
    size_t size;
    return b->impl->find_constant(b, m, "tilescope_prints", prints, &size) &&
           size >= sizeof(struct prints);  // sanitizers add padding
}

bool backend_has_prints(struct backend *b, const struct module *m)
{
    void *prints;
    return find_prints(b, m, &prints);
}

char *backend_take_prints(struct backend *b, const struct module *m)
{
    const unsigned long long none = 0;
    void *prints;
    if (!find_prints(b, m, &prints)) return NULL;
    g_autofree struct prints *found = g_new0(struct prints, 1);
    if (!b->impl->download(b, found, prints, sizeof *found, NULL) && !b->device.is_gpu)
        memcpy(found, prints, sizeof *found);
    char *const text = prints_write(found);
    b->impl->upload(b, prints, &none, sizeof none, NULL);
    return text;
}

void *backend_function(struct backend *b, const struct module *m, const char *name)
{
    return b->impl->function ? b->impl->function(m, name) : NULL;
}

bool backend_call(const struct backend *b, const struct module *m, const struct host_call *call,
                  struct error *err)
{
    assert(b->impl->call && call->run && call->steps && call->limit_ms > 0);
    return b->impl->call(m, call, err);
}

bool backend_is_fast(const struct module *m)
{
    return m->is_fast;
}

const struct kernel_facts *backend_facts(const struct module *m)
{
    return m->facts;
}

const struct build_code *backend_loaded_code(const struct module *m)
{
    return m->loaded.bytes ? &m->loaded : NULL;
}

bool backend_has_function(const struct module *m, int function, struct error *err)
{
    assert(function >= 0 && function < m->function_count);
    const char *missing = m->functions[function].missing;
    return !*missing || error_set(err, "%s", missing);
}

bool backend_has_called(const struct backend *b, const struct module *m, int function)
{
    assert(function >= 0 && function < m->function_count);
    return b->has_called[library_id_of(m->functions[function].function)];
}

struct occupancy backend_occupancy(struct backend *b, const struct module *m, int entry,
                                   const struct launch_config *config)
{
    assert(entry >= 0 && entry < m->entry_count);
    if (!b->impl->occupancy) return (struct occupancy){.limiter = ""};
    return b->impl->occupancy(b, m, entry, config);
}

bool backend_find_lines(struct backend *b, const struct module *m, const unsigned int *sites,
                        int count, struct trace_chain *chains, struct error *err)
{
    assert(m->is_traced);
    return b->impl->find_lines(m, sites, count, chains, err);
}

// ---- the queue ----

// launch_plan() has refused all of this already; a driver's behaviour would be undefined.
static bool is_legal(const struct backend *b, const struct launch *l, struct error *err)
{
    const struct device *d = &b->device;
    const struct launch_config *s = &l->config;
    const struct kernel_facts *facts = &l->module->facts[l->entry];
    if (s->block_width < 1 || s->block_height < 1 || s->grid_width < 1 || s->grid_height < 1)
        return error_set(err, "cannot launch an empty block or grid");
    assert(s->block_height % MAX(s->block_depth, 1) == 0);
    const long threads = (long)s->block_width * s->block_height;
    if (s->block_width > d->max_block_width || s->block_height > d->max_block_height ||
        threads > d->max_threads || threads > facts->max_threads)
        return error_set(err, "cannot launch a block of %d×%d: at most %d threads fit",
                         s->block_width, s->block_height, MIN(d->max_threads, facts->max_threads));
    if (s->shared_bytes + facts->static_shared_bytes > d->max_shared_bytes)
        return error_set(err, "cannot launch with %zu B of shared memory: the device allows %zu B",
                         s->shared_bytes + facts->static_shared_bytes, d->max_shared_bytes);
    if (s->grid_width > d->max_grid_width || s->grid_height > d->max_grid_height ||
        s->grid_depth > d->max_grid_height)
        return error_set(err, "cannot launch a grid of %d×%d×%d blocks", s->grid_width,
                         s->grid_height, MAX(s->grid_depth, 1));
    return true;
}

bool backend_launch(struct backend *b, const struct launch *l, struct error *err)
{
    assert(l->module && l->entry >= 0 && l->entry < l->module->entry_count);
    assert(l->arrays || (l->out.pixels && l->in.pixels && l->out.count == l->in.count &&
                         l->out.width == l->in.width && l->out.height == l->in.height));
    assert(l->arrays || l->is_packed || planes_is_same_shape(l->out, l->in));
    assert(l->params && l->params_bytes > 0 && l->params_bytes <= BACKEND_MAX_ARGUMENT_BYTES);
    assert(l->arrays_bytes <= BACKEND_MAX_ARGUMENT_BYTES);
    assert(!l->trace || (l->module->is_traced && l->trace->block && l->trace->max_events > 0));
    assert(!l->trace || l->trace->only_x < l->config.grid_width);
    assert(!l->trace || l->trace->only_x < 0 ||
           (l->trace->only_y >= 0 && l->trace->only_y < l->config.grid_height));
    return is_legal(b, l, err) && b->impl->launch(b, l, err);
}

bool backend_call_library(struct backend *b, const struct library_call *call, struct error *err)
{
    if (!backend_has_function(call->module, call->function, err)) return false;
    const struct library_function *f = call->module->functions[call->function].function;
    const struct library_arguments *a = &call->arguments;
    assert(!f->is_of_pictures ||
           (a->out.pixels && a->in.pixels && planes_is_same_shape(a->out, a->in)));
    for (int i = 0; f->arguments[i]; i++) assert(f->arguments[i] == 'n' || a->values[i].array);
    b->has_called[library_id_of(f)] = true;
    return b->impl->call_library(b, f, a, err);
}

bool backend_copy(struct backend *b, void *to, const void *from, size_t bytes, struct error *err)
{
    assert(to && from && bytes > 0);
    return b->impl->copy(b, to, from, bytes, err);
}

bool backend_mark(struct backend *b, int mark, struct error *err)
{
    assert(mark >= 0 && mark < BACKEND_MARKS);
    b->has_mark[mark] = true;
    return b->impl->mark(b, mark, err);
}

enum backend_state backend_poll(struct backend *b, struct error *err)
{
    return b->impl->poll(b, err);
}

void backend_rest(struct backend *b, int us)
{
    if (b->impl->rest)
        b->impl->rest(b, us);
    else
        g_usleep((gulong)us);
}

bool backend_wait(struct backend *b, struct error *err)
{
    return b->impl->wait(b, err);
}

bool backend_elapsed(struct backend *b, int from, int to, double *ms, struct error *err)
{
    assert(from >= 0 && from < BACKEND_MARKS && to >= 0 && to < BACKEND_MARKS);
    assert(b->has_mark[from] && b->has_mark[to]);
    return b->impl->elapsed(b, from, to, ms, err);
}

struct backend_work backend_work(struct backend *b)
{
    if (b->impl->work) return b->impl->work(b);
    return (struct backend_work){.own_ms = 1e-3 * (double)g_get_monotonic_time()};
}

void backend_cancel(struct backend *b)
{
    if (b->impl->cancel) b->impl->cancel(b);
}

bool backend_can_cancel(const struct backend *b)
{
    return b->impl->cancel != NULL;
}

void backend_give_way(struct backend *b)
{
    if (b->impl->give_way) b->impl->give_way(b);
}

void *backend_stream(struct backend *b)
{
    return b->impl->stream ? b->impl->stream(b) : NULL;
}

// on_device.h -- what tests of devices share. It is included in place of unit.h.
#pragma once

#include "unit.h"

#include <signal.h>

#include "device/backend.h"
#include "base/c_items.h"
#include "filter/filter.h"

CLOSER(backend, backend_close)

static inline struct backend *open_device(const char *name)
{
    struct backend *b = backend_open(name, NULL, 0, &err);
    must(b != NULL);
    backend_set_include(b, TILESCOPE_KERNELS);
    return b;
}

// How the host calls the kernels of a text, for g_free; NULL: it has none. A text without a title
// is a filter's, whose params it may list, and each of its kernels is a pass.
static inline char *calls_of(const char *source)
{
    const bool has_title = strstr(source, "//! filter \"") || strstr(source, "//! lab \"");
    g_autoptr(GString) text = g_string_new(has_title ? "" : "//! filter \"Kernels\"\n");
    struct c_items items;
    OWNED(filter_finish) struct filter f = {.calls = NULL};
    int kernels = 0;
    g_string_append_printf(text, "%s\n", source);
    c_items_find(&items, source);
    for (int i = 0; i < items.count; i++) {
        const struct c_item *const item = &items.list[i];
        if (item->kind != C_ITEM_KERNEL) continue;
        if (!has_title)
            g_string_append_printf(text, "//! variant v%d 1x1 of %.*s\n",
                                   kernels / FILTER_MAX_PASSES, (int)item->name_length, item->name);
        kernels++;
    }
    c_items_finish(&items);
    if (kernels) must(filter_parse(&f, "text.cu", text->str, NULL, &err));
    char *const calls = g_steal_pointer(&f.calls);
    return calls;
}

// Compiles a text of kernels; NULL: err says why not. The build has what is special about it.
static inline struct module *compile_build(struct backend *b, struct build build)
{
    char *const calls = calls_of(build.source);
    if (!build.path) build.path = "some dir/text.cu";
    build.calls = calls;
    struct module *const m = backend_compile(b, &build, &err);
    g_free(calls);
    return m;
}

// One kernel of it.
static inline struct module *compile_with(struct backend *b, const char *source, const char *kernel,
                                          struct build build)
{
    build.source = source;
    build.entries = &kernel;
    build.entry_count = 1;
    return compile_build(b, build);
}

static inline struct module *compile_one(struct backend *b, const char *source, const char *kernel)
{
    return compile_with(b, source, kernel, (struct build){.path = NULL});
}

// Memory of zeros.
static inline void *allocate(struct backend *b, size_t bytes)
{
    void *memory = NULL;
    must(backend_alloc(b, bytes, &memory, &err));
    must(backend_fill(b, memory, 0, bytes, &err));
    return memory;
}

// What a kernel is launched on: a picture's planes and a word of scratch for each pixel, of zeros.
struct rig {
    struct backend *backend;
    struct module *module;
    unsigned *scratch;
    struct launch launch;  // params are zeros
};

static inline struct rig rig_make(struct backend *b, struct module *m, struct planes shape,
                                  struct launch_config config)
{
    static const int zeros[BACKEND_MAX_ARGUMENT_BYTES / sizeof(int)];
    must(m != NULL);
    config.grid_depth = shape.count;
    struct rig r = {.backend = b, .module = m, .scratch = allocate(b, 4 * planes_bytes(shape))};
    r.launch = (struct launch){.module = m,
                               .config = config,
                               .out = planes_at(shape, allocate(b, planes_bytes(shape))),
                               .in = planes_at(shape, allocate(b, planes_bytes(shape))),
                               .scratch = r.scratch,
                               .params = zeros,
                               .params_bytes = sizeof(int)};
    return r;
}

// False: err says why it failed.
static inline bool rig_runs(const struct rig *r)
{
    return backend_launch(r->backend, &r->launch, &err) && backend_wait(r->backend, &err);
}

static inline void rig_free(struct rig *r)
{
    backend_free(r->backend, r->scratch);
    backend_free(r->backend, r->launch.out.pixels);
    backend_free(r->backend, r->launch.in.pixels);
    backend_unload(r->backend, r->module);
}

// Runs the program's tests with each compiler that is there. Their set-up opens the device.
static inline int run_with_each_compiler(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    static const char *const compilers[] = {"gcc", "clang"};
    int failures = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(compilers); i++) {
        g_autofree char *found = g_find_program_in_path(compilers[i]);
        print_message("%s%s\n", found ? "" : "skipped: there is no ", compilers[i]);
        g_setenv("CC", compilers[i], TRUE);
        if (found) failures += unit_run(compilers[i], set_up, tear_down);
    }
    return failures;
}

// ---- faults ----

static bool has_sanitizer;  // which listens from the beginning

__attribute__((constructor)) static void look_for_sanitizer(void)
{
    struct sigaction action;
    has_sanitizer = sigaction(SIGSEGV, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
}

// Leaves faults to a device that is opened from now on: cmocka listens while a test runs. Skips the
// rest of the test where a sanitizer listens.
static inline void leave_faults(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    if (has_sanitizer) {
        print_message("skipped: a sanitizer reports faults itself\n");
        skip();
    }
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) signal(numbers[i], SIG_DFL);
}

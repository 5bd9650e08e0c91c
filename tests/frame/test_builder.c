// test_builder -- compiles beside the caller, keeps what it made, needs nothing of its filters once
// they are asked for, and waits for no builder that was retired.
#include "unit.h"

#include "device/backend_impl.h"
#include "frame/builder.h"
#include "filter/launch.h"

CLOSER(builder, builder_destroy)

static const char text[] = "//! filter \"Planted\"\n"
                           "#include \"kernel.h\"\n"
                           "//! param radius 3 [0, 64] pixels\n"
                           "//! variant naive 32x8\n"
                           "__global__ void planted_naive(unsigned int *scratch, int radius)\n"
                           "{\n    scratch[0] = radius%s;\n}\n";

// The CPU device, which counts the modules that are loaded. Its compiler cannot be stopped, as a
// GPU's, and may be told to wait.
static struct backend_impl counting;
static const struct backend_impl *cpu;
static atomic_int begun, loaded;
static atomic_bool is_held;
static char order[64];  // of what was begun: the last digit of a text, or p: as it stands

static struct module *count_compile(struct backend *b, const struct build *build,
                                    const struct headers *headers, struct error *why)
{
    const char digit = build->source[strlen(build->source) - strlen("1;\n}\n")];
    order[atomic_load(&begun) % (sizeof order - 1)] = build->is_fast ? digit : 'p';
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&is_held)) g_usleep(1000);
    struct module *made = cpu->compile(b, build, headers, why);
    if (made) atomic_fetch_add(&loaded, 1);
    return made;
}

static void count_unload(struct backend *b, struct module *m)
{
    atomic_fetch_sub(&loaded, 1);
    cpu->unload(b, m);
}

static int set_up(void **state)
{
    struct backend *b = backend_open("cpu", NULL, 0, &err);
    must(b);
    backend_set_include(b, TILESCOPE_KERNELS);
    cpu = b->impl;
    counting = *cpu;
    counting.compile = count_compile;
    counting.unload = count_unload;
    b->impl = &counting;
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    atomic_store(&is_held, false);  // where a test has failed
    backend_close(*state);
    return 0;
}

static struct filter parse(const char *end)
{
    struct filter f;
    g_autofree char *source = g_strdup_printf(text, end);
    must(filter_parse(&f, "some dir/planted.cu", source, NULL, &err));
    return f;
}

// For a filter's first variant with these params, and any block.
static const struct launch_build *with(const struct filter *f, const char *params)
{
    static struct launch_build build;
    build.variant = f->variants;
    g_strlcpy(build.params, params, sizeof build.params);
    return &build;
}

static enum builder_state wait_for(struct builder *r, const struct filter *f,
                                   const struct launch_build *build, const struct module **module)
{
    enum builder_state state;
    while ((state = builder_get(r, f, build, module, &err)) == BUILDER_BUILDING) g_usleep(1000);
    return state;
}

TEST(modules_are_kept)
{
    OWNED(filter_finish) struct filter f = parse("");
    OWNED(close_builder) struct builder *r = builder_create(*state);
    const struct module *any = NULL, *unrolled = NULL, *again = NULL;
    assert_int_equal(builder_get(r, &f, with(&f, ""), &any, &err), BUILDER_BUILDING);
    assert_int_equal(wait_for(r, &f, with(&f, ""), &any), BUILDER_READY);
    assert_int_equal(wait_for(r, &f, with(&f, "{5}"), &unrolled), BUILDER_READY);
    assert_int_equal(builder_get(r, &f, with(&f, ""), &again, &err), BUILDER_READY);
    assert_ptr_equal(any, again);
    assert_ptr_not_equal(any, unrolled);
}

static const char two[] =
    "//! filter \"Planted\"\n#include \"kernel.h\"\n"
    "//! variant naive 32x8\n__global__ void planted_naive(plane out, plane in)\n{\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (x < out.width && !blockIdx.y) out.pixels[x] = in.pixels[x];\n}\n"
    "//! variant shared 32x8\n__global__ void planted_shared(plane out, plane in)\n{\n"
    "    __shared__ unsigned char tile[32][32];\n"
    "    tile[threadIdx.x][threadIdx.y] = in.pixels[threadIdx.x];\n    __syncthreads();\n"
    "    out.pixels[threadIdx.x] = tile[threadIdx.y][threadIdx.x];\n}\n";

static struct launch_build of(const struct filter *f, int variant, int width, bool is_unrolled)
{
    return launch_build(
        &(struct choice){f,
                         &f->variants[variant],
                         {.block_width = width, .block_height = 4, .is_unrolled = is_unrolled}});
}

// Only kernels whose blocks and rows stay apart have strips of their own width.
TEST(strips_suit_the_block)
{
    OWNED(filter_finish) struct filter f = {.calls = NULL};
    OWNED(close_builder) struct builder *r = builder_create(*state);
    must(filter_parse(&f, "planted.cu", two, NULL, &err));
    const struct launch_build naive_8 = of(&f, 0, 8, false), naive_32 = of(&f, 0, 32, false),
                              shared_16 = of(&f, 1, 16, false);
    struct choice shared = {&f, &f.variants[1], {.block_width = 64, .block_height = 4}};
    const struct module *naive, *wide, *narrow, *module;
    bool is_generic;
    atomic_store(&begun, 0);
    assert_int_equal(wait_for(r, &f, &naive_8, &naive), BUILDER_READY);
    assert_int_equal(builder_get(r, &f, &naive_32, &module, &err), BUILDER_READY);
    assert_ptr_equal(module, naive);
    assert_int_equal(wait_for(r, &f, &shared_16, &narrow), BUILDER_READY);
    // Until there is a module for the block, another one that is fast runs, not a strict one.
    assert_int_equal(builder_pick(r, &shared, &module, &is_generic, &err), BUILDER_READY);
    assert_true(is_generic && module == narrow);
    const struct launch_build shared_64 = launch_build(&shared);
    assert_int_equal(wait_for(r, &f, &shared_64, &wide), BUILDER_READY);
    assert_int_equal(builder_pick(r, &shared, &module, &is_generic, &err), BUILDER_READY);
    assert_true(!is_generic && module == wide && wide != narrow);
    assert_int_equal(atomic_load(&begun), 3);
}

// What is shown need not wait until all variants of its file are written anew.
TEST(a_variant_compiles_by_itself)
{
    OWNED(filter_finish) struct filter f = {.calls = NULL};
    OWNED(close_builder) struct builder *r = builder_create(*state);
    char source[2000];
    g_snprintf(source, sizeof source, "%s//! param radius 3 [0, 64] pixels\n", two);
    must(filter_parse(&f, "planted.cu", source, NULL, &err));
    for (int is_unrolled = 0; is_unrolled < 2; is_unrolled++) {
        const struct module *modules[2], *first;
        for (int i = 0; i < 2; i++) {
            const struct launch_build build = of(&f, i, 32, is_unrolled);
            assert_int_equal(wait_for(r, &f, &build, &modules[i]), BUILDER_READY);
            assert_int_equal(builder_get_first(r, &f, &f.variants[i], &first, &err), BUILDER_READY);
            assert_true((first == modules[i]) == !is_unrolled);
        }
        for (int i = 0; i < 2; i++) {
            const bool is_naive = backend_function(*state, modules[i], "launch_planted_naive");
            const bool is_shared = backend_function(*state, modules[i], "launch_planted_shared");
            assert_true(is_naive == !i && is_shared == !!i);
        }
    }
}

TEST(failures_are_kept)
{
    OWNED(filter_finish) struct filter f = parse(" + nowhere");
    OWNED(close_builder) struct builder *r = builder_create(*state);
    const struct module *module = NULL;
    for (int i = 0; i < 2; i++) {
        err.text[0] = '\0';
        assert_int_equal(wait_for(r, &f, with(&f, ""), &module), BUILDER_FAILED);
        assert_true(g_str_has_prefix(err.text, "planted.cu:7:"));
        assert_null(module);
    }
}

// What is shown is asked for again and again, and a picture comes soonest from a kernel as it
// stands.
TEST(what_is_shown_comes_first)
{
    struct builder *r = builder_create(*state);
    struct filter f[] = {parse(" + 1"), parse(" + 2"), parse(" + 3")};
    const struct choice choice = {&f[0], &f[0].variants[0], {.params = filter_defaults(&f[0])}};
    const struct module *module;
    bool is_generic;
    const int first = atomic_load(&begun);
    atomic_store(&is_held, true);
    assert_int_equal(builder_pick(r, &choice, &module, &is_generic, &err), BUILDER_BUILDING);
    while (atomic_load(&begun) == first) g_usleep(1000);
    builder_prepare(r, &f[0]);
    builder_prepare(r, &f[1]);
    builder_prepare(r, &f[1]);
    builder_get(r, &f[1], with(&f[1], ""), &module, &err);
    builder_get(r, &f[2], with(&f[2], ""), &module, &err);
    builder_pick(r, &choice, &module, &is_generic, &err);
    atomic_store(&is_held, false);
    while (atomic_load(&begun) < first + 5) g_usleep(1000);
    order[first + 5] = '\0';
    assert_string_equal(order + first, "p132p");  // and what was only prepared last
    builder_destroy(r);
    for (int i = 0; i < 3; i++) filter_finish(&f[i]);
}

// Kernel files are read again while their old text is still being compiled.
TEST(filters_may_go)
{
    OWNED(filter_finish) struct filter f = parse(" + 1"), broken = parse(" + gone");
    OWNED(close_builder) struct builder *r = builder_create(*state);
    const struct module *module = NULL;
    assert_int_equal(builder_get(r, &f, with(&f, ""), &module, &err), BUILDER_BUILDING);
    assert_int_equal(builder_get(r, &broken, with(&broken, "{7}"), &module, &err),
                     BUILDER_BUILDING);
    memset(f.source, 'x', strlen(f.source));
    memset(broken.source, 'x', strlen(broken.source));
    assert_int_equal(wait_for(r, &f, with(&f, ""), &module), BUILDER_READY);
    assert_int_equal(wait_for(r, &broken, with(&broken, "{7}"), &module), BUILDER_FAILED);
    assert_non_null(strstr(err.text, "gone"));
}

static const struct launch_build *with_radius(const struct filter *f, int radius)
{
    static struct launch_build build;
    const struct settings settings = {.params.v = {radius}, .is_unrolled = true};
    build = launch_build(&(struct choice){f, f->variants, settings});
    return &build;
}

// The newest radius is the one on the screen: those between are never compiled.
TEST(only_the_newest_radius_is_wanted)
{
    OWNED(filter_finish) struct filter f = parse(" + 2");
    OWNED(close_builder) struct builder *r = builder_create(*state);
    const struct module *module = NULL;
    for (int radius = 0; radius <= 64; radius++)
        assert_int_equal(builder_get(r, &f, with_radius(&f, radius), &module, &err),
                         BUILDER_BUILDING);
    assert_int_equal(wait_for(r, &f, with(&f, "{64}"), &module), BUILDER_READY);
    // One may have been begun before the others were asked for.
    int made = 0;
    for (int radius = 8; radius < 64; radius += 8)
        made += builder_get(r, &f, with_radius(&f, radius), &module, &err) == BUILDER_READY;
    assert_true(made <= 1);
}

enum { MOST = 4, WALK = 16 };

// What a lecture does: one radius after the other.
static void walk(struct builder *r, const struct filter *f, const struct module *held)
{
    const struct module *module, *radius_0;
    for (int radius = 0; radius < WALK; radius++) {
        assert_int_equal(wait_for(r, f, with_radius(f, radius), &module), BUILDER_READY);
        assert_int_equal(builder_look(r, f, with(f, "{0}"), &radius_0, &err), BUILDER_READY);
        builder_trim(r, MOST, &held, 1);
        assert_true(atomic_load(&loaded) <= 1 + MOST);
    }
}

TEST(of_unrolled_modules_the_newest_and_the_used_stay)
{
    struct builder *r = builder_create(*state);
    OWNED(filter_finish) struct filter f = parse(" + 3");
    const struct module *any, *held, *module;
    assert_int_equal(atomic_load(&loaded), 0);
    assert_int_equal(wait_for(r, &f, with(&f, ""), &any), BUILDER_READY);
    assert_int_equal(wait_for(r, &f, with(&f, "{64}"), &held), BUILDER_READY);
    walk(r, &f, held);
    assert_int_equal(atomic_load(&loaded), 1 + MOST);
    static const char *const kept[] = {"", "{64}", "{0}", "{15}", "{14}"};
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++) {
        assert_int_equal(builder_look(r, &f, with(&f, kept[i]), &module, &err), BUILDER_READY);
        assert_true(backend_facts(module)->max_threads > 0);
    }
    assert_int_equal(builder_look(r, &f, with(&f, "{13}"), &module, &err), BUILDER_BUILDING);
    assert_int_equal(wait_for(r, &f, with(&f, "{13}"), &module), BUILDER_READY);
    assert_true(backend_facts(module)->max_threads > 0);
    builder_trim(r, 0, NULL, 0);
    assert_int_equal(atomic_load(&loaded), 1);
    builder_destroy(r);
    assert_int_equal(atomic_load(&loaded), 0);
}

// It holds its compiler's log.
TEST(an_unrolled_failure_goes_too)
{
    OWNED(filter_finish) struct filter f = parse(" + nowhere");
    OWNED(close_builder) struct builder *r = builder_create(*state);
    const struct module *module = NULL;
    assert_int_equal(wait_for(r, &f, with(&f, "{7}"), &module), BUILDER_FAILED);
    builder_trim(r, 1, &module, 1);
    assert_int_equal(builder_look(r, &f, with(&f, "{7}"), &module, &err), BUILDER_FAILED);
    builder_trim(r, 0, &module, 1);
    assert_int_equal(builder_look(r, &f, with(&f, "{7}"), &module, &err), BUILDER_BUILDING);
}

TEST(all_filters_are_needed)
{
    OWNED(filter_finish)
    struct filter f = parse(""), other = parse(" + 1"), broken = parse(" + nowhere");
    OWNED(close_builder) struct builder *r = builder_create(*state);
    const struct module *module;
    const struct {
        const struct filter *filters[2];
        enum builder_state expected;
    } rows[] = {{{&f, &other}, BUILDER_READY},
                {{&f, NULL}, BUILDER_READY},
                {{&f, &broken}, BUILDER_FAILED},
                {{&broken, &f}, BUILDER_FAILED},
                {{&broken, NULL}, BUILDER_FAILED}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        enum builder_state found;
        while ((found = builder_get_all(r, rows[i].filters, 2, &err)) == BUILDER_BUILDING)
            g_usleep(1000);
        assert_int_equal(found, rows[i].expected);
        if (found == BUILDER_FAILED) assert_true(g_str_has_prefix(err.text, "planted.cu:7:"));
    }
    assert_int_equal(builder_get_first(r, &other, NULL, &module, &err), BUILDER_READY);
    assert_int_equal(builder_get_all(NULL, rows[0].filters, 2, &err), BUILDER_FAILED);
    assert_string_equal(err.text, "there is no device left to compile for");
}

// Two of them, the second of which takes the first one along.
TEST(nothing_waits_for_a_retired_compiler)
{
    struct builder *old[2] = {builder_create(*state), builder_create(*state)};
    struct builder *r = builder_create(*state);
    OWNED(filter_finish) struct filter f = parse(" + 4"), never = parse(" + 5");
    const struct module *module;
    atomic_store(&begun, 0);
    assert_int_equal(wait_for(old[1], &f, with(&f, ""), &module), BUILDER_READY);
    atomic_store(&is_held, true);
    builder_get(old[0], &f, with(&f, ""), &module, &err);
    while (atomic_load(&begun) < 2) g_usleep(1000);
    builder_get(old[0], &never, with(&never, ""), &module, &err);
    builder_retire(old[1], old[0]);
    builder_retire(r, old[1]);
    builder_retire(r, NULL);
    for (; atomic_load(&loaded); g_usleep(1000)) builder_trim(r, 0, NULL, 0);
    atomic_store(&is_held, false);
    builder_destroy(r);
    assert_int_equal(atomic_load(&begun), 2);  // what only waited was not begun
    assert_int_equal(atomic_load(&loaded), 0);
}

SUITE("builder", set_up, tear_down)

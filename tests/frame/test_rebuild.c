// Changed sources: when they are ready, what fails, and that nothing waits for the compiler of the
// old ones.
#include "unit.h"

#include "device/backend_impl.h"
#include "frame/rebuild.h"

// The cpu device with a compiler that cannot be stopped, as a GPU's, and may be told to wait.
static struct backend_impl stubborn;
static const struct backend_impl *real;
static atomic_bool is_held;
static atomic_int begun;

static struct module *compile_stubbornly(struct backend *b, const struct build *build,
                                         struct error *err)
{
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&is_held)) g_usleep(1000);
    return real->compile(b, build, err);
}

struct world {
    struct backend *backend;
    struct filter one, other, broken;
    struct rebuild rebuild;
};

static struct filter parse(const char *body)
{
    struct filter f;
    struct error err = {""};
    char *text = g_strdup_printf("//! filter \"Planted\"\n#include \"kernel.h\"\nNO_PARAMS;\n"
                                 "//! variant naive 32x8\nKERNEL(planted_naive)\n{\n    %s;\n}\n",
                                 body);
    if (!filter_parse(&f, "planted.cu", text, &err)) fail_msg("%s", err.text);
    g_free(text);
    return f;
}

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    struct error err = {""};
    w->backend = backend_open("cpu", (char[256]){""}, 256, &err);
    if (!w->backend) fail_msg("%s", err.text);
    backend_set_include(w->backend, TILESCOPE_KERNELS);
    real = w->backend->impl;
    stubborn = *real;
    stubborn.compile = compile_stubbornly;
    w->backend->impl = &stubborn;
    atomic_store(&begun, 0);
    w->one = parse("scratch[0] = 1");
    w->other = parse("scratch[0] = 2");
    w->broken = parse("oops");
    rebuild_init(&w->rebuild);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    struct world *w = *state;
    atomic_store(&is_held, false);
    rebuild_close(&w->rebuild);
    rebuild_finish(&w->rebuild);
    filter_finish(&w->one);
    filter_finish(&w->other);
    filter_finish(&w->broken);
    w->backend->impl = real;
    backend_close(w->backend);
    g_free(w);
    return 0;
}

static enum builder_state await(struct world *w, struct error *err)
{
    enum builder_state state;
    while ((state = rebuild_state(&w->rebuild, err)) == BUILDER_BUILDING) g_usleep(1000);
    return state;
}

static void test_all_filters_are_needed(void **state)
{
    struct world *w = *state;
    struct error err = {""};
    const struct filter *const lists[][REBUILD_MOST] = {
        {&w->one, &w->broken}, {&w->broken, &w->one}, {&w->broken, NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        rebuild_begin(&w->rebuild, w->backend, lists[i]);
        assert_int_equal(await(w, &err), BUILDER_FAILED);
        assert_true(g_str_has_prefix(err.text, "planted.cu:7:"));
    }
    rebuild_begin(&w->rebuild, w->backend, (const struct filter *[]){&w->one, &w->other});
    assert_int_equal(await(w, &err), BUILDER_READY);
    const struct module *module = NULL;
    struct builder *made = rebuild_take(&w->rebuild);
    assert_int_equal(builder_look(made, &w->one, "", &module, &err), BUILDER_READY);
    assert_int_equal(builder_look(made, &w->other, "", &module, &err), BUILDER_READY);
    builder_destroy(made);
}

static void test_another_device_begins_again(void **state)
{
    struct world *w = *state;
    struct error err = {""};
    rebuild_begin(&w->rebuild, w->backend, (const struct filter *[]){&w->one, NULL});
    rebuild_close(&w->rebuild);
    rebuild_open(&w->rebuild, w->backend);
    assert_int_equal(await(w, &err), BUILDER_READY);
    builder_destroy(rebuild_take(&w->rebuild));
    rebuild_open(&w->rebuild, w->backend);
    assert_null(w->rebuild.next);  // nothing is wanted any more
    rebuild_begin(&w->rebuild, NULL, (const struct filter *[]){&w->one, NULL});
    assert_int_equal(await(w, &err), BUILDER_FAILED);
    assert_string_equal(err.text, "there is no device left to compile for");
}

static void test_nothing_waits_for_the_old_compiler(void **state)
{
    struct world *w = *state;
    const struct module *module = NULL;
    struct builder *old = builder_create(w->backend);
    atomic_store(&is_held, true);
    builder_get(old, &w->one, "", &module, NULL);
    while (!atomic_load(&begun)) g_usleep(1000);
    builder_get(old, &w->other, "", &module, NULL);
    rebuild_retire(&w->rebuild, old);
    rebuild_clean(&w->rebuild);
    assert_int_equal(w->rebuild.old->len, 1);
    atomic_store(&is_held, false);
    for (; w->rebuild.old->len; rebuild_clean(&w->rebuild)) g_usleep(1000);
    assert_int_equal(atomic_load(&begun), 1);  // what only waited was not begun
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_all_filters_are_needed),
        IN_WORLD(test_another_device_begins_again),
        IN_WORLD(test_nothing_waits_for_the_old_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

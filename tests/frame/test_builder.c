// test_builder -- compiles beside the caller, keeps what it made, and needs nothing of its filters
// once they are asked for.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

#include "frame/builder.h"
#include "filter/launch.h"

static const char text[] = "//! filter \"Planted\"\n"
                           "#include \"kernel.h\"\n"
                           "struct params {\n    int radius;  //! 3 [0, 64] pixels\n};\n"
                           "//! variant naive 32x8\n"
                           "KERNEL(planted_naive)\n{\n    scratch[0] = p.radius%s;\n}\n";

static struct error err;

static int set_up(void **state)
{
    struct backend *b = backend_open("cpu", (char[256]){""}, 256, &err);
    if (!b) fail_msg("%s", err.text);
    backend_set_include(b, TILESCOPE_KERNELS);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    backend_close(*state);
    return 0;
}

static struct filter parse(const char *end)
{
    struct filter f;
    char *source = g_strdup_printf(text, end);
    if (!filter_parse(&f, "some dir/planted.cu", source, &err)) fail_msg("%s", err.text);
    g_free(source);
    return f;
}

static enum builder_state wait_for(struct builder *r, const struct filter *f, const char *params,
                                   const struct module **module)
{
    enum builder_state state;
    while ((state = builder_get(r, f, params, module, &err)) == BUILDER_BUILDING) g_usleep(1000);
    return state;
}

static void test_modules_are_kept(void **state)
{
    struct builder *r = builder_create(*state);
    struct filter f = parse("");
    const struct module *any = NULL, *unrolled = NULL, *again = NULL;
    assert_int_equal(builder_get(r, &f, "", &any, &err), BUILDER_BUILDING);
    assert_int_equal(wait_for(r, &f, "", &any), BUILDER_READY);
    assert_int_equal(wait_for(r, &f, "{5}", &unrolled), BUILDER_READY);
    assert_int_equal(builder_get(r, &f, "", &again, &err), BUILDER_READY);
    assert_ptr_equal(any, again);
    assert_ptr_not_equal(any, unrolled);
    builder_destroy(r);
    filter_finish(&f);
}

static void test_failures_are_kept(void **state)
{
    struct builder *r = builder_create(*state);
    struct filter f = parse(" + nowhere");
    const struct module *module = NULL;
    for (int i = 0; i < 2; i++) {
        err.text[0] = '\0';
        assert_int_equal(wait_for(r, &f, "", &module), BUILDER_FAILED);
        assert_true(g_str_has_prefix(err.text, "planted.cu:9:"));
        assert_null(module);
    }
    builder_destroy(r);
    filter_finish(&f);
}

// Kernel files are read again while their old text is still being compiled.
static void test_filters_may_go(void **state)
{
    struct builder *r = builder_create(*state);
    struct filter f = parse(" + 1"), broken = parse(" + gone");
    const struct module *module = NULL;
    assert_int_equal(builder_get(r, &f, "", &module, &err), BUILDER_BUILDING);
    assert_int_equal(builder_get(r, &broken, "{7}", &module, &err), BUILDER_BUILDING);
    memset(f.source, 'x', strlen(f.source));
    memset(broken.source, 'x', strlen(broken.source));
    filter_finish(&f);
    filter_finish(&broken);
    assert_int_equal(wait_for(r, &f, "", &module), BUILDER_READY);
    assert_int_equal(wait_for(r, &broken, "{7}", &module), BUILDER_FAILED);
    assert_non_null(strstr(err.text, "gone"));
    builder_destroy(r);
}

static struct launch_build with_radius(const struct filter *f, int radius)
{
    return launch_build(f, &(struct settings){.params.v = {radius}, .is_unrolled = true});
}

// The newest radius is the one on the screen: those between are never compiled.
static void test_only_the_newest_radius_is_wanted(void **state)
{
    struct builder *r = builder_create(*state);
    struct filter f = parse(" + 2");
    const struct module *module = NULL;
    for (int radius = 0; radius <= 64; radius++)
        assert_int_equal(builder_get(r, &f, with_radius(&f, radius).params, &module, &err),
                         BUILDER_BUILDING);
    assert_int_equal(wait_for(r, &f, "{64}", &module), BUILDER_READY);
    // One may have been begun before the others were asked for.
    int made = 0;
    for (int radius = 8; radius < 64; radius += 8)
        made += builder_get(r, &f, with_radius(&f, radius).params, &module, &err) == BUILDER_READY;
    assert_true(made <= 1);
    builder_destroy(r);
    filter_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules_are_kept),
        cmocka_unit_test(test_failures_are_kept),
        cmocka_unit_test(test_filters_may_go),
        cmocka_unit_test(test_only_the_newest_radius_is_wanted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

// A variant that is a library's: its line, where it is refused, and that it has no block.
#include "unit.h"

#include "filter/block_info.h"
#include "filter/choice.h"
#include "filter/files.h"
#include "filter/launch.h"

#define HEAD                                                                            \
    "//! filter \"Mean\"\n//! param radius 3 [0, 64]\n//! param sigma float 1 [0, 9]\n" \
    "//! variant naive 32x8\n__global__ void mean_naive() {}\n"
#define LAB                                                                             \
    "//! lab \"Sum\"\n//! param n 9 [1, 99]\n"                                          \
    "//! array a int in [n] counted\n//! array s int out [1]\n//! variant naive 32x8\n" \
    "__global__ void sum_naive() {}\n"
#define BOX "nppiFilterBoxBorder_8u_C1R_Ctx"
#define NPP "//! library npp " BOX "(radius) tolerance=1\n"

TEST(line)
{
    OWNED(filter_finish) struct filter f = parsed(HEAD "// Theirs.\n" NPP);
    const struct variant *v = filter_variant(&f, "npp");
    assert_int_equal(f.variant_count, 2);
    assert_non_null(v);
    assert_int_equal(v->pass_count, 0);
    assert_string_equal(v->library.function->name, "nppiFilterBoxBorder_8u_C1R_Ctx");
    assert_string_equal(v->library.function->object, "libnppif");
    assert_int_equal(v->library.arguments[0], 0);
    assert_int_equal(v->library.tolerance.unit, TOLERANCE_ABSOLUTE);
    assert_true(v->library.tolerance.most == 1);
    assert_string_equal(v->note, "Theirs.");
    filter_finish(&f);

    f = parsed(LAB "//! library cub cub::DeviceReduce::Sum( n,a , s )\n");
    v = filter_variant(&f, "cub");
    assert_int_equal(v->library.arguments[0], 0);
    assert_int_equal(v->library.arguments[1], 0);
    assert_int_equal(v->library.arguments[2], 1);
    assert_int_equal(v->library.tolerance.unit, TOLERANCE_NONE);
}

TEST(bad_lines)
{
    static const char form[] = "expected: //! library name FUNCTION(ARGUMENT, ...)";
    static const char call[] = "expected: nppiFilterBoxBorder_8u_C1R_Ctx(radius)";
    static const struct mistake bad[] = {
        {"//! library", form},
        {"//! library npp", form},
        {"//! library npp " BOX, form},
        {"//! library npp " BOX "()", form},
        {"//! library npp " BOX "(radius", form},
        {"//! library Npp " BOX "(radius)", "variant 'Npp' is not a lower-case name"},
        {"//! library naive " BOX "(radius)", "a second variant 'naive'"},
        {"//! library npp " BOX "(radius, radius)", call},
        {"//! library npp " BOX "(side)", "'side' does not suit " BOX "(radius)"},
        {"//! library npp " BOX "(sigma)", "'sigma' does not suit " BOX "(radius)"},
        {"//! library npp " BOX "(radius) tolerance=0", "tolerance= is for filters, from 1 to 255"},
        {"//! library npp " BOX "(radius) tolerance=1x",
         "'tolerance=1x' is not understood in a library line"},
        {"//! library npp " BOX "(radius) block=fixed",
         "'block=fixed' is not understood in a library line"},
        {"//! library cublas cublasSgemm(radius)", "cublasSgemm is for labs"},
    };
    assert_mistakes(HEAD, bad, G_N_ELEMENTS(bad), "\n", 6);
    assert_refused(LAB "//! library cub cub::DeviceReduce::Sum(n, s, a)", 7,
                   "'s' does not suit cub::DeviceReduce::Sum(n, a, s)");
    assert_refused(LAB "//! library cub cub::DeviceReduce::Sum(n, a, s) tolerance=1", 7,
                   "tolerance= is for filters, from 1 to 255");
    assert_refused(LAB "//! library npp " BOX "(n)", 7, BOX " is for filters");
    assert_refused("//! filter \"Mean\"\n//! variant naive 32x8\n" NPP, 3,
                   "a variant line must be followed by its kernel");
    assert_refused(HEAD "//! library npp " BOX "(radius)\n//! variant npp 32x8\n", 7,
                   "'npp' is a library's");
}

TEST(unknown_function_lists_the_known)
{
    struct filter f;
    g_autofree char *source = g_strdup(HEAD "//! library npp nppiFilterBox(radius)\n");
    assert_false(filter_parse(&f, "mean.cu", source, NULL, &err));
    assert_true(g_str_has_prefix(err.text, "mean.cu:6: no library function 'nppiFilterBox'; known "
                                           "are " BOX ", "));
    for (int i = 0; i < LIBRARY_COUNT; i++)
        assert_non_null(strstr(err.text, library_of((enum library_id)i)->name));
}

TEST(only_on_cuda_and_without_a_block)
{
    OWNED(filter_finish)
    struct filter f = parsed(HEAD NPP "//! library gauss "
                                      "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx(radius)\n");
    const struct device cpu = {.is_gpu = false}, gpu = {.is_gpu = true};
    const struct planes picture = planes_shape(9, 9, 3);
    struct choice c = {
        &f, filter_variant(&f, "npp"), {.params = filter_defaults(&f), .is_unrolled = true}};
    const struct block_info_facts facts = {.choice = c, .device = &gpu, .picture = picture};
    struct block_info info;
    struct launch_plan plan;
    int width, height;
    assert_true(launch_plan(&plan, &c, picture, &gpu, NULL, &err));
    assert_int_equal(plan.pass_count, 0);
    launch_block(c.variant, &c.settings, &width, &height);
    assert_int_equal(width + height, 0);
    assert_string_equal(launch_write_block(c.variant, &c.settings).text, "library");
    assert_false(choice_normal(&c).settings.is_unrolled);  // it changes nothing
    assert_false(block_info_find(&info, &facts, ARRAYS_OUT, &err));
    assert_string_equal(err.text, "npp is a library's: its blocks are not known");

    assert_false(launch_plan(&plan, &c, picture, &cpu, NULL, &err));
    assert_string_equal(err.text, "npp needs a CUDA GPU and libnppif");
    c.settings.block_width = 32;
    assert_false(launch_plan(&plan, &c, picture, &gpu, NULL, &err));
    assert_string_equal(err.text, "npp is a library's, and takes no block");
    c = (struct choice){&f, filter_variant(&f, "gauss"), {.params.v = {0, 1}}};
    assert_false(launch_plan(&plan, &c, picture, &gpu, NULL, &err));
    assert_string_equal(err.text, "gauss needs a radius of at least 1");
    c.settings.params.v[0] = 1;
    assert_true(launch_plan(&plan, &c, picture, &gpu, NULL, &err));
}

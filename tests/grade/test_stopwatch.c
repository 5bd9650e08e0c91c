// test_stopwatch -- a time counts only if the result at that size is right. The CPU device takes
// the place of a GPU, at the size that it has by default.
#include "desk.h"
#include "grade/stopwatch.h"

static enum stopwatch_outcome measure(struct desk *d, const char *name, const char *text,
                                      struct error *why)
{
    enum { SIZE = 96 };
    char reasons[1024];
    double ratio = 0;
    struct submission *s = desk_open(d, name, text);
    for (int i = 0; i < s->filter.param_count; i++) s->filter.params[i].value = SIZE;
    const struct stopwatch watch = {.backend = backend_open("cpu", reasons, sizeof reasons, why),
                                    .given = filter_find(&d->list, name),
                                    .submitted = &s->filter,
                                    .variant = &s->filter.variants[0]};
    char *include = submission_include(s->folder);
    backend_set_include(watch.backend, include);
    const enum stopwatch_outcome outcome = stopwatch_measure(&watch, &ratio, why);
    assert_true(outcome != STOPWATCH_TIMED || ratio > 0);
    backend_close(watch.backend);
    g_free(include);
    return outcome;
}

// A transpose of a square of 96 that runs some code first, and writes what is asked for at row 1,
// column 95.
static enum stopwatch_outcome measure_with(struct desk *d, const char *first, const char *value,
                                           struct error *why)
{
    char *text = g_strdup_printf("#include \"lab.h\"\nstatic __device__ int launches;\n"
                                 "//! variant mine 32x8\nKERNEL(mine)\n{\n"
                                 "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                 "    if (x >= p.rows || y >= p.columns) return;\n    %s\n"
                                 "    const float right = d.a[x * p.columns + y];\n"
                                 "    d.b[y * p.rows + x] = x == 95 && y == 1 ? %s : right;\n}\n",
                                 first, value);
    const enum stopwatch_outcome outcome = measure(d, "transpose", text, why);
    g_free(text);
    return outcome;
}

static void a_right_result_is_timed(void **state)
{
    struct error why = {""};
    assert_int_equal(measure_with(*state, "", "right", &why), STOPWATCH_TIMED);
}

static void one_wrong_element_is_enough(void **state)
{
    struct error why = {""};
    assert_int_equal(measure_with(*state, "", "7.5f", &why), STOPWATCH_REFUSED);
    const char *const begin = "at the size that is timed b is wrong: at row 1, column 95 it is 7.5";
    if (strncmp(why.text, begin, strlen(begin))) fail_msg("%s", why.text);
    assert_non_null(strstr(why.text, "(1 of 9216 elements are wrong)"));
}

static const char wrong[] = "at the size that is timed b is wrong";

static void refuse(struct desk *d, const char *first)
{
    struct error why = {""};
    assert_int_equal(measure_with(d, first, "right", &why), STOPWATCH_REFUSED);
    if (!strstr(why.text, wrong)) fail_msg("%s", why.text);
}

static void work_is_done_in_each_launch(void **state)
{
    refuse(*state,
           "if (launches > 3) return;\n    if (x == 95 && y == 95) atomicAdd(&launches, 1);");
}

// It does its work only where an earlier launch has counted in the scratch array.
static void no_launch_counts_in_scratch(void **state)
{
    refuse(*state, "if (d.t[0] < p.rows * p.columns) { atomicAdd(&d.t[0], 1.0f); return; }");
}

static enum stopwatch_outcome invert(struct desk *d, int width, struct error *why)
{
    char *text = g_strdup_printf(
        "#include \"kernel.h\"\n//! variant mine 32x8\nKERNEL(mine)\n{\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (x < in.width && y < in.height && in.width < %d)\n"
        "        out.pixels[y * out.pitch + x] = 255 - in.pixels[y * in.pitch + x];\n}\n",
        width);
    const enum stopwatch_outcome outcome = measure(d, "invert", text, why);
    g_free(text);
    return outcome;
}

// It does nothing at a size that no trial has.
static void every_pixel_is_compared(void **state)
{
    struct error why = {""};
    assert_int_equal(invert(*state, 1000, &why), STOPWATCH_TIMED);
    assert_int_equal(invert(*state, 500, &why), STOPWATCH_REFUSED);
    if (!strstr(why.text, "at the size that is timed the picture is wrong"))
        fail_msg("%s", why.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_right_result_is_timed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_wrong_element_is_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(work_is_done_in_each_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_launch_counts_in_scratch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_pixel_is_compared, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

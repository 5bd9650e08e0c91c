// What a report says that was measured.
#include "unit.h"

#include "measure/bench_report.h"

static const char source[] = "//! lab \"Turn\"\n#include \"lab.h\"\n"
                             "//! param rows 8 [1, 99] rows\n"
                             "//! param columns 9 [1, 99] columns\n"
                             "//! param times 1 [1, 99] launches\n"
                             "//! array a float in [rows][columns] noise 0, 9\n"
                             "//! array t int scratch [times]\n"
                             "//! array b unsigned int out [columns*rows] shown 0, 9\n"
                             "//! reference b\n__host__ __device__ double zero() { return 0; }\n"
                             "//! variant naive 32x8\n__global__ void turn_naive() {}\n";

static void assert_text(char *text, const char *wanted)
{
    assert_string_equal(text, wanted);
    g_free(text);
}

// The subject of cases over an axis.
static void assert_subject(const struct choice *cases, int count, const char *axis,
                           struct planes picture, const char *name, const char *wanted)
{
    struct sweep sweep = {.cases = (struct choice *)(uintptr_t)cases, .count = count};
    g_strlcpy(sweep.axis, axis, sizeof sweep.axis);
    assert_text(bench_report_subject(&sweep, picture, name), wanted);
}

// Scratch is no part of what is moved.
TEST(subjects)
{
    OWNED(filter_finish) struct filter lab, other, filter;
    must(filter_parse(&lab, "turn.cu", source, NULL, &err));
    must(filter_parse(&other, "other.cu", source, NULL, &err));
    must(filter_parse(&filter, "some.cu",
                      "//! filter \"Some\"\n//! variant naive 32x8\n"
                      "__global__ void some_naive() {}\n",
                      NULL, &err));
    const struct planes none = {.pixels = NULL};
    struct choice c[] = {{.filter = &lab, .settings.params = {{8, 9, 1}}},
                         {.filter = &lab, .settings.params = {{8, 9, 2}}},
                         {.filter = &lab, .settings.params = {{8, 9, 4}}},
                         {.filter = &filter},
                         {.filter = &other, .settings.params = {{1, 1, 1}}}};
    static const char sizes[] = "a: float 8×9 · b: unsigned int 72";
    struct param_values *const values = &c[1].settings.params;
    assert_subject(c + 3, 1, "radius", planes_shape(80, 7, 1), "noise", "80×7 grey noise");
    assert_subject(c + 3, 1, "radius", planes_shape(1, 2, 3), "a.png", "1×2 colour a.png");
    assert_subject(c, 1, "rows", none, "", sizes);
    assert_subject(c, 3, "times", none, "", sizes);
    assert_subject(c, 4, "times", planes_shape(80, 7, 1), "noise",
                   "80×7 grey noise; a: float 8×9 · b: unsigned int 72");
    assert_subject(c, 5, "times", planes_shape(80, 7, 1), "noise", "80×7 grey noise; several labs");
    values->v[0] = 9;
    values->v[1] = 8;  // as many elements, of another shape
    assert_subject(c, 3, "times", none, "", "");
    assert_subject(c, 4, "times", planes_shape(80, 7, 1), "noise", "80×7 grey noise");
    values->v[1] = 9;
    for (int i = 0; i < 3; i++) c[i].settings.params.v[2] = 5;
    assert_subject(c, 3, "rows", none, "", "columns 9 · times 5");
}

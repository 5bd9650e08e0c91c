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

TEST(pictures)
{
    assert_text(bench_report_picture(planes_shape(80, 7, 1), "noise"), "80×7 grey noise");
    assert_text(bench_report_picture(planes_shape(1, 2, 3), "a.png"), "1×2 colour a.png");
}

// Scratch is no part of what is moved.
TEST(labs)
{
    OWNED(filter_finish) struct filter lab;
    must(filter_parse(&lab, "turn.cu", source, NULL, &err));
    struct param_values values[3] = {{{8, 9, 1}}, {{8, 9, 2}}, {{8, 9, 4}}};
    static const char sizes[] = "a: float 8×9 · b: unsigned int 72";
    assert_text(bench_report_lab(&lab, values, 1, "rows"), sizes);
    assert_text(bench_report_lab(&lab, values, 3, "times"), sizes);
    values[1].v[0] = 9;
    values[1].v[1] = 8;  // as many elements, of another shape
    assert_text(bench_report_lab(&lab, values, 3, "times"), "");
    values[1].v[1] = 9;
    values[0].v[2] = values[1].v[2] = values[2].v[2] = 5;
    assert_text(bench_report_lab(&lab, values, 3, "rows"), "columns 9 · times 5");
    assert_text(bench_report_arrays(&lab, &values[1]), "a[9][9] b[81]");
}

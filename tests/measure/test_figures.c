// What follows from times: by hand, where a time is missing, and in words.
#include "unit.h"

#include <math.h>

#include "frame/batch.h"
#include "measure/figures.h"

static void assert_near(double found, double wanted)
{
    if (fabs(found - wanted) > 1e-12 * fabs(wanted)) fail_msg("%g is not %g", found, wanted);
}

TEST(rates_and_ratios)
{
    const struct planes grey = planes_shape(8000, 8000, 1), colour = planes_shape(1000, 500, 3);
    const struct choice copy = {.filter = NULL};
    assert_near(figures_gpix_per_s(0.412, grey), 64e6 / 0.412e-3 / 1e9);
    assert_near(figures_gb_per_s(0.412, &copy, grey), 2 * 64e6 / 0.412e-3 / 1e9);
    assert_near(figures_gpix_per_s(1.5, colour), 0.5e6 / 1.5e-3 / 1e9);  // pixels, not planes
    assert_near(figures_gb_per_s(1.5, &copy, colour),
                2 * 3 * 0.5e6 / 1.5e-3 / 1e9);  // every plane's bytes
    assert_near(figures_percent_of_copy(0.5, 0.25), 50);
    assert_near(figures_speed_up(0.5, 2), 4);
    assert_true(figures_gpix_per_s(0, grey) == 0 && figures_gb_per_s(0, &copy, grey) == 0);
    assert_true(figures_percent_of_copy(0, 1) == 0 && figures_percent_of_copy(1, 0) == 0);
    assert_true(figures_speed_up(0, 1) == 0 && figures_speed_up(1, 0) == 0);
}

// A lab moves what it needs of its in and out arrays, and no pixels.
TEST(bytes)
{
    struct filter lab;
    static const char text[] = "//! lab \"L\"\n#include \"lab.h\"\n//! param n 1000 [1, 9999] n\n"
                               "//! array x unsigned char in [3*n] noise 0, 9\n"
                               "//! array y float out [n] shown 0, 9\n//! array t int scratch [n]\n"
                               "//! reference y\n__host__ __device__ double zero() { return 0; }\n"
                               "//! variant naive 256x1\n__global__ void l_naive() {}\n";
    must(filter_parse(&lab, "l.cu", text, NULL, &err));
    struct choice c = {&lab, lab.variants, {.params.v = {2000}}};
    const struct planes picture = planes_shape(10, 10, 1);
    assert_near(figures_bytes(&c, picture), 2000 * (3 + 4));
    assert_near(figures_gb_per_s(0.5, &c, picture), 2000 * 7 / 0.5e-3 / 1e9);
    arrays_add_pictures(&lab);
    assert_near(figures_bytes(&c, picture), 200);
    filter_finish(&lab);
}

static const struct {
    struct stats_summary a, b;
    enum figures_order order;
    const char *words;
} comparisons[] = {
    {{61, 1, 0.99, 1.01}, {61, 10, 9.9, 10.1}, FIGURES_FIRST_IS_FASTER, "A 10.0× as fast as B"},
    {{61, 2, 1.99, 2.01}, {61, 1, 0.99, 1.01}, FIGURES_SECOND_IS_FASTER, "B 2.00× as fast as A"},
    {{61, 1, 0.9999, 1.0001}, {61, 1.001, 1.0009, 1.0011}, FIGURES_EQUAL, "equally fast"},
    {{61, 1, 0.7, 1.4}, {61, 1.5, 1.3, 2}, FIGURES_UNCLEAR, "no clear difference in time"},
    {{9, 1, 0.7, 1.3}, {9, 1.5, 1.3, 2}, FIGURES_UNCLEAR, "no clear difference in time"},
};

TEST(comparisons)
{
    for (size_t i = 0; i < G_N_ELEMENTS(comparisons); i++) {
        const struct figures_side a = {"A", comparisons[i].a, false};
        const struct figures_side b = {"B", comparisons[i].b, false};
        char text[96], other[96];
        assert_int_equal(figures_compare(a.ms, b.ms), comparisons[i].order);
        figures_write_comparison(text, sizeof text, a, b);
        assert_string_equal(text, comparisons[i].words);
        figures_write_comparison(other, sizeof other, b, a);
        assert_string_equal(other, comparisons[i].words);  // whatever comes first
    }
}

TEST(a_wrong_result_wins_nothing)
{
    const struct figures_side fast = {"A", {61, 1, 0.99, 1.01}, true};
    const struct figures_side slow = {"B", {61, 2, 1.99, 2.01}, true};
    char text[96];
    figures_write_comparison(text, sizeof text, fast, slow);
    assert_string_equal(text, "A 2.00× as fast as B, but wrong");
    figures_write_comparison(text, sizeof text, (struct figures_side){"A", fast.ms, false}, slow);
    assert_string_equal(text, "A 2.00× as fast as B");
    const struct figures_side right = {"B", fast.ms, false};
    figures_write_comparison(text, sizeof text, fast, right);
    assert_string_equal(text, "equally fast, but A is wrong");
    figures_write_comparison(text, sizeof text, right, fast);
    assert_string_equal(text, "equally fast, but A is wrong");
    figures_write_comparison(text, sizeof text, fast, (struct figures_side){"B", fast.ms, true});
    assert_string_equal(text, "equally fast, but both are wrong");
}

TEST(words)
{
    const struct stats_summary ms = {61, 0.412, 0.4091, 0.4178};
    char text[32] = "x", small[8] = "";
    figures_write_ms(text, sizeof text, ms);
    assert_string_equal(text, "0.412 ms");
    figures_write_quartiles(text, sizeof text, ms);
    assert_string_equal(text, "0.409–0.418");
    figures_write_ms(text, sizeof text, (struct stats_summary){0});
    assert_string_equal(text, "");
    figures_add(text, sizeof text, " · ", 0, FIGURES_GPIX);
    assert_string_equal(text, "");
    figures_add(text, sizeof text, " · ", 155.34, FIGURES_GPIX);
    figures_add(text, sizeof text, " · ", 3.4223, FIGURES_NAIVE);
    assert_string_equal(text, "155 Gpix/s · 3.42× naive");
    figures_add(small, sizeof small, "", 74.03, FIGURES_COPY);
    assert_string_equal(small, "74.0 % ");
    figures_write_quartiles(text, sizeof text, (struct stats_summary){0});
    assert_string_equal(text, "");
}

TEST(batches)
{
    assert_int_equal(batch_repeats(0, 64), 1);
    assert_int_equal(batch_repeats(0.2, 64), 1);
    assert_int_equal(batch_repeats(0.19, 64), 2);
    assert_int_equal(batch_repeats(0.05, 64), 4);
    assert_int_equal(batch_repeats(0.001, 64), 64);
    assert_int_equal(batch_repeats(1e-300, 1024), 1024);
}

// The figure shown: what is dropped, when it settles, what the window forgets, quartiles.
#include "unit.h"

#include <stdlib.h>

#include "base/stats.h"

static void add(struct stats *s, double sample, int times)
{
    while (times-- > 0) stats_add(s, sample);
}

static void assert_summary(const struct stats *s, int count, double lower, double median,
                           double upper)
{
    const struct stats_summary found = stats_summarize(s, STATS_WINDOW);
    assert_int_equal(found.count, count);
    assert_true(found.lower == lower);
    assert_true(found.median == median);
    assert_true(found.upper == upper);
}

TEST(the_first_launches_are_dropped)
{
    struct stats s = {0};
    assert_summary(&s, 0, 0, 0, 0);
    for (int i = 0; i < STATS_DROPPED; i++) {
        stats_add(&s, 1e9);
        assert_summary(&s, 0, 0, 0, 0);
    }
    stats_add(&s, 7);
    assert_summary(&s, 1, 7, 7, 7);
    assert_int_equal(STATS_DROPPED, 3);
}

TEST(settles_at_nine)
{
    struct stats s = {0};
    assert_false(stats_is_settled(&s));
    add(&s, 1, 3 + 8);
    assert_int_equal(stats_summarize(&s, STATS_WINDOW).count, 8);
    assert_false(stats_is_settled(&s));
    add(&s, 1, 1);
    assert_int_equal(stats_summarize(&s, STATS_WINDOW).count, 9);
    assert_true(stats_is_settled(&s));
    add(&s, 1, 1000);
    assert_true(stats_is_settled(&s));
}

TEST(window_of_61)
{
    struct stats s = {0};
    add(&s, 0, 3);
    for (int i = 1; i <= 61; i++) stats_add(&s, i);
    assert_summary(&s, 61, 16, 31, 46);
    stats_add(&s, 62);  // 1 falls out: 2 ... 62
    assert_summary(&s, 61, 17, 32, 47);
    for (int i = 0; i < 60; i++) stats_add(&s, -1);  // one old sample, 62, is left
    assert_summary(&s, 61, -1, -1, -1);
    double largest = -1;
    for (int i = 0; i < STATS_WINDOW; i++) largest = MAX(largest, s.samples[i]);
    assert_true(largest == 62);
    stats_add(&s, -1);
    for (int i = 0; i < STATS_WINDOW; i++) assert_true(s.samples[i] == -1);
}

// Whatever the order in which they came.
TEST(order_does_not_matter)
{
    srand(7);
    for (int round = 0; round < 50; round++) {
        double values[] = {0.5, 1.5, 2.25, 3, 4, 4, 8, 16, 1e-6, 1e6};
        for (int i = 9; i > 0; i--) {
            const int k = rand() % (i + 1);
            const double held = values[i];
            values[i] = values[k];
            values[k] = held;
        }
        struct stats s = {0};
        add(&s, 5, 3);
        for (int i = 0; i < 10; i++) stats_add(&s, values[i]);
        // sorted: 1e-6 .5 1.5 2.25 3 4 4 8 16 1e6; quartiles at 2.25, 4.5 and 6.75
        assert_summary(&s, 10, 1.5 + 0.25 * 0.75, 3.5, 4 + 0.75 * 4);
    }
}

TEST(quantiles)
{
    static const double v[] = {10, 20, 40, 80};
    static const struct {
        int count;
        double q, wanted;
    } rows[] = {{1, 0, 10},      {1, 0.25, 10},   {1, 1, 10},    {2, 0.5, 15},
                {2, 0.25, 12.5}, {3, 0.25, 15},   {3, 0.75, 30}, {4, 0, 10},
                {4, 1, 80},      {4, 0.25, 17.5}, {4, 0.5, 30},  {4, 0.75, 50}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_true(stats_quantile(v, rows[i].count, rows[i].q) == rows[i].wanted);
}

TEST(reset_forgets_all)
{
    struct stats s = {0};
    add(&s, 1e9, 200);
    s.seen = 0;
    assert_summary(&s, 0, 0, 0, 0);
    assert_false(stats_is_settled(&s));
    add(&s, 5, 3);  // dropped again
    assert_summary(&s, 0, 0, 0, 0);
    add(&s, 2, 1);
    add(&s, 4, 1);
    assert_summary(&s, 2, 2.5, 3, 3.5);
}

// What the loop's figures keep, and when they forget.
#include "unit.h"

#include "viewer/turn_times.h"

static const int64_t SECOND = 1000000;

static void test_longest_and_mean(void **state)
{
    struct turn_times p = {0};
    assert_true(turn_times_longest_ms(&p) == 0 && turn_times_overlay_ms(&p) == 0);
    p.overlay_ms = 3;
    turn_times_turn(&p, SECOND, 7);
    turn_times_turn(&p, SECOND, 40);
    p.overlay_ms = 1.5;
    turn_times_turn(&p, SECOND, 8);
    assert_true(turn_times_longest_ms(&p) == 40);
    assert_true(turn_times_overlay_ms(&p) == 1.5);
}

static void test_what_was_long_ago_is_forgotten(void **state)
{
    struct turn_times p = {0};
    turn_times_turn(&p, 6 * SECOND, 90);
    for (int second = 7; second < 12; second++) turn_times_turn(&p, second * SECOND, 5);
    assert_true(turn_times_longest_ms(&p) == 90);  // of the span before
    for (int second = 12; second < 30; second++) turn_times_turn(&p, second * SECOND, 5);
    assert_true(turn_times_longest_ms(&p) == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_and_mean),
        cmocka_unit_test(test_what_was_long_ago_is_forgotten),
    };
    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}

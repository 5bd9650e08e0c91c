// What the memory lens is to trace: which wishes are alike, and how long one is there.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "viewer/lens_wish.h"

static const int64_t MS = 1000;
static const struct filter filter;
static const struct variant variants[2];

static struct lens_wish wish_of(int variant, int x)
{
    return (struct lens_wish){.choice = {.filter = &filter, .variant = &variants[variant]}, .x = x};
}

static void test_wishes_of_a_launch_differ_by_their_place(void **state)
{
    (void)state;
    const struct lens_wish a = wish_of(0, 1), b = wish_of(0, 2), c = wish_of(1, 1), none = {.x = 1};
    assert_true(lens_wish_is_same(&a, &a));
    assert_false(lens_wish_is_same(&a, &b));
    assert_true(lens_wish_is_same_launch(&a, &b));
    assert_false(lens_wish_is_same_launch(&a, &c));
    assert_false(lens_wish_is_same_launch(&none, &none));
}

// Each new place is waited for anew; a cursor that comes back has waited for nothing before.
static void test_a_wish_is_there_for_a_moment_first(void **state)
{
    (void)state;
    struct lens_wait w = {.since_us = 0};
    const struct lens_wish a = wish_of(0, 1), b = wish_of(0, 2);
    assert_false(lens_wait_is_long(&w, &a, 1000 * MS));
    assert_false(lens_wait_is_long(&w, &a, 1074 * MS));
    assert_true(lens_wait_is_long(&w, &a, 1075 * MS));
    assert_false(lens_wait_is_long(&w, &b, 1076 * MS));
    assert_false(lens_wait_is_long(&w, &a, 1100 * MS));
    assert_true(lens_wait_is_long(&w, &a, 1200 * MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wishes_of_a_launch_differ_by_their_place),
        cmocka_unit_test(test_a_wish_is_there_for_a_moment_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Which requests of the memory lens are alike, and how long one is there.
#include "unit.h"

#include "viewer/viewer.h"

static const int64_t MS = 1000;
static const struct filter filter;
static const struct variant variants[2];

static struct tracing_request block_of(int variant, int x)
{
    return (struct tracing_request){.choice = {.filter = &filter, .variant = &variants[variant]},
                                    .x = x};
}

TEST(blocks_of_a_launch_differ_by_their_place)
{
    const struct tracing_request a = block_of(0, 1), b = block_of(0, 2), c = block_of(1, 1),
                                 none = {.x = 1};
    assert_true(tracing_is_same(&a, &a));
    assert_false(tracing_is_same(&a, &b));
    assert_true(tracing_is_same_launch(&a, &b));
    assert_false(tracing_is_same_launch(&a, &c));
    assert_false(tracing_is_same_launch(&none, &none));
}

// Each new place is waited for anew; a cursor that comes back has waited for nothing before.
TEST(a_block_is_there_for_a_moment_first)
{
    struct lens_wait w = {.since_us = 0};
    const struct tracing_request a = block_of(0, 1), b = block_of(0, 2);
    assert_false(lens_wait_is_long(&w, &a, 1000 * MS));
    assert_false(lens_wait_is_long(&w, &a, 1074 * MS));
    assert_true(lens_wait_is_long(&w, &a, 1075 * MS));
    assert_false(lens_wait_is_long(&w, &b, 1076 * MS));
    assert_false(lens_wait_is_long(&w, &a, 1100 * MS));
    assert_true(lens_wait_is_long(&w, &a, 1200 * MS));
}

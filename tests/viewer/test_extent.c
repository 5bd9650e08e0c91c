// When a large picture is shown reduced (viewer_extent_after), and by how much.
#include "unit.h"

#include "viewer/viewer.h"

enum { SMALL, LARGE };

static enum extent after(enum extent now, bool has_copy, double whole_ms)
{
    return viewer_extent_after(
        now, &(struct extent_facts){.has_copy = has_copy, .limit_ms = 100, .whole_ms = whole_ms});
}

static void test_a_large_picture_opens_reduced(void **state)
{
    struct extent_facts facts = {.has_copy = true, .limit_ms = 100};
    assert_int_equal(viewer_extent_after(EXTENT_NEW, &facts), EXTENT_TRIED);
    facts.limit_ms = 0.001;
    assert_int_equal(viewer_extent_after(EXTENT_NEW, &facts), EXTENT_TRIED);
    facts.limit_ms = 0;
    assert_int_equal(viewer_extent_after(EXTENT_NEW, &facts), EXTENT_USERS_WHOLE);
    assert_int_equal(after(EXTENT_NEW, SMALL, 0), EXTENT_WHOLE);
    assert_int_equal(after(EXTENT_NEW, LARGE, 0), EXTENT_TRIED);
}

static void test_its_first_time_decides(void **state)
{
    assert_int_equal(after(EXTENT_TRIED, LARGE, 0), EXTENT_TRIED);
    assert_int_equal(after(EXTENT_TRIED, LARGE, 100), EXTENT_WHOLE);
    assert_int_equal(after(EXTENT_TRIED, LARGE, 100.1), EXTENT_REDUCED);
}

// A picture goes up once and down once, whatever times come.
static void test_it_never_goes_back_and_forth(void **state)
{
    assert_int_equal(after(EXTENT_WHOLE, LARGE, 0), EXTENT_WHOLE);
    assert_int_equal(after(EXTENT_WHOLE, LARGE, 99), EXTENT_WHOLE);
    assert_int_equal(after(EXTENT_WHOLE, LARGE, 101), EXTENT_REDUCED);
    assert_int_equal(after(EXTENT_WHOLE, SMALL, 101), EXTENT_WHOLE);
    assert_int_equal(after(EXTENT_REDUCED, LARGE, 1), EXTENT_REDUCED);
    for (int first = 0; first < 2; first++) {
        enum extent now = after(EXTENT_NEW, LARGE, 0);
        int ups = 0, downs = 0;
        for (int i = 0; i < 20; i++) {
            const bool was_reduced = viewer_extent_is_reduced(now);
            now = after(now, LARGE, i % 2 == first ? 1 : 1000);
            ups += was_reduced && !viewer_extent_is_reduced(now);
            downs += !was_reduced && viewer_extent_is_reduced(now);
        }
        assert_true(ups <= 1 && downs <= 1);
        assert_int_equal(now, EXTENT_REDUCED);
    }
}

static void test_what_the_user_chose_stays(void **state)
{
    for (int ms = 0; ms <= 1000; ms += 50) {
        assert_int_equal(after(EXTENT_USERS_WHOLE, LARGE, ms), EXTENT_USERS_WHOLE);
        assert_int_equal(after(EXTENT_USERS_REDUCED, LARGE, ms), EXTENT_USERS_REDUCED);
    }
    assert_true(viewer_extent_is_reduced(EXTENT_USERS_REDUCED));
    assert_false(viewer_extent_is_reduced(EXTENT_USERS_WHOLE));
}

// A copy has a million pixels or less, and would have more with smaller squares.
static void test_squares(void **state)
{
    static const struct {
        int width, height, factor;
    } rows[] = {{1, 1, 1},       {1000, 1000, 1}, {1001, 1000, 2},   {1920, 1080, 2},
                {4000, 3000, 4}, {32768, 1, 1},   {32768, 31, 2},    {2000, 2000, 2},
                {2001, 2000, 3}, {8000, 8000, 8}, {32768, 32768, 33}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_int_equal(viewer_extent_factor(planes_shape(rows[i].width, rows[i].height, 1)),
                         rows[i].factor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_large_picture_opens_reduced),
        cmocka_unit_test(test_its_first_time_decides),
        cmocka_unit_test(test_it_never_goes_back_and_forth),
        cmocka_unit_test(test_what_the_user_chose_stays),
        cmocka_unit_test(test_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

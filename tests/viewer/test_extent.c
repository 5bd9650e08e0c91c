// When a large picture is shown reduced (viewer_extent_after), and by how much.
#include "unit.h"

#include "viewer/viewer.h"

enum { SMALL, LARGE };

static enum extent after(enum extent now, bool has_copy, double limit_ms, double whole_ms)
{
    return viewer_extent_after(now, &(struct extent_facts){has_copy, limit_ms, whole_ms});
}

// It opens reduced, its first time decides, and what the user chose stays.
TEST(what_follows)
{
    static const struct {
        enum extent now;
        bool has_copy;
        double limit_ms, whole_ms;
        enum extent next;
    } rows[] = {{EXTENT_NEW, SMALL, 100, 0, EXTENT_WHOLE},
                {EXTENT_NEW, LARGE, 100, 0, EXTENT_TRIED},
                {EXTENT_NEW, LARGE, 0.001, 0, EXTENT_TRIED},
                {EXTENT_NEW, LARGE, 0, 0, EXTENT_USERS_WHOLE},
                {EXTENT_TRIED, LARGE, 100, 0, EXTENT_TRIED},
                {EXTENT_TRIED, LARGE, 100, 100, EXTENT_WHOLE},
                {EXTENT_TRIED, LARGE, 100, 100.1, EXTENT_REDUCED},
                {EXTENT_WHOLE, LARGE, 100, 0, EXTENT_WHOLE},
                {EXTENT_WHOLE, LARGE, 100, 99, EXTENT_WHOLE},
                {EXTENT_WHOLE, LARGE, 100, 101, EXTENT_REDUCED},
                {EXTENT_WHOLE, SMALL, 100, 101, EXTENT_WHOLE},
                {EXTENT_REDUCED, LARGE, 100, 1, EXTENT_REDUCED}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_int_equal(after(rows[i].now, rows[i].has_copy, rows[i].limit_ms, rows[i].whole_ms),
                         rows[i].next);
    for (int ms = 0; ms <= 1000; ms += 50) {
        assert_int_equal(after(EXTENT_USERS_WHOLE, LARGE, 100, ms), EXTENT_USERS_WHOLE);
        assert_int_equal(after(EXTENT_USERS_REDUCED, LARGE, 100, ms), EXTENT_USERS_REDUCED);
    }
    assert_true(viewer_extent_is_reduced(EXTENT_USERS_REDUCED));
    assert_false(viewer_extent_is_reduced(EXTENT_USERS_WHOLE));
}

// A picture goes up once and down once, whatever times come.
TEST(it_never_goes_back_and_forth)
{
    for (int first = 0; first < 2; first++) {
        enum extent now = EXTENT_TRIED;
        int ups = 0, downs = 0;
        for (int i = 0; i < 20; i++) {
            const bool was_reduced = viewer_extent_is_reduced(now);
            now = after(now, LARGE, 100, i % 2 == first ? 1 : 1000);
            ups += was_reduced && !viewer_extent_is_reduced(now);
            downs += !was_reduced && viewer_extent_is_reduced(now);
        }
        assert_true(ups <= 1 && downs <= 1);
        assert_int_equal(now, EXTENT_REDUCED);
    }
}

// A copy has a million pixels or less, and would have more with smaller squares.
TEST(squares)
{
    static const int rows[][3] = {{1, 1, 1},       {1000, 1000, 1},   {1001, 1000, 2},
                                  {1920, 1080, 2}, {4000, 3000, 4},   {32768, 1, 1},
                                  {32768, 31, 2},  {2000, 2000, 2},   {2001, 2000, 3},
                                  {8000, 8000, 8}, {32768, 32768, 33}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_int_equal(viewer_extent_factor(planes_shape(rows[i][0], rows[i][1], 1)), rows[i][2]);
}

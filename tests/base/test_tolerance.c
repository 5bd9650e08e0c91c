// What a tolerance lets pass, up to the last bit on both sides of its limit, and how it is told.
#include "unit.h"

#include <float.h>
#include <math.h>

#include "base/tolerance.h"

static float after(float x, int steps)
{
    for (; steps > 0; steps--) x = nextafterf(x, INFINITY);
    for (; steps < 0; steps++) x = nextafterf(x, -INFINITY);
    return x;
}

TEST(the_limit_itself_passes)
{
    static const struct {
        struct tolerance t;
        double is, wanted;
        bool passes;
    } rows[] = {
        {{TOLERANCE_NONE, 0}, 1, 1, true},
        {{TOLERANCE_NONE, 0}, 0, -0.0, true},
        {{TOLERANCE_NONE, 0}, 1, 1 + DBL_EPSILON, false},
        {{TOLERANCE_ABSOLUTE, 0.5}, 7.5, 7, true},
        {{TOLERANCE_ABSOLUTE, 0.5}, 6.5, 7, true},
        {{TOLERANCE_ABSOLUTE, 0.5}, 7.5 + 8 * DBL_EPSILON, 7, false},
        {{TOLERANCE_ABSOLUTE, 0.5}, 6.5 - 8 * DBL_EPSILON, 7, false},
        {{TOLERANCE_ABSOLUTE, 0.5}, 0.5, 0, true},
        {{TOLERANCE_RELATIVE, 0.25}, 10, 8, true},
        {{TOLERANCE_RELATIVE, 0.25}, 6, 8, true},
        {{TOLERANCE_RELATIVE, 0.25}, -10, -8, true},
        {{TOLERANCE_RELATIVE, 0.25}, 10 + 16 * DBL_EPSILON, 8, false},
        {{TOLERANCE_RELATIVE, 0.25}, 8, 10.7, false},  // of what is wanted, not of what is
        {{TOLERANCE_RELATIVE, 0.25}, 8, -8, false},
        // Of magnitudes below the least normal float, that one counts.
        {{TOLERANCE_RELATIVE, 0.25}, FLT_MIN / 4, 0, true},
        {{TOLERANCE_RELATIVE, 0.25}, -FLT_MIN / 4, 0, true},
        {{TOLERANCE_RELATIVE, 0.25}, FLT_MIN / 3, 0, false},
        {{TOLERANCE_RELATIVE, 0.25}, FLT_MIN / 8, FLT_MIN / 4, true},
        {{TOLERANCE_RELATIVE, 0.25}, FLT_MIN / 2, FLT_MIN / 8, false},
        {{TOLERANCE_RELATIVE, 1e-6}, FLT_TRUE_MIN, 0, true},
        {{TOLERANCE_RELATIVE, 1e-7}, FLT_TRUE_MIN, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((tolerance_error(rows[i].t, rows[i].is, rows[i].wanted) <= rows[i].t.most) !=
            rows[i].passes)
            fail_msg("row %zu: %g where %g is wanted", i, rows[i].is, rows[i].wanted);
}

TEST(floats_are_counted)
{
    static const float starts[] = {1, -1,          0,    FLT_MIN, -FLT_MIN, FLT_TRUE_MIN,
                                   2, 0.99999994f, 3e38f};
    const struct tolerance t = {TOLERANCE_ULP, 4};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (int steps = -6; steps <= 6; steps++) {
            const float x = after(starts[i], steps);
            assert_true(tolerance_error(t, (double)x, (double)starts[i]) == abs(steps));
            assert_true(tolerance_error(t, (double)starts[i], (double)x) == abs(steps));
        }
    assert_true(tolerance_error(t, -0.0, 0) == 0);
    assert_true(tolerance_error(t, (double)FLT_TRUE_MIN, (double)-FLT_TRUE_MIN) == 2);
    assert_true(tolerance_error(t, 1, 1.00000001) == 0);  // a double between two floats
    assert_true(tolerance_error(t, (double)FLT_MAX, (double)-FLT_MAX) > 4e9);
}

TEST(no_number_is_near_what_is_none)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0};
    for (int unit = TOLERANCE_NONE; unit <= TOLERANCE_ULP; unit++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
                const struct tolerance t = {(enum tolerance_unit)unit, unit ? 1e300 : 0};
                const double error = tolerance_error(t, values[i], values[k]);
                if (i == k) assert_true(error == 0);
                if (i != k && (i < 3 || k < 3)) assert_true(isinf(error));
            }
    const struct tolerance t = {TOLERANCE_ABSOLUTE, 1};
    assert_true(tolerance_error(t, -NAN, NAN) == 0);
    assert_true(isinf(tolerance_error((struct tolerance){0}, 1, 2)));
}

TEST(it_is_told_in_short)
{
    static const struct {
        struct tolerance t;
        double error;
        const char *text, *found;
    } rows[] = {
        {{TOLERANCE_NONE, 0}, 0, "exact", "exact"},
        {{TOLERANCE_RELATIVE, 1e-6}, 3.2e-7, "within 1e-6", "within 1e-6, max 3.2e-7"},
        {{TOLERANCE_RELATIVE, 1e-6}, 0, "within 1e-6", "within 1e-6, max 0"},
        {{TOLERANCE_RELATIVE, 2.5e-10}, 1e-10, "within 2.5e-10", "within 2.5e-10, max 1e-10"},
        {{TOLERANCE_RELATIVE, 0.001}, 0.00012345, "within 0.001", "within 0.001, max 0.000123"},
        {{TOLERANCE_ABSOLUTE, 0.001}, 1e-5, "within ±0.001", "within ±0.001, max 1e-5"},
        {{TOLERANCE_ABSOLUTE, 255}, 128, "within ±255", "within ±255, max 128"},
        {{TOLERANCE_ULP, 4}, 2, "within 4 ulp", "within 4 ulp, max 2"},
        {{TOLERANCE_ULP, 99999}, 12345, "within 99999 ulp", "within 99999 ulp, max 12345"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64] = "", found[64] = "not ";
        tolerance_append(text, sizeof text, rows[i].t);
        tolerance_append_found(found, sizeof found, rows[i].t, rows[i].error);
        assert_string_equal(text, rows[i].text);
        assert_string_equal(found + strlen("not "), rows[i].found);
    }
}

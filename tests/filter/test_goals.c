// test_goals -- goal lines of kernel files.
#include "unit.h"

#include "filter/filter.h"

static bool parse(struct filter *f, const char *line, struct error *err)
{
    char *text = g_strconcat("//! filter \"A\"\n", line,
                             "\nNO_PARAMS;\n//! variant a 32x8\nKERNEL(a)\n", NULL);
    const bool is_good = filter_parse(f, "a.cu", text, err);
    g_free(text);
    return is_good;
}

static void goals_are_read(void **state)
{
    static const struct {
        const char *line;
        struct goal goal;
    } rows[] = {
        {"//! goal sectors <= 1.05 ideal", {GOAL_SECTORS, GOAL_IDEAL, 1.05, 10}},
        {"//! goal sectors <= 2 copy points 30", {GOAL_SECTORS, GOAL_COPY, 2, 30}},
        {"//! goal conflicts = 0", {GOAL_CONFLICTS, GOAL_NUMBER, 0, 10}},
        {"//! goal conflicts <= 64 points 5", {GOAL_CONFLICTS, GOAL_NUMBER, 64, 5}},
        {"  //! goal   time<=1.2   copy", {GOAL_TIME, GOAL_COPY, 1.2, 10}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct filter f;
        struct error err = {""};
        if (!parse(&f, rows[i].line, &err)) fail_msg("%s", err.text);
        assert_int_equal(f.goal_count, 1);
        assert_int_equal(f.goals[0].figure, rows[i].goal.figure);
        assert_int_equal(f.goals[0].unit, rows[i].goal.unit);
        assert_true(f.goals[0].limit == rows[i].goal.limit);
        assert_int_equal(f.goals[0].points, rows[i].goal.points);
        filter_finish(&f);
    }
}

static void others_are_refused(void **state)
{
    static const struct {
        const char *line, *why;
    } rows[] = {
        {"//! goal", "expected: //! goal FIGURE <= N [UNIT] [points N]"},
        {"//! goal sectors 1.05 ideal", "expected: //! goal FIGURE <= N [UNIT] [points N]"},
        {"//! goal speed <= 2", "goal 'speed' is not one of sectors, conflicts and time"},
        {"//! goal sectors = 1 ideal", "a goal is a figure with <= and a limit, or = 0"},
        {"//! goal conflicts == 0", "a goal is a figure with <= and a limit, or = 0"},
        {"//! goal sectors <= -1 ideal", "a goal's limit is a number from 0 on"},
        {"//! goal sectors <= nan ideal", "a goal's limit is a number from 0 on"},
        {"//! goal sectors <= 2", "sectors is not told in ''"},
        {"//! goal conflicts <= 2 copy", "conflicts is not told in 'copy'"},
        {"//! goal time <= 2 ideal", "time is not told in 'ideal'"},
        {"//! goal time <= 2 copies", "time is not told in 'copies'"},
        {"//! goal time <= 2 copy point 3", "'point 3' is not understood; expected: points N"},
        {"//! goal time <= 2 copy points 0", "points are at least 1 and at most 100"},
        {"//! goal time <= 2 copy points 3 4", "'4' is too much"},
        {"//! goal conflicts = 0\n//! goal conflicts = 0\n//! goal conflicts = 0\n"
         "//! goal conflicts = 0\n//! goal conflicts = 0\n//! goal conflicts = 0\n"
         "//! goal conflicts = 0",
         "more than 6 goals"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct filter f;
        struct error err = {""};
        if (parse(&f, rows[i].line, &err)) fail_msg("'%s' is taken", rows[i].line);
        if (!strstr(err.text, rows[i].why)) fail_msg("'%s' is not in '%s'", rows[i].why, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_are_read),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

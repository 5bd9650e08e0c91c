#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter/directives_impl.h"

const char *const filter_goal_figures[GOAL_FIGURES] = {
    [GOAL_SECTORS] = "sectors", [GOAL_CONFLICTS] = "conflicts", [GOAL_TIME] = "time"};
const char *const filter_goal_units[GOAL_UNITS] = {
    [GOAL_NUMBER] = "", [GOAL_IDEAL] = "ideal", [GOAL_COPY] = "copy"};

// The units that a figure may have, as bits.
static const unsigned int units_of[GOAL_FIGURES] = {
    [GOAL_SECTORS] = 1u << GOAL_IDEAL | 1u << GOAL_COPY,
    [GOAL_CONFLICTS] = 1u << GOAL_NUMBER,
    [GOAL_TIME] = 1u << GOAL_COPY,
};

static int find(const char *const *names, int count, const char *name)
{
    while (count-- && strcmp(names[count], name) != 0) continue;
    return count;
}

// What stands behind the limit: a unit, and how many points.
static bool read_rest(struct reader *r, struct goal *goal, const char *text)
{
    char unit[16] = "";
    int used = 0;
    if (sscanf(text, " points %d %n", &goal->points, &used) != 1 || !used) {
        sscanf(text, " %15[a-z] %n", unit, &used);
        text += used;
        used = 0;
        if (*text && (sscanf(text, " points %d %n", &goal->points, &used) != 1 || !used))
            return directives_fail(r, "'%s' is not understood; expected: points N", text);
    }
    if (text[used]) return directives_fail(r, "'%s' is too much", text + used);
    const int found = find(filter_goal_units, GOAL_UNITS, unit);
    if (found < 0 || !(units_of[goal->figure] >> found & 1))
        return directives_fail(r,
                               "%s is not told in '%s'; known are sectors in ideal and copy, "
                               "conflicts, and time in copy",
                               filter_goal_figures[goal->figure], unit);
    goal->unit = (enum goal_unit)found;
    return (goal->points >= 1 && goal->points <= 100) ||
           directives_fail(r, "points are at least 1 and at most 100");
}

bool directives_read_goal(struct reader *r, const char *text)
{
    char figure[16], sign[3];
    int used = 0;
    struct goal goal = {.points = FILTER_GOAL_POINTS};
    if (sscanf(text, " %15[a-z] %2[<=] %lf %n", figure, sign, &goal.limit, &used) != 3 || !used)
        return directives_fail(r, "expected: //! goal FIGURE <= N [UNIT] [points N]");
    const int found = find(filter_goal_figures, GOAL_FIGURES, figure);
    if (found < 0)
        return directives_fail(r, "goal '%s' is not one of sectors, conflicts and time", figure);
    if (strcmp(sign, "<=") != 0 && (strcmp(sign, "=") != 0 || goal.limit != 0))
        return directives_fail(r, "a goal is a figure with <= and a limit, or = 0");
    if (!(goal.limit >= 0 && isfinite(goal.limit)))
        return directives_fail(r, "a goal's limit is a number from 0 on");
    goal.figure = (enum goal_figure)found;
    if (!read_rest(r, &goal, text + used)) return false;
    if (r->f->goal_count == FILTER_MAX_GOALS)
        return directives_fail(r, "more than %d goals", FILTER_MAX_GOALS);
    r->f->goals[r->f->goal_count++] = goal;
    return true;
}

#include "grade/grading.h"

#include <glib.h>
#include <string.h>

#include "base/rows.h"

static int score_of(const struct grade_test *t)
{
    return t->state == GRADE_PASSED ? t->points : 0;
}

// Every line of a text behind so many blanks.
static void add_indented(GString *all, const char *text, int indent)
{
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line) g_string_append_printf(all, "%*s%s\n", indent, "", *line);
    g_strfreev(lines);
}

char *grade_report_table(const struct grade *g)
{
    enum { INDENT = 15, LONG = 60 };  // a longer text is not said twice in a row
    static const char *const marks[] = {
        [GRADE_PASSED] = "✓", [GRADE_FAILED] = "✗", [GRADE_NOT_JUDGED] = "–"};
    GString *all = g_string_new(NULL);
    g_string_append_printf(all, "%s%s%s against %s: %d of %d points  (--seed %u)\n", g->file,
                           g->variant ? ", " : "", g->variant ? g->variant : "", g->given,
                           grade_score(g), grade_max(g), g->seed);
    const char *last = "";
    for (int i = 0; i < g->count; i++) {
        const struct grade_test *t = &g->tests[i];
        char points[32] = "not judged";
        if (t->state != GRADE_NOT_JUDGED)
            g_snprintf(points, sizeof points, "%d of %d", score_of(t), t->points);
        g_string_append_printf(all, "%s %11s  %s\n", marks[t->state], points, t->name);
        const bool is_again = strlen(t->output) > LONG && !strcmp(t->output, last);
        add_indented(all, is_again ? "the same as above" : t->output, INDENT);
        last = t->output;
    }
    add_indented(all, g->notes, 0);
    return g_string_free(all, FALSE);
}

char *grade_report_json(const struct grade *g)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "score", grade_score(g));
    cJSON_AddNumberToObject(json, "max_score", grade_max(g));
    cJSON_AddStringToObject(json, "file", g->file);
    cJSON_AddStringToObject(json, "against", g->given);
    if (g->variant) cJSON_AddStringToObject(json, "variant", g->variant);
    cJSON_AddNumberToObject(json, "seed", g->seed);
    cJSON_AddStringToObject(json, "output", g->notes);
    cJSON *tests = cJSON_AddArrayToObject(json, "tests");
    for (int i = 0; i < g->count; i++) {
        const struct grade_test *t = &g->tests[i];
        const bool is_judged = t->state != GRADE_NOT_JUDGED;
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", t->name);
        cJSON_AddNumberToObject(one, "score", score_of(t));
        cJSON_AddNumberToObject(one, "max_score", is_judged ? t->points : 0);
        if (is_judged)
            cJSON_AddStringToObject(one, "status", t->state == GRADE_PASSED ? "passed" : "failed");
        cJSON_AddStringToObject(one, "output", t->output);
        cJSON_AddItemToArray(tests, one);
    }
    return rows_print_json(json);
}

#include "grade/grade_report.h"

#include <glib.h>
#include <string.h>

#include "base/rows.h"

static const char *mark_of(const struct grade_test *t)
{
    switch (t->state) {
    case GRADE_PASSED:
        return "✓";
    case GRADE_FAILED:
        return "✗";
    case GRADE_NOT_JUDGED:
        return "–";
    }
    return "";
}

static int score_of(const struct grade_test *t)
{
    return t->state == GRADE_PASSED ? t->points : 0;
}

static char *points_of(const struct grade_test *t)
{
    return t->state == GRADE_NOT_JUDGED ? g_strdup("not judged")
                                        : g_strdup_printf("%d of %d", score_of(t), t->points);
}

static char *title_of(const struct grade *g)
{
    return g_strdup_printf("%s%s%s against %s: %d of %d points", g->file, g->variant ? ", " : "",
                           g->variant ? g->variant : "", g->given, grade_score(g), grade_max(g));
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
    char *title = title_of(g);
    GString *all = g_string_new(title);
    g_free(title);
    g_string_append_printf(all, "  (--seed %u)\n", g->seed);
    const char *last = "";
    for (int i = 0; i < g->count; i++) {
        const struct grade_test *t = &g->tests[i];
        char *points = points_of(t);
        g_string_append_printf(all, "%s %11s  %s\n", mark_of(t), points, t->name);
        const bool is_again = strlen(t->output) > LONG && !strcmp(t->output, last);
        add_indented(all, is_again ? "the same as above" : t->output, INDENT);
        last = t->output;
        g_free(points);
    }
    add_indented(all, g->notes, 0);
    return g_string_free(all, FALSE);
}

// ---- JSON ----

static void add_test(cJSON *tests, const struct grade_test *t)
{
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "name", t->name);
    cJSON_AddNumberToObject(one, "score", score_of(t));
    cJSON_AddNumberToObject(one, "max_score", t->state == GRADE_NOT_JUDGED ? 0 : t->points);
    if (t->state != GRADE_NOT_JUDGED)
        cJSON_AddStringToObject(one, "status", t->state == GRADE_PASSED ? "passed" : "failed");
    cJSON_AddStringToObject(one, "output", t->output);
    cJSON_AddItemToArray(tests, one);
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
    for (int i = 0; i < g->count; i++) add_test(tests, &g->tests[i]);
    return rows_print_json(json);
}

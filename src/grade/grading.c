#include "grade/grading.h"

#include <glib.h>
#include <string.h>

#include "base/rows.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "base/text.h"
#include "grade/expected.h"
#include "grade/inspection.h"
#include "grade/proctor.h"
#include "device/sandbox.h"
#include "grade/submission.h"
#include "grade/timekeeper.h"
#include "frame/trials.h"

enum { POINTS_OF_TRIAL = 5, POINTS_OF_SAFETY = 10, MAX_ROUNDS = 8 };

// Source lines that a test's output is to name, once they are known.
struct place {
    guint test;
    unsigned int site;
};

struct grading {
    const struct grading_request *request;
    struct grade *grade;
    GArray *tests;   // struct grade_test
    GArray *places;  // struct place
    GString *notes;
    struct submission submission;
    const struct variant *variant;
    struct proctor *proctor;
    struct expected *expected;
    struct trial trials[TRIALS_COUNT];
    struct inspection *counted;  // of the last trial; NULL: it has not run to its end
    struct finding bounds, race;
    bool has_run, is_any_right, are_all_right;  // of the trials
    char no_result[96], not_every[96];          // "no points, because no result is exact"
};

// The output may quote the submission, and goes to terminals and pages.
static void add_test(struct grading *g, char *name, enum grade_state state, int points,
                     const char *output)
{
    const struct grade_test test = {name, terminal_clean(output), state, points};
    g_array_append_val(g->tests, test);
}

// The output of the last test will name the line.
static void name_site(struct grading *g, unsigned int site)
{
    const struct place place = {g->tests->len - 1, site};
    g_array_append_val(g->places, place);
}

// ---- a trial ----

// False: the grader itself failed.
static bool run_trial(struct grading *g, const struct trial *t, struct error *err)
{
    struct error why = {""};
    if (!expected_begin(g->expected, t, g->proctor->before, WIRE_HALF, err)) return false;
    struct inspection *i = inspection_create(&g->submission.filter, t);
    // The trial runs until the counts are settled: each round knows more ways than the one before.
    int round = 0;
    bool has_run;
    do has_run = proctor_run(g->proctor, t, i, &why);
    while (has_run && t->is_counted && inspection_must_repeat(i) && ++round < MAX_ROUNDS);
    if (round == MAX_ROUNDS) has_run = error_set(&why, "its requests could not be counted");
    const bool is_right = has_run && expected_check(g->expected, g->proctor->after, &why);
    add_test(g, trial_name(t, g->request->given), is_right ? GRADE_PASSED : GRADE_FAILED,
             POINTS_OF_TRIAL, why.text);
    g->has_run |= has_run;
    g->is_any_right |= is_right;
    g->are_all_right &= is_right;
    if (!g->bounds.site_count) g->bounds = *inspection_bounds(i);
    if (!g->race.site_count) g->race = inspection_race(i);
    if (t->is_counted && has_run)
        g->counted = i;
    else
        inspection_destroy(i);
    return true;
}

// ---- what the logs tell ----

// A kernel that does nothing is not safe, but useless.
static void add_finding(struct grading *g, const char *name, const struct finding *f)
{
    const bool is_good = g->is_any_right && !f->site_count;
    add_test(g, g_strdup(name), is_good ? GRADE_PASSED : GRADE_FAILED, POINTS_OF_SAFETY,
             f->site_count     ? f->what
             : g->is_any_right ? ""
             : g->has_run      ? g->no_result
                               : "not run");
    for (int i = 0; i < f->site_count; i++)
        if (i == 0 || f->site[i] != f->site[0]) name_site(g, f->site[i]);
}

// Adds a test of that name, which it takes over. False: the grader itself failed.
static bool judge_time(struct grading *g, const struct goal *goal, char *name, struct error *err)
{
    double ratio = 0;
    struct error why = {""};
    const struct timekeeper timekeeper = {.program = g->request->program,
                                          .device = "cuda",
                                          .given = g->request->given,
                                          .submission = &g->submission,
                                          .variant = g->variant};
    const enum stopwatch_outcome outcome = timekeeper_measure(&timekeeper, &ratio, &why);
    if (outcome == STOPWATCH_FAILED) {
        g_free(name);
        *err = why;
        return error_prefix(err, "no time can be taken on the GPU: ");
    }
    const bool is_met = outcome == STOPWATCH_TIMED && ratio <= goal->limit;
    if (outcome == STOPWATCH_TIMED) error_set(&why, "time: %.3f × copy", ratio);
    add_test(g, name, is_met ? GRADE_PASSED : GRADE_FAILED, goal->points, why.text);
    return true;
}

// A wrong result gets no points for being cheap. What leaves its memory is not let onto a GPU.
// False: the grader itself failed.
static bool judge_goal(struct grading *g, const struct goal *goal, struct error *err)
{
    const bool is_time = goal->figure == GOAL_TIME;
    const char *const unit = filter_goal_units[goal->unit];
    char *const name = g_strdup_printf("goal: %s at most %g%s%s", filter_goal_figures[goal->figure],
                                       goal->limit, goal->unit == GOAL_NUMBER ? "" : " × ", unit);
    const char *const refusal = !g->are_all_right || !g->counted ? g->not_every
                                : is_time && g->bounds.site_count
                                    ? "no points, because the kernel leaves its memory"
                                    : NULL;
    if (is_time && !backend_best().is_gpu)
        add_test(g, name, GRADE_NOT_JUDGED, goal->points, "there is no GPU here");
    else if (refusal)
        add_test(g, name, GRADE_FAILED, goal->points, refusal);
    else if (is_time)
        return judge_time(g, goal, name, err);
    if (is_time || refusal) return true;
    const enum trace_space space = goal->figure == GOAL_CONFLICTS ? TRACE_SHARED : TRACE_GLOBAL;
    // The figure in the goal's unit. A device copy moves as many sectors as a launch must.
    const struct lens_counts shared = inspection_counts(g->counted, TRACE_SHARED);
    struct lens_counts global = inspection_counts(g->counted, TRACE_GLOBAL);
    const struct lens_counts texture = inspection_counts(g->counted, TRACE_TEXTURE);
    struct arrays_layout layout = {.least_bytes = 0};
    trial_layout(&g->trials[TRIALS_COUNT - 1], g->request->given, &layout, NULL);
    model_add(&global, &texture);
    const double sectors = goal->unit == GOAL_IDEAL ? (double)global.ideal_sectors
                                                    : layout.least_bytes / MODEL_SECTOR_BYTES;
    const double figure = goal->figure == GOAL_CONFLICTS ? (double)model_conflicts(&shared)
                          : sectors > 0                  ? (double)global.sectors / sectors
                                                         : 0;
    const bool is_met = figure <= goal->limit;
    unsigned int site;
    g_autofree char *output = g_strdup_printf("%s: %.*f%s%s", filter_goal_figures[goal->figure],
                                              *unit ? 3 : 0, figure, *unit ? " × " : "", unit);
    add_test(g, name, is_met ? GRADE_PASSED : GRADE_FAILED, goal->points, output);
    if (!is_met && inspection_worst(g->counted, space, &site)) name_site(g, site);
    return true;
}

// ---- source lines ----

// Appends to outputs the innermost line that is the student's own; headers are ours.
static void name_places(struct grading *g)
{
    const int count = (int)g->places->len;
    const char *const own = g->submission.name;
    g_autofree unsigned int *sites = g_new0(unsigned int, count + 1);
    g_autofree struct trace_chain *chains = g_new0(struct trace_chain, count + 1);
    const struct place *places = (const struct place *)(const void *)g->places->data;
    for (int i = 0; i < count; i++) sites[i] = places[i].site;
    if (!count ||
        !proctor_find_lines(g->request->program, &g->submission, g->variant, sites, count, chains))
        return;
    g_auto(GStrv) lines = g_strsplit(g->submission.filter.source, "\n", -1);
    for (int i = 0; i < count; i++) {
        const struct trace_chain *const chain = &chains[i];
        int at = 0;
        while (at < chain->count && strcmp(chain->places[at].file, own) != 0) at++;
        if (!chain->count) continue;
        const struct trace_place *place = &chain->places[at < chain->count ? at : 0];
        struct grade_test *test = &g_array_index(g->tests, struct grade_test, places[i].test);
        const bool is_there =
            at < chain->count && place->line >= 1 && place->line <= (int)g_strv_length(lines);
        g_autofree char *output =
            g_strdup_printf("%s\n%s:%d: %s", test->output, place->file, place->line,
                            is_there ? g_strstrip(lines[place->line - 1]) : "");
        g_free(test->output);
        test->output = terminal_clean(output);
    }
}

// ---- the whole ----

// Does all that comes before the first kernel. False: *is_own says whether the grader failed.
static bool compile(struct grading *g, bool *is_own, struct error *err)
{
    char missing[2 * SANDBOX_MISSING];
    const struct grading_request *r = g->request;
    *is_own = false;
    if (!submission_open(&g->submission, r->given, r->path, r->include, err)) return false;
    g->submission.may_be_open = r->may_be_open;
    g->submission.trial_s = r->trial_s;
    g_string_append(g->notes, g->submission.notes);
    const struct filter *f = &g->submission.filter;
    g->variant = r->variant ? filter_variant(f, r->variant) : &f->variants[f->variant_count - 1];
    *is_own = true;
    if (!g->variant)
        return error_set(err, "%s has no variant '%s'", g->submission.name, r->variant);
    if (!(g->proctor = proctor_start(r->program, &g->submission, g->variant, err))) return false;
    *is_own = false;
    if (!submission_can_be_graded(&g->submission, g->variant, err) ||
        !proctor_load(g->proctor, missing, sizeof missing, err))
        return false;
    g_autofree char *line =
        g_strdelimit(terminal_clean(missing), "\n\t", ' ');  // the submission may lie
    if (*line) g_string_append_printf(g->notes, "the sandbox of this system lacks: %s\n", line);
    return true;
}

// True if a file of our own gets as far, on a disk that may be full and with tools that may be
// missing: if it does not, what failed is not the student's.
static bool can_do_ours(const struct grading *g, struct error *err)
{
    const struct grading_request *r = g->request;
    const bool was_opened = g->submission.folder != NULL;
    char missing[2 * SANDBOX_MISSING], *text = submission_skeleton(r->given);
    OWNED(submission_close) struct submission s;
    struct proctor *p = NULL;
    const bool is_open = submission_open_text(&s, r->given, "skeleton.cu", text, r->include, err);
    s.may_be_open = r->may_be_open;
    const bool is_good =
        is_open &&
        (!was_opened || ((p = proctor_start(r->program, &s, &s.filter.variants[0], err)) &&
                         proctor_load(p, missing, sizeof missing, err)));
    proctor_stop(p);
    g_free(text);
    return is_good || error_prefix(err, "the grader cannot compile a file of its own: ");
}

static bool grade(struct grading *g, struct error *err)
{
    bool is_own;
    struct error why = {""};
    g->expected = expected_create(g->request->given, g->request->include, err);
    if (!g->expected) return false;
    const bool is_compiled = compile(g, &is_own, &why);
    if (is_own) return error_set(err, "%s", why.text);
    if (!is_compiled && !signals_came() && !can_do_ours(g, err)) return false;
    if (g->variant) g->grade->variant = g_strdup(g->variant->name);
    add_test(g, g_strdup("compiles"), is_compiled ? GRADE_PASSED : GRADE_FAILED, POINTS_OF_TRIAL,
             why.text);
    // A check that does not run has failed: the number of possible points stays the same.
    const struct filter *const given = g->request->given;
    const char *reason_against = is_compiled ? NULL : "not run";
    trials_draw(g->trials, given, g->variant ? g->variant : given->variants, g->request->seed);
    g->are_all_right = is_compiled;
    for (int i = 0; i < TRIALS_COUNT; i++) {
        if (g->proctor && g->proctor->is_over) reason_against = "not run: the process ended";
        if (!reason_against && !run_trial(g, &g->trials[i], err)) return false;
        if (!reason_against) continue;
        add_test(g, trial_name(&g->trials[i], given), GRADE_FAILED, POINTS_OF_TRIAL,
                 reason_against);
        g->are_all_right = false;
    }
    add_finding(g, "stays inside of its memory", &g->bounds);
    add_finding(g, "has no race", &g->race);
    for (int i = 0; i < given->goal_count; i++)
        if (!judge_goal(g, &given->goals[i], err)) return false;
    if (g->is_any_right)
        g_string_append(g->notes, "A kernel that works around the measuring can get the points for "
                                  "memory, races and goals unnoticed: read it.\n");
    name_places(g);
    return true;
}

bool grading_run(const struct grading_request *request, struct grade *result, struct error *err)
{
    g_autofree struct grading *g = g_new0(struct grading, 1);
    *g = (struct grading){.request = request,
                          .grade = result,
                          .tests = g_array_new(FALSE, FALSE, sizeof(struct grade_test)),
                          .places = g_array_new(FALSE, FALSE, sizeof(struct place)),
                          .notes = g_string_new(NULL)};
    text_copy(g->no_result, sizeof g->no_result, "no points, because no result is ");
    text_copy(g->not_every, sizeof g->not_every, "no points, because not every result is ");
    tolerance_append(g->no_result, sizeof g->no_result, request->given->tolerance);
    tolerance_append(g->not_every, sizeof g->not_every, request->given->tolerance);
    g_autofree char *name = g_path_get_basename(request->path);
    *result = (struct grade){.file = g_strdelimit(terminal_clean(name), "\n\t", ' '),
                             .given = g_strdup(request->given->name),
                             .seed = request->seed};
    const bool is_graded = grade(g, err);
    proctor_stop(g->proctor);
    expected_destroy(g->expected);
    inspection_destroy(g->counted);
    g_array_unref(g->places);
    submission_close(&g->submission);
    result->notes = g_string_free(g->notes, FALSE);
    result->count = (int)g->tests->len;
    result->tests = (struct grade_test *)(void *)g_array_free(g->tests, FALSE);
    for (int i = 0; i < result->count; i++) {
        const struct grade_test *t = &result->tests[i];
        if (t->state == GRADE_PASSED) result->score += t->points;
        if (t->state != GRADE_NOT_JUDGED) result->max += t->points;
    }
    return is_graded;
}

void grade_finish(struct grade *g)
{
    for (int i = 0; i < g->count; i++) {
        g_free(g->tests[i].name);
        g_free(g->tests[i].output);
    }
    g_free(g->tests);
    g_free(g->file);
    g_free(g->given);
    g_free(g->variant);
    g_free(g->notes);
    *g = (struct grade){.count = 0};
}

// ---- the reports ----

// Every line of a text behind so many blanks.
static void add_indented(GString *all, const char *text, int indent)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line) g_string_append_printf(all, "%*s%s\n", indent, "", *line);
}

char *grade_report_table(const struct grade *g)
{
    enum { INDENT = 15, LONG = 60 };  // a longer text is not said twice in a row
    static const char *const marks[] = {
        [GRADE_PASSED] = "✓", [GRADE_FAILED] = "✗", [GRADE_NOT_JUDGED] = "–"};
    GString *all = g_string_new(NULL);
    g_string_append_printf(all, "%s%s%s against %s: %d of %d points  (--seed %u)\n", g->file,
                           g->variant ? ", " : "", g->variant ? g->variant : "", g->given, g->score,
                           g->max, g->seed);
    const char *last = "";
    for (int i = 0; i < g->count; i++) {
        const struct grade_test *t = &g->tests[i];
        char points[32] = "not judged";
        if (t->state != GRADE_NOT_JUDGED)
            g_snprintf(points, sizeof points, "%d of %d", t->state == GRADE_PASSED ? t->points : 0,
                       t->points);
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
    rows_add_members(json, "score%d max_score%d file%s against%s", g->score, g->max, g->file,
                     g->given);
    if (g->variant) cJSON_AddStringToObject(json, "variant", g->variant);
    rows_add_members(json, "seed%g output%s", (double)g->seed, g->notes);
    cJSON *tests = cJSON_AddArrayToObject(json, "tests");
    for (int i = 0; i < g->count; i++) {
        const struct grade_test *t = &g->tests[i];
        const bool is_judged = t->state != GRADE_NOT_JUDGED;
        cJSON *one = rows_add_object(tests);
        rows_add_members(one, "name%s score%d max_score%d", t->name,
                         t->state == GRADE_PASSED ? t->points : 0, is_judged ? t->points : 0);
        if (is_judged)
            cJSON_AddStringToObject(one, "status", t->state == GRADE_PASSED ? "passed" : "failed");
        cJSON_AddStringToObject(one, "output", t->output);
    }
    return rows_print_json(json);
}

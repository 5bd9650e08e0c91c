#include "grade/grading.h"

#include <glib.h>
#include <string.h>

#include "grade/expected.h"
#include "grade/proctor.h"
#include "grade/sandbox.h"
#include "grade/submission.h"
#include "grade/trials.h"

enum { POINTS_OF_TRIAL = 5, WHAT = 512 };

struct grading {
    const struct grading_request *request;
    struct grade *grade;
    GArray *tests;
    struct submission submission;
    const struct variant *variant;
    struct proctor *proctor;
    struct expected *expected;
    struct trial trials[TRIALS_COUNT];
};

static void add_test(struct grading *g, char *name, enum grade_state state, int points,
                     const char *output)
{
    const struct grade_test test = {name, g_strdup(output), state, points};
    g_array_append_val(g->tests, test);
}

// ---- a trial ----

static void ignore_memory(void *data, const struct wire_memory *list, int count)
{
    (void)data, (void)list, (void)count;
}

static void ignore_pass(void *data, const struct wire_pass *pass)
{
    (void)data, (void)pass;
}

static void ignore_block(void *data, const struct trace_block *block)
{
    (void)data, (void)block;
}

static char *name_of(const struct grading *g, const struct trial *t)
{
    char text[256];
    trial_describe(t, g->request->given, text, sizeof text);
    return g_strdup_printf("exact with %s", text);
}

// False: the grader itself failed.
static bool run_trial(struct grading *g, const struct trial *t, struct error *err)
{
    const struct proctor_listener listener = {g, ignore_memory, ignore_pass, ignore_block};
    struct error why = {""};
    char what[WHAT] = "";
    if (!expected_begin(g->expected, t, proctor_before(g->proctor), WIRE_HALF, err)) return false;
    const bool has_run = proctor_run(g->proctor, t, &listener, &why);
    const bool is_right =
        has_run && expected_check(g->expected, proctor_after(g->proctor), what, sizeof what);
    add_test(g, name_of(g, t), is_right ? GRADE_PASSED : GRADE_FAILED, POINTS_OF_TRIAL,
             has_run ? what : why.text);
    return true;
}

// What does not run is failed, too: the points that there are to get stay the same.
static bool run_trials(struct grading *g, const char *reason_against, struct error *err)
{
    const struct filter *given = g->request->given;
    const struct variant *variant = g->variant ? g->variant : given->variants;
    trials_draw(g->trials, given, variant, g->request->seed);
    for (int i = 0; i < TRIALS_COUNT; i++) {
        if (g->proctor && proctor_is_over(g->proctor))
            reason_against = "not run: the process ended";
        if (reason_against)
            add_test(g, name_of(g, &g->trials[i]), GRADE_FAILED, POINTS_OF_TRIAL, reason_against);
        else if (!run_trial(g, &g->trials[i], err))
            return false;
    }
    return true;
}

// ---- the whole ----

// NULL: err says which there are.
static const struct variant *choose_variant(const struct grading *g, struct error *err)
{
    const struct filter *f = &g->submission.filter;
    if (!g->request->variant) return &f->variants[f->variant_count - 1];
    const struct variant *v = filter_variant(f, g->request->variant);
    if (!v) error_set(err, "%s has no variant '%s'", g->submission.name, g->request->variant);
    return v;
}

static void add_note(struct grading *g, const char *format, const char *what)
{
    if (!*what) return;
    char *line = g_strdup_printf(format, what);
    char *all = g_strconcat(g->grade->notes ? g->grade->notes : "", line, NULL);
    g_free(g->grade->notes);
    g->grade->notes = all;
    g_free(line);
}

// Up to the first kernel that may run. False: *is_own says whether the grader failed.
static bool compile(struct grading *g, bool *is_own, struct error *err)
{
    char missing[2 * SANDBOX_MISSING];
    const struct grading_request *r = g->request;
    *is_own = false;
    if (!submission_open(&g->submission, r->given, r->path, r->include, err)) return false;
    add_note(g, "%s", g->submission.notes);
    *is_own = true;
    if (!(g->variant = choose_variant(g, err)) ||
        !(g->proctor = proctor_start(r->program, &g->submission, g->variant, err)))
        return false;
    *is_own = false;
    if (!proctor_compile(g->proctor, err) || !proctor_check_symbols(g->proctor, err) ||
        !proctor_seal(g->proctor, missing, sizeof missing, err))
        return false;
    add_note(g, "the sandbox of this system lacks: %s\n", missing);
    return true;
}

static bool grade(struct grading *g, struct error *err)
{
    bool is_own;
    struct error why = {""};
    const bool is_compiled = compile(g, &is_own, &why);
    if (is_own) return error_set(err, "%s", why.text);
    if (g->variant) g->grade->variant = g_strdup(g->variant->name);
    add_test(g, g_strdup("compiles"), is_compiled ? GRADE_PASSED : GRADE_FAILED, POINTS_OF_TRIAL,
             why.text);
    if (!is_compiled) return run_trials(g, "not run", err);
    g->expected = expected_create(g->request->given, g->request->include, err);
    return g->expected && run_trials(g, NULL, err);
}

bool grading_run(const struct grading_request *request, struct grade *result, struct error *err)
{
    struct grading *g = g_new0(struct grading, 1);
    *g = (struct grading){.request = request,
                          .grade = result,
                          .tests = g_array_new(FALSE, FALSE, sizeof(struct grade_test))};
    *result = (struct grade){.file = g_path_get_basename(request->path),
                             .given = g_strdup(request->given->name),
                             .seed = request->seed,
                             .notes = g_strdup("")};
    const bool is_graded = grade(g, err);
    proctor_stop(g->proctor);
    expected_destroy(g->expected);
    submission_close(&g->submission);
    result->count = (int)g->tests->len;
    result->tests = (struct grade_test *)(void *)g_array_free(g->tests, FALSE);
    g_free(g);
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

int grade_score(const struct grade *g)
{
    int sum = 0;
    for (int i = 0; i < g->count; i++)
        if (g->tests[i].state == GRADE_PASSED) sum += g->tests[i].points;
    return sum;
}

int grade_max(const struct grade *g)
{
    int sum = 0;
    for (int i = 0; i < g->count; i++)
        if (g->tests[i].state != GRADE_NOT_JUDGED) sum += g->tests[i].points;
    return sum;
}

bool grade_has_passed(const struct grade *g)
{
    return grade_score(g) == grade_max(g);
}

// What the lens counts must hardly depend on the compiler: every variant of every filter and lab,
// traced with gcc and with clang. None of them may have threads that race.
#include "unit.h"

#include <stdio.h>

#include "bench.h"

enum { COMPILERS = 2, LARGEST = 37, SKIPPED = 77 };
static const char *const compilers[COMPILERS] = {"gcc", "clang"};

// Where the two differ, and why. Nothing else may differ. On a GPU the compiler optimizes, so GCC's
// counts are nearer to it.
static const char again[] = "clang at -O0 loads again, each time, what GCC keeps in a register";
static const char halves[] = "clang passes 16 bytes to a function as two loads of 8";
static const struct difference {
    const char *kernel;
    enum trace_space space;
    enum trace_kind kind;
    const char *why;
} differences[] = {
    {"constants_global", TRACE_GLOBAL, TRACE_LOAD, again},
    {"constants_shared", TRACE_GLOBAL, TRACE_LOAD, again},
    {"constants_constant", TRACE_GLOBAL, TRACE_LOAD, again},
    {"matmul_registers", TRACE_SHARED, TRACE_LOAD, again},
    {"mean_running", TRACE_SHARED, TRACE_LOAD, again},
    {"threshold_running", TRACE_SHARED, TRACE_LOAD, again},
    {"matvec_vector", TRACE_GLOBAL, TRACE_LOAD, halves},
    {"matvec_block", TRACE_GLOBAL, TRACE_LOAD, halves},
    {"sum_vector", TRACE_GLOBAL, TRACE_LOAD, halves},
    {"transpose_vector", TRACE_SHARED, TRACE_LOAD, halves},
};

struct comparison {
    struct bench benches[COMPILERS];
    int equal, explained, unexplained;
};

// Small sizes: whole numbers are the CPU's, but not above LARGEST.
static struct settings settings_of(const struct filter *f)
{
    struct settings s = {.params = filter_defaults(f)};
    for (int i = 0; i < f->param_count; i++)
        if (!filter_has_picture(f)) s.params.v[i] = MIN(s.params.v[i], LARGEST);
    return s;
}

static const struct lens_result *trace(struct bench *b, const char *compiler,
                                       const struct choice *c)
{
    const struct tracing_request r = {.choice = *c, .is_whole = true};
    g_setenv("CC", compiler, TRUE);  // it is looked for when it is needed
    const struct lens_result *result = bench_trace(b, &r);
    if (lens_result_fault_count(result))
        fail_msg("%s with %s: threads race", c->variant->name, compiler);
    return result;
}

static const char *reason(const char *kernel, int space, int kind)
{
    for (size_t i = 0; i < G_N_ELEMENTS(differences); i++)
        if (!strcmp(differences[i].kernel, kernel) && (int)differences[i].space == space &&
            (int)differences[i].kind == kind)
            return differences[i].why;
    return NULL;
}

static void compare_counts(struct comparison *b, const struct lens_pass *p,
                           const struct lens_pass *q, int space, int kind)
{
    const struct lens_counts *a = &p->counts[space][kind], *c = &q->counts[space][kind];
    if (memcmp(a, c, sizeof *a) == 0) {
        b->equal += a->requests > 0;
        return;
    }
    const char *why = reason(p->kernel, space, kind);
    b->explained += why != NULL;
    b->unexplained += why == NULL;
    print_message("%s, %s %s: with %s %llu requests, %llu lanes, %llu sectors, %llu wavefronts; "
                  "with %s %llu, %llu, %llu, %llu: %s\n",
                  p->kernel, lens_result_space_name((enum trace_space)space),
                  lens_result_kind_name((enum trace_kind)kind), compilers[0], a->requests, a->lanes,
                  a->sectors, a->wavefronts, compilers[1], c->requests, c->lanes, c->sectors,
                  c->wavefronts, why ? why : "why?");
}

static void compare_variant(struct comparison *b, const struct choice *c)
{
    const struct lens_result *r[COMPILERS];
    for (int i = 0; i < COMPILERS; i++) r[i] = trace(&b->benches[i], compilers[i], c);
    assert_int_equal(r[0]->pass_count, r[1]->pass_count);
    for (int pass = 0; pass < r[0]->pass_count; pass++)
        for (int space = 0; space < LENS_RESULT_SPACES; space++)
            for (int kind = TRACE_LOAD; kind < LENS_RESULT_KINDS; kind++)
                compare_counts(b, &r[0]->passes[pass], &r[1]->passes[pass], space, kind);
}

TEST(counts_depend_on_the_compiler_only_where_it_is_known)
{
    struct comparison *b = *state;
    const struct filter_list *filters = &b->benches[0].filters;
    for (int i = 0; i < filters->count; i++) {
        const struct filter *f = &filters->filters[i];
        for (int k = 0; k < f->variant_count; k++) {
            const struct choice c = {f, &f->variants[k], settings_of(f)};
            if (f->variants[k].library.function) continue;  // nothing of it is traced
            compare_variant(b, &c);
        }
    }
    print_message("%d counts equal, %d differ for a reason\n", b->equal, b->explained);
    assert_true(b->equal > 100);
    assert_int_equal(b->unexplained, 0);
}

// ---- the bench ----

static int set_up(void **state)
{
    struct comparison *b = g_new0(struct comparison, 1);
    for (int i = 0; i < COMPILERS; i++) bench_open(&b->benches[i], 67, 19, 3);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    g_autofree struct comparison *b = *state;
    for (int i = 0; i < COMPILERS; i++) bench_close(&b->benches[i]);
    return 0;
}

int main(void)
{
    for (int i = 0; i < COMPILERS; i++) {
        char *found = g_find_program_in_path(compilers[i]);
        g_free(found);
        if (found) continue;
        printf("skipped: there is no %s\n", compilers[i]);
        return SKIPPED;
    }
    return unit_run("compilers", set_up, tear_down);
}

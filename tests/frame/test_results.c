// The results: which points are one, what is measured next, what is kept, what is predicted.
#include "unit.h"

#include <math.h>
#include <time.h>

#include "frame/results.h"

// Blocks of all kinds: free, fixed, passes of one default, of two, one of them fixed.
static const char ladder[] =
    "//! filter \"Ladder\"\n"
    "#include \"kernel.h\"\n"
    "//! param radius 3 [0, 64] taps\n"
    "//! param bias 0 [-9, 9] offset\n"
    "//! variant naive 32x8\n__global__ void ladder_naive() {}\n"
    "//! variant shared 16x16\n__global__ void ladder_shared() {}\n"
    "//! variant running 64x1 block=fixed\n__global__ void ladder_running() {}\n"
    "//! variant twice 32x8\n__global__ void ladder_rows() {}\n"
    "//! variant twice 32x8\n__global__ void ladder_columns() {}\n"
    "//! variant uneven 32x8\n__global__ void ladder_first() {}\n"
    "//! variant uneven 64x4\n__global__ void ladder_second() {}\n"
    "//! variant mixed 256x1 block=fixed\n__global__ void ladder_fixed() {}\n"
    "//! variant mixed 32x8\n__global__ void ladder_free() {}\n";
static const char plain[] = "//! filter \"Plain\"\n#include \"kernel.h\"\n"
                            "//! variant vector 32x8\n__global__ void plain_vector() {}\n";

static const char inverted[] =
    "//! filter \"Invert\"\n#include \"kernel.h\"\n"
    "//! reference out\n"
    "__host__ __device__ int inverse(plane in, int x, int y) { return 255 - load(in, x, y); }\n"
    "//! variant naive 32x8\n__global__ void invert_naive() {}\n"
    "//! variant vector 32x8\n__global__ void invert_vector() {}\n";

// A lab of two numbers: one is the size of its arrays.
static const char vector[] = "//! lab \"Vector\"\n#include \"lab.h\"\n"
                             "//! param n 1024 [1, 1073741824] elements\n"
                             "//! param m 2 [1, 64] times\n"
                             "//! array x int in [n] noise 0, 9\n"
                             "//! array y int out [n] shown 0, 9\n"
                             "//! reference y\n__host__ __device__ int zero() { return 0; }\n"
                             "//! variant naive 256x1\n__global__ void vector_naive() {}\n"
                             "//! variant shared 256x1\n__global__ void vector_shared() {}\n";

struct world {
    struct filter vector;
    struct filter ladder, plain;  // without references
    struct filter invert;
    struct results *results;
};

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    assert_true(filter_parse(&w->ladder, "ladder.cu", ladder, NULL, NULL));
    assert_true(filter_parse(&w->plain, "plain.cu", plain, NULL, NULL));
    assert_true(filter_parse(&w->invert, "invert.cu", inverted, NULL, NULL));
    assert_true(filter_parse(&w->vector, "vector.cu", vector, NULL, NULL));
    w->results = results_create();
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    g_autofree struct world *w = *state;
    results_destroy(w->results);
    filter_finish(&w->vector);
    filter_finish(&w->ladder);
    filter_finish(&w->plain);
    filter_finish(&w->invert);
    return 0;
}

static struct choice at(const struct world *w, const char *variant, int radius)
{
    struct choice p = {.filter = &w->ladder, .variant = filter_variant(&w->ladder, variant)};
    assert_non_null(p.variant);
    p.settings.params.v[0] = radius;
    return p;
}

static struct choice in_block(struct choice p, int width, int height)
{
    p.settings.block_width = width;
    p.settings.block_height = height;
    return p;
}

static struct choice unrolled(struct choice p)
{
    p.settings.is_unrolled = true;
    return p;
}

static struct result result(const struct world *w, struct choice p)
{
    return results_get(w->results, &p);
}

static enum result_state state_of(const struct world *w, struct choice p)
{
    return result(w, p).state;
}

static void add(struct world *w, struct choice p, double ms)
{
    results_add(w->results, &p, ms);
}

// As often as it takes.
static void measure(struct world *w, struct choice p, double ms)
{
    for (int i = 0; i < STATS_DROPPED + STATS_SETTLED; i++) add(w, p, ms);
    if (p.filter == &w->ladder) results_leave_unchecked(w->results, &p, NULL);
}

// As if it had been shown.
static void set(struct world *w, struct choice p, double ms)
{
    results_begin(w->results, &p);
    measure(w, p, ms);
}

static void refuse(struct world *w, struct choice p, const char *reason)
{
    results_refuse(w->results, &p, reason);
}

static double predict(const struct world *w, struct choice p)
{
    return results_predict(w->results, &p);
}

static void want(struct world *w, const struct results_wish *wishes, int count)
{
    results_want(w->results, wishes, count);
}

static bool is_next(const struct world *w, int skip, struct choice expected)
{
    struct choice next;
    return results_next(w->results, skip, &next) && next.variant == expected.variant &&
           next.settings.params.v[0] == expected.settings.params.v[0] &&
           next.settings.is_unrolled == expected.settings.is_unrolled;
}

static bool is_none(const struct world *w, int skip)
{
    struct choice untouched = at(w, "naive", 42);
    return !results_next(w->results, skip, &untouched) && untouched.settings.params.v[0] == 42;
}

static void assert_progress(const struct world *w, int done, int wanted)
{
    int d = -1, n = -1;
    results_progress(w->results, &d, &n);
    assert_int_equal(d, done);
    assert_int_equal(n, wanted);
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-9 * fabs(b)) fail_msg("%g is not %g", a, b);
}

// ---- results ----

#define IN_WORLD(name) TEST_OF(struct world *w, name, open_world, close_world)

IN_WORLD(a_point_settles)
{
    const struct choice p = at(w, "naive", 3);
    assert_int_equal(state_of(w, p), RESULT_UNKNOWN);
    for (int i = 1; i <= 100; i++) {
        add(w, p, i <= STATS_DROPPED ? 1000 : 2);
        const struct result r = result(w, p);
        const int counted = CLAMP(i - STATS_DROPPED, 0, STATS_WINDOW);
        assert_int_equal(r.ms.count, counted);
        assert_int_equal(r.state, counted >= STATS_SETTLED ? RESULT_DONE : RESULT_MEASURING);
        if (counted) assert_true(r.ms.median == 2 && r.ms.lower == 2 && r.ms.upper == 2);
    }
    assert_int_equal(state_of(w, at(w, "naive", 4)), RESULT_UNKNOWN);
    assert_int_equal(state_of(w, at(w, "shared", 3)), RESULT_UNKNOWN);
    assert_int_equal(state_of(w, unrolled(p)), RESULT_UNKNOWN);
    assert_int_equal(state_of(w, in_block(p, 16, 16)), RESULT_UNKNOWN);
    struct choice biased = p;
    biased.settings.params.v[1] = 1;
    assert_int_equal(state_of(w, biased), RESULT_UNKNOWN);
    biased.settings.params.v[1] = -0.0;
    assert_int_equal(state_of(w, biased), RESULT_DONE);
}

IN_WORLD(a_shown_point_starts_anew)
{
    const struct choice p = at(w, "naive", 3);
    measure(w, p, 2);
    assert_int_equal(state_of(w, p), RESULT_DONE);
    results_begin(w->results, &p);
    assert_int_equal(state_of(w, p), RESULT_UNKNOWN);
    assert_int_equal(result(w, p).ms.count, 0);
    assert_true(predict(w, p) == 2);  // what a launch costs is still known
    measure(w, p, 5);
    assert_int_equal(state_of(w, p), RESULT_DONE);
    assert_true(result(w, p).ms.median == 5);
    assert_int_equal(result(w, p).ms.count, STATS_SETTLED);

    refuse(w, at(w, "shared", 3), "too slow");  // but then somebody had the patience
    set(w, at(w, "shared", 3), 200);
    assert_int_equal(state_of(w, at(w, "shared", 3)), RESULT_DONE);
    assert_true(result(w, at(w, "shared", 3)).ms.median == 200);
    assert_string_equal(result(w, at(w, "shared", 3)).reason, "");
}

// One sample a round.
static void add_rounds(struct world *w, struct choice p, int count, double ms)
{
    for (int i = 0; i < count; i++) {
        results_next_round(w->results);
        add(w, p, ms);
    }
}

static void pass_rounds(struct world *w, int count)
{
    while (count-- > 0) results_next_round(w->results);
}

static void assert_summary(const struct world *w, struct choice p, int count, double median)
{
    assert_int_equal(result(w, p).ms.count, count);
    assert_near(result(w, p).ms.median, median);
}

IN_WORLD(a_figure_is_of_the_last_rounds)
{
    const struct choice p = at(w, "naive", 3);
    add_rounds(w, p, STATS_DROPPED + STATS_WINDOW, 1);
    assert_summary(w, p, STATS_WINDOW, 1);
    pass_rounds(w, STATS_WINDOW);
    add_rounds(w, p, 4, 5);
    assert_summary(w, p, STATS_SETTLED, 1);  // 5 old ones, 4 new ones
    add_rounds(w, p, 1, 5);
    assert_summary(w, p, STATS_SETTLED, 5);
    add_rounds(w, p, 15, 5);
    assert_summary(w, p, 20, 5);
    for (int i = 0; i < 200; i++) {  // every third round
        pass_rounds(w, 2);
        add_rounds(w, p, 1, 7);
    }
    assert_summary(w, p, (STATS_WINDOW + 2) / 3, 7);
}

IN_WORLD(what_launches_the_same_is_one)
{
    static const struct {
        const char *variant;
        int width, height;
        bool is_default;
    } rows[] = {
        {"naive", 32, 8, true},   {"naive", 8, 32, false},  {"naive", 0, 8, true},
        {"naive", 32, 0, true},   {"naive", 16, 0, false},  {"shared", 16, 16, true},
        {"shared", 32, 8, false}, {"running", 64, 1, true}, {"running", 32, 8, false},
        {"twice", 32, 8, true},   {"twice", 64, 4, false},  {"uneven", 32, 8, false},
        {"uneven", 64, 4, false}, {"mixed", 32, 8, true},   {"mixed", 256, 1, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct choice p = at(w, rows[i].variant, (int)i);
        set(w, p, 1);
        const enum result_state found = state_of(w, in_block(p, rows[i].width, rows[i].height));
        if ((found == RESULT_DONE) != rows[i].is_default)
            fail_msg("%s %dx%d", rows[i].variant, rows[i].width, rows[i].height);
    }
    // Without a radius there is nothing to unroll.
    struct choice p = {.filter = &w->plain, .variant = w->plain.variants};
    p.settings.params.v[5] = 9;  // no param of this filter
    set(w, unrolled(p), 1);
    p.settings.params.v[5] = 0;
    assert_int_equal(state_of(w, p), RESULT_DONE);
}

IN_WORLD(refusals)
{
    const struct choice p = at(w, "naive", 3);
    add(w, p, 7);
    refuse(w, p, "a.cu:7: oops\nthe rest of the log");
    assert_int_equal(state_of(w, p), RESULT_REFUSED);
    assert_string_equal(result(w, p).reason, "a.cu:7: oops");
    assert_int_equal(result(w, p).ms.count, 0);

    char longer[400];  // of letters of two bytes, behind an odd number of others
    strcpy(longer, "abc");
    for (int i = 0; i < 150; i++) strcat(longer, "×");
    refuse(w, p, longer);
    const struct result r = result(w, p);
    assert_true(g_utf8_validate(r.reason, -1, NULL));
    assert_in_range(strlen(r.reason), sizeof r.reason - 2, sizeof r.reason - 1);
}

// ---- checks ----

static void check(struct world *w, struct choice p, long count, int max)
{
    results_check(w->results, &p, (struct image_difference){.count = count, .max = max});
}

IN_WORLD(wrong_once_is_wrong)
{
    const struct choice p = {.filter = &w->invert, .variant = w->invert.variants};
    assert_int_equal(result(w, at(w, "naive", 3)).check, CHECK_IMPOSSIBLE);
    assert_int_equal(result(w, p).check, CHECK_UNKNOWN);
    const struct results_wish wish = {p, 0, false};
    want(w, &wish, 1);
    set(w, p, 1);
    assert_int_equal(result(w, p).check, CHECK_UNKNOWN);  // a time says nothing
    assert_true(result(w, p).is_settled);
    assert_int_equal(state_of(w, p), RESULT_MEASURING);
    assert_progress(w, 0, 1);
    check(w, p, 0, 0);
    assert_int_equal(result(w, p).check, CHECK_EXACT);
    assert_int_equal(state_of(w, p), RESULT_DONE);
    assert_progress(w, 1, 1);
    check(w, p, 0, 0);
    static const struct {
        long count;
        int max, expected;
    } rows[] = {{3, 7, 7}, {0, 0, 7}, {9, 5, 7}, {1, 200, 200}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        check(w, p, rows[i].count, rows[i].max);
        assert_int_equal(result(w, p).check, CHECK_WRONG);
        assert_int_equal(result(w, p).difference.max, rows[i].expected);
    }
    refuse(w, p, "too slow");
    assert_int_equal(result(w, p).check, CHECK_WRONG);
    results_begin(w->results, &p);
    want(w, NULL, 0);
    assert_int_equal(result(w, p).check, CHECK_WRONG);
    results_forget(w->results);
    assert_int_equal(result(w, p).check, CHECK_UNKNOWN);
}

// The file's or a library's tolerance: what is counted is beyond it.
IN_WORLD(verdicts_are_told)
{
    const struct tolerance none = {TOLERANCE_NONE, 0}, relative = {TOLERANCE_RELATIVE, 1e-6},
                           pixel = {TOLERANCE_ABSOLUTE, 1};
    const struct {
        struct tolerance file, library;
        struct image_difference found;
        enum result_check check;
        const char *text, *wrong;
    } rows[] = {
        {none, none, {.count = 0}, CHECK_EXACT, "exact", NULL},
        {none, none, {.count = 2, .max = 7}, CHECK_WRONG, "wrong", "max |diff| = 7"},
        {none, none, {2, 7, 0, 0, 0, INFINITY, false}, CHECK_WRONG, "wrong", "max |diff| = 7"},
        {none, pixel, {.count = 0}, CHECK_EXACT, "exact", NULL},
        {none, pixel, {.error = 1}, CHECK_NEAR, "within ±1, max 1", NULL},
        {none,
         pixel,
         {.count = 1, .max = 2, .error = 2},
         CHECK_WRONG,
         "wrong",
         "not within ±1, max 2"},
        // never exact, though all are the same
        {relative, none, {.count = 0}, CHECK_NEAR, "within 1e-6, max 0", NULL},
        {relative, none, {.error = 3.2e-7}, CHECK_NEAR, "within 1e-6, max 3.2e-7", NULL},
        {relative,
         none,
         {.count = 1, .max = 1, .error = 2e-6},
         CHECK_WRONG,
         "wrong",
         "not within 1e-6, max 2e-6"},
        {relative, none, {2, 7, 0, 0, 0, INFINITY, false}, CHECK_WRONG, "wrong", "max |diff| = 7"},
        {relative, none, {1, 9, 0, 0, 1, INFINITY, true}, CHECK_WRONG, "wrong", "writes behind y"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char text[RESULT_CHECK_WORDS], wrong[RESULT_CHECK_WORDS] = "";
        struct filter lab = w->vector;
        struct variant v = lab.variants[0];
        const struct choice c = {.filter = &lab, .variant = &v};
        lab.tolerance = rows[i].file;
        v.library.tolerance = rows[i].library;
        assert_int_equal(result_check_of(&c, rows[i].found), rows[i].check);
        result_check_write(text, sizeof text, &c, rows[i].check, rows[i].found);
        assert_string_equal(text, rows[i].text);
        if (rows[i].wrong) result_check_write_wrong(wrong, sizeof wrong, &c, rows[i].found);
        assert_string_equal(wrong, rows[i].wrong ? rows[i].wrong : "");
    }
    struct choice c = {.filter = &w->vector, .variant = w->vector.variants};
    char text[RESULT_CHECK_WORDS];
    result_check_write(text, sizeof text, &c, CHECK_UNKNOWN, (struct image_difference){0});
    assert_string_equal(text, "not checked");
}

// The largest error of all comparisons is kept, until a wrong one comes.
IN_WORLD(the_largest_error_is_kept)
{
    static const struct {
        struct image_difference found;
        double kept;
        enum result_check check;
    } rows[] = {{{.error = 0}, 0, CHECK_NEAR},
                {{.error = 3e-7}, 3e-7, CHECK_NEAR},
                {{.error = 1e-7}, 3e-7, CHECK_NEAR},
                {{.count = 1, .max = 1, .error = 2e-6}, 2e-6, CHECK_WRONG},
                {{.error = 3e-7}, 2e-6, CHECK_WRONG},
                {{.count = 1, .max = 1, .error = 3e-6}, 3e-6, CHECK_WRONG}};
    const struct choice c = {.filter = &w->vector, .variant = w->vector.variants};
    w->vector.tolerance = (struct tolerance){TOLERANCE_RELATIVE, 1e-6};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        results_check(w->results, &c, rows[i].found);
        assert_int_equal(result(w, c).check, rows[i].check);
        assert_true(result(w, c).difference.error == rows[i].kept);
    }
}

IN_WORLD(wrong_results_are_not_compared)
{
    struct choice naive = {.filter = &w->invert, .variant = filter_variant(&w->invert, "naive")};
    struct choice fast = {.filter = &w->invert, .variant = filter_variant(&w->invert, "vector")};
    assert_true(results_naive_ms(w->results, &fast) == 0);
    for (int i = 0; i < 4; i++) add(w, naive, 3);
    check(w, naive, 0, 0);
    assert_true(results_naive_ms(w->results, &fast) == 0);  // not settled
    measure(w, naive, 3);
    assert_true(results_naive_ms(w->results, &fast) == 3);
    assert_true(results_naive_ms(w->results, &naive) == 3);
    check(w, fast, 1, 1);
    assert_true(results_naive_ms(w->results, &fast) == 0);
    check(w, naive, 1, 1);
    assert_true(results_naive_ms(w->results, &naive) == 0);
    const struct choice none = {.filter = &w->plain, .variant = w->plain.variants};
    assert_true(results_naive_ms(w->results, &none) == 0);
}

IN_WORLD(naive_of)
{
    const struct choice p = unrolled(in_block(at(w, "shared", 5), 64, 2));
    struct choice naive;
    assert_true(choice_naive_of(&p, &naive));
    assert_ptr_equal(naive.variant, filter_variant(&w->ladder, "naive"));
    assert_true(naive.settings.params.v[0] == 5 && naive.settings.is_unrolled);
    assert_int_equal(naive.settings.block_width + naive.settings.block_height, 0);
    const struct choice none = {.filter = &w->plain, .variant = w->plain.variants};
    naive.settings.params.v[0] = 42;
    assert_false(choice_naive_of(&none, &naive));
    assert_true(naive.settings.params.v[0] == 42);
}

// ---- what is next ----

IN_WORLD(points_of_a_group_take_turns)
{
    const struct choice a = at(w, "naive", 1), b = at(w, "naive", 2), c = at(w, "naive", 3);
    struct results_wish wishes[] = {{b, 0, false}, {a, 0, false}, {c, 0, false}};
    want(w, NULL, 0);
    add(w, b, 1);  // measured before it was wanted
    assert_true(is_none(w, 0));
    assert_progress(w, 0, 0);
    want(w, wishes, 3);
    const struct choice turns[] = {a, c, b, a, c, b, a, c};
    for (size_t i = 0; i < G_N_ELEMENTS(turns); i++) {
        assert_true(is_next(w, 0, turns[i]));
        add(w, turns[i], 1);
        want(w, wishes, 3);  // the same: changes nothing
    }
    assert_true(is_next(w, 0, b) && is_next(w, 1, a) && is_next(w, 2, c) && is_none(w, 3));
    assert_progress(w, 0, 3);
    measure(w, a, 1);
    assert_progress(w, 1, 3);
    assert_true(is_next(w, 0, b) && is_next(w, 1, c) && is_none(w, 2));
    refuse(w, b, "cannot");
    assert_progress(w, 2, 3);
    assert_true(is_next(w, 0, c) && is_none(w, 1));
    set(w, b, 3);
    set(w, c, 3);
    assert_progress(w, 3, 3);
    assert_true(is_none(w, 0));

    wishes[0].point.settings.is_unrolled = true;  // another point
    want(w, wishes, 1);
    assert_true(is_next(w, 0, wishes[0].point) && is_none(w, 1));
    want(w, NULL, 0);
    assert_true(is_none(w, 0));
    assert_progress(w, 0, 0);
    assert_int_equal(state_of(w, wishes[0].point), RESULT_UNKNOWN);
}

IN_WORLD(groups_come_in_order)
{
    const struct choice a = at(w, "naive", 1), b = at(w, "naive", 2), c = at(w, "naive", 3),
                        d = at(w, "naive", 4);
    const struct results_wish wishes[] = {{a, 7, false},
                                          {b, -2, false},
                                          {c, 7, false},
                                          {d, 3, false},
                                          {in_block(b, 32, 8), 9, false}};
    want(w, wishes, 5);
    assert_progress(w, 0, 4);  // b is wanted twice, and once is enough
    assert_true(is_next(w, 0, b) && is_next(w, 1, d) && is_next(w, 2, a) && is_next(w, 3, c));
    assert_true(is_none(w, 4));
    add(w, b, 1);
    assert_true(is_next(w, 0, b));  // until it is done
    measure(w, b, 1);
    assert_true(is_next(w, 0, d));
    refuse(w, d, "cannot");
    assert_true(is_next(w, 0, a));
    add(w, a, 1);
    assert_true(is_next(w, 0, c) && is_next(w, 1, a));

    const struct results_wish later[] = {{c, 1, false}, {a, 0, false}, {d, 0, false},
                                         {b, 0, false}, {c, 0, false}, {c, 2, false}};
    want(w, later, 6);  // c's first group counts, wherever it stands; a's sample is still there
    assert_progress(w, 2, 4);
    assert_true(is_next(w, 0, c) && is_next(w, 1, a) && is_none(w, 2));
}

static bool is_again(const struct world *w, struct choice expected)
{
    struct choice next;
    return results_again(w->results, &next) && choice_is_same(&next, &expected);
}

IN_WORLD(kept_points_are_measured_again)
{
    struct choice none;
    const struct choice a = at(w, "naive", 1), b = at(w, "naive", 2), c = at(w, "naive", 3);
    const struct results_wish wishes[] = {{a, 0, true}, {b, 1, true}, {c, 2, false}};
    want(w, wishes, 3);
    assert_false(results_again(w->results, &none));  // nothing was measured even once
    measure(w, a, 1);
    results_next_round(w->results);
    assert_true(is_again(w, a));
    measure(w, b, 1);
    measure(w, c, 1);
    assert_true(is_again(w, a));
    add(w, a, 2);
    assert_false(results_again(w->results, &none));  // all of this round
    results_next_round(w->results);
    assert_true(is_again(w, a));
    add(w, a, 2);
    assert_true(is_again(w, b));
    refuse(w, b, "too slow now");
    assert_false(results_again(w->results, &none));
    want(w, wishes + 1, 2);
    results_next_round(w->results);
    assert_false(results_again(w->results, &none));  // a is no longer wanted
}

IN_WORLD(old_samples_are_not_kept)
{
    const struct choice a = at(w, "naive", 1), b = at(w, "naive", 2);
    const struct results_wish kept[] = {{a, 0, true}, {b, 0, true}};
    measure(w, a, 1);
    measure(w, b, 1);
    pass_rounds(w, STATS_WINDOW);
    want(w, kept, 2);
    assert_int_equal(state_of(w, a), RESULT_DONE);  // just not too old
    pass_rounds(w, 1);
    want(w, kept, 1);
    assert_int_equal(state_of(w, a), RESULT_DONE);  // it was kept before
    want(w, kept, 2);
    assert_int_equal(state_of(w, a), RESULT_DONE);
    want(w, NULL, 0);
    want(w, kept, 1);
    assert_int_equal(state_of(w, a), RESULT_DONE);  // until there is something newer
    assert_near(result(w, a).ms.median, 1);
    assert_true(is_again(w, a));
    add(w, a, 2);
    assert_int_equal(state_of(w, a), RESULT_MEASURING);
    assert_true(is_next(w, 0, a));
    assert_true(predict(w, a) == 1);
    measure(w, b, 3);
    assert_near(result(w, b).ms.median, 3);  // 9 of the last rounds, and none of before
}

IN_WORLD(forgetting)
{
    const struct results_wish wish = {at(w, "naive", 1), 0, false};
    want(w, &wish, 1);
    measure(w, at(w, "naive", 2), 4);
    refuse(w, at(w, "naive", 3), "cannot");
    results_forget(w->results);
    assert_true(is_none(w, 0));
    assert_progress(w, 0, 0);
    for (int radius = 1; radius <= 3; radius++)
        assert_int_equal(state_of(w, at(w, "naive", radius)), RESULT_UNKNOWN);
    assert_true(predict(w, at(w, "naive", 2)) == 0);
    want(w, &wish, 1);  // the same as before it forgot
    assert_true(is_next(w, 0, wish.point));
}

IN_WORLD(what_stopped_the_device_stays_refused)
{
    const struct choice bad = at(w, "naive", 1), slow = at(w, "naive", 2), good = at(w, "naive", 3);
    const struct results_wish wishes[] = {{bad, 0, false}, {good, 0, false}};
    want(w, wishes, 2);
    measure(w, bad, 4);
    measure(w, good, 4);
    refuse(w, slow, "too slow");
    results_blame(w->results, &bad, "it divides by zero");
    for (int i = 0; i < 2; i++) {  // other points may stop the device, too
        results_forget_device(w->results);
        assert_progress(w, 0, 0);
        assert_int_equal(state_of(w, bad), RESULT_REFUSED);
        assert_string_equal(result(w, bad).reason, "it divides by zero");
        assert_int_equal(state_of(w, slow), RESULT_UNKNOWN);
        assert_int_equal(state_of(w, good), RESULT_UNKNOWN);
        assert_true(predict(w, bad) == 0);
        want(w, wishes, 2);
        assert_true(is_next(w, 0, good));
        assert_true(is_none(w, 1));
    }
    results_begin(w->results, &bad);  // the user shows it
    assert_int_equal(state_of(w, bad), RESULT_UNKNOWN);
    results_forget_device(w->results);
    assert_int_equal(state_of(w, bad), RESULT_UNKNOWN);
    results_blame(w->results, &bad, "it divides by zero");
    results_forget(w->results);
    assert_int_equal(state_of(w, bad), RESULT_UNKNOWN);
}

IN_WORLD(what_never_came_back_is_avoided_until_it_is_shown)
{
    const struct choice bad = at(w, "naive", 1), other = in_block(at(w, "naive", 2), 8, 8),
                        good = at(w, "shared", 1);
    const struct results_wish wishes[] = {{bad, 0, false}, {good, 0, false}, {other, 0, false}};
    results_avoid(w->results, "ladder/naive");
    for (int i = 0; i < 2; i++) {
        want(w, wishes, 3);
        assert_int_equal(state_of(w, bad), RESULT_REFUSED);
        assert_int_equal(state_of(w, other), RESULT_REFUSED);
        assert_non_null(strstr(result(w, other).reason, "did not come back"));
        assert_true(is_next(w, 0, good));
        assert_true(is_none(w, 1));
        results_forget(w->results);  // another picture
    }
    g_auto(GStrv) names = results_avoided(w->results);
    assert_string_equal(names[0], "ladder/naive");
    assert_null(names[1]);
    want(w, wishes, 3);
    results_begin(w->results, &bad);  // the user shows it
    assert_false(results_avoids(w->results, &bad));
    assert_int_equal(state_of(w, other), RESULT_UNKNOWN);
    results_avoid(w->results, "ladder/naive");
    results_avoid_none(w->results);  // new kernels
    assert_false(results_avoids(w->results, &bad));
}

// What is right as it is shown is wrong elsewhere, until that is taken back.
IN_WORLD(a_variant_is_wrong_at_another_size)
{
    const struct choice one = at(w, "naive", 1), two = at(w, "naive", 2), good = at(w, "shared", 1);
    char text[RESULT_CHECK_WORDS];
    results_check(w->results, &one, (struct image_difference){.count = 0});
    results_check(w->results, &good, (struct image_difference){.count = 0});
    results_check(w->results, &two, (struct image_difference){.count = 1, .max = 9});
    results_doubt(w->results, &two, "at 33×17: first at (32, 4)");
    assert_int_equal(result(w, one).check, CHECK_WRONG);
    assert_int_equal(result_check_of(&one, result(w, one).difference), CHECK_WRONG);
    result_check_write_wrong(text, sizeof text, &one, result(w, one).difference);
    assert_string_equal(text, "wrong at 33×17: first at (32, 4)");
    assert_int_equal(result(w, good).check, CHECK_EXACT);
    assert_int_equal(result(w, two).difference.max, 9);  // what is shown comes first
    results_forget(w->results);                          // another picture
    assert_int_not_equal(result(w, one).check, CHECK_WRONG);
    results_check(w->results, &one, (struct image_difference){.count = 0});
    assert_int_equal(result(w, one).check, CHECK_WRONG);
    results_doubt(w->results, &one, NULL);
    assert_int_equal(result(w, one).check, CHECK_EXACT);
}

// ---- bounds ----

IN_WORLD(the_oldest_are_dropped)
{
    const struct choice kept = at(w, "naive", 1), again = at(w, "naive", 2),
                        old = at(w, "naive", 3);
    const struct results_wish wish = {kept, 0, false};
    measure(w, kept, 1);
    measure(w, old, 3);
    measure(w, again, 2);
    want(w, &wish, 1);
    for (int i = 0; i < RESULTS_BOUND - 3; i++)
        set(w, in_block(at(w, "shared", 1), 1 + i % 1000, 17 + i / 1000), 1);
    assert_int_equal(state_of(w, old), RESULT_DONE);
    add(w, again, 2);
    set(w, at(w, "naive", 4), 1);  // one too many
    assert_int_equal(state_of(w, old), RESULT_UNKNOWN);
    assert_int_equal(state_of(w, kept), RESULT_DONE);  // wanted
    assert_int_equal(state_of(w, again), RESULT_DONE);
    set(w, at(w, "naive", 5), 1);
    assert_int_equal(state_of(w, in_block(at(w, "shared", 1), 1, 17)), RESULT_UNKNOWN);
    assert_int_equal(state_of(w, in_block(at(w, "shared", 1), 2, 17)), RESULT_DONE);
    assert_int_equal(state_of(w, at(w, "naive", 4)), RESULT_DONE);
}

// This thread's processor time, which other work on the machine does not add to.
static double now_us(void)
{
    struct timespec spent;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent), 0);
    return 1e6 * (double)spent.tv_sec + 1e-3 * (double)spent.tv_nsec;
}

// What is called in every frame, with more wanted than a sweep and a heat map together.
IN_WORLD(calls_are_cheap)
{
    enum { WANTED = 200, CALLS = 2000 };
    struct results_wish wishes[WANTED] = {0};
    struct choice next;
    double best_us = 1e9;
    for (int i = 0; i < WANTED; i++)
        wishes[i] =
            (struct results_wish){unrolled(at(w, i % 2 ? "naive" : "shared", i / 2)), i % 3, false};
    want(w, wishes, WANTED);
    for (int i = 0; i < WANTED; i++) add(w, wishes[i].point, 1);
    for (int attempt = 0; attempt < 5; attempt++) {
        const double since = now_us();
        for (int i = 0; i < CALLS; i++) {
            results_next(w->results, i % WANTED, &next);
            results_get(w->results, &wishes[i % WANTED].point);
        }
        best_us = fmin(best_us, (now_us() - since) / CALLS);
    }
    print_message("next and result: %.2f us\n", best_us);
    assert_true(best_us < 20);
}

// ---- predictions ----

static double taps(int radius)
{
    return (2 * radius + 1) * (2 * radius + 1);
}

IN_WORLD(predictions_grow_with_the_taps)
{
    assert_true(predict(w, at(w, "naive", 3)) == 0);
    add(w, at(w, "naive", 1), 2);
    assert_true(predict(w, at(w, "naive", 1)) == 0);  // a dropped sample tells nothing
    measure(w, at(w, "naive", 1), 2);
    assert_true(predict(w, at(w, "naive", 1)) == 2);
    assert_near(predict(w, at(w, "naive", 64)), 2 * taps(64) / 9);
    assert_near(predict(w, at(w, "naive", 0)), 2 / taps(1));
    // A second radius tells how it grows, and that there is an overhead.
    measure(w, at(w, "naive", 7), 10);
    const double a_tap = 8 / (taps(7) - taps(1));
    assert_near(predict(w, at(w, "naive", 22)), 10 + a_tap * (taps(22) - taps(7)));
    assert_near(predict(w, at(w, "naive", 0)), 2 - a_tap * (taps(1) - taps(0)));
    measure(w, at(w, "naive", 5), 8);  // a concave one lies above the line between the others
    assert_near(predict(w, at(w, "naive", 22)), 8 + a_tap * (taps(22) - taps(5)));
    // Neither faster than the taps nor falling.
    measure(w, at(w, "shared", 1), 1);
    measure(w, at(w, "shared", 2), 100);
    assert_near(predict(w, at(w, "shared", 4)), 100 * taps(4) / taps(2));
    assert_near(predict(w, at(w, "shared", 0)), 100 / taps(2));
    measure(w, at(w, "running", 1), 3);
    measure(w, at(w, "running", 20), 2);
    assert_near(predict(w, at(w, "running", 64)), 3);
    assert_true(predict(w, at(w, "running", 20)) == 2);  // what is known is known
    // Nothing of this variant: the filter's slowest by the taps.
    assert_near(predict(w, at(w, "twice", 4)), 100 * taps(4) / taps(2));
    const struct choice none = {.filter = &w->plain, .variant = w->plain.variants};
    assert_true(predict(w, none) == 0);
}

// What else the machine does only adds to a time: one launch that it held up is not called slow.
IN_WORLD(one_late_sample_is_not_believed)
{
    const struct choice p = at(w, "naive", 3);
    for (int i = 0; i < STATS_DROPPED; i++) add(w, p, 2 + i);
    add(w, p, 900);
    assert_true(predict(w, p) == 2);
    for (int i = 1; i < STATS_SETTLED; i++) add(w, p, 5);
    assert_true(predict(w, p) == 5);  // that of the figure, once there is one
    results_begin(w->results, &p);
    for (int i = 0; i < STATS_DROPPED + 1; i++) add(w, p, 30);
    assert_true(predict(w, p) == 30);  // of the samples before a change, none counts
}

IN_WORLD(the_nearest_kin_tell)
{
    const struct choice p = at(w, "naive", 3);
    assert_false(results_has_variant(w->results, &p));
    set(w, at(w, "running", 3), 0.1);
    assert_false(results_has_variant(w->results, &p));
    set(w, in_block(p, 1, 1), 900);  // an odd block tells little, but better than nothing
    assert_true(results_has_variant(w->results, &p));
    assert_near(predict(w, p), 900);
    assert_near(predict(w, in_block(p, 4, 64)), 900);
    assert_near(predict(w, at(w, "shared", 3)), 0.1);
    set(w, p, 10);
    assert_near(predict(w, in_block(p, 4, 64)), 10);
    assert_near(predict(w, at(w, "shared", 3)), 10);
    assert_near(predict(w, in_block(at(w, "shared", 3), 1, 1)), 900);
    assert_near(predict(w, unrolled(p)), 10);
    set(w, unrolled(at(w, "naive", 5)), 9);
    // The unrolled one at 5 grows by the taps: not along with the one at 3 that is not.
    assert_near(predict(w, unrolled(at(w, "naive", 10))), 9 * taps(10) / taps(5));
    assert_near(predict(w, at(w, "naive", 10)), 10 * taps(10) / taps(3));
    set(w, in_block(p, 4, 64), 20);
    assert_near(predict(w, in_block(at(w, "naive", 10), 4, 64)), 20 * taps(10) / taps(3));
    // Refused, but measured before it was.
    measure(w, in_block(p, 2, 2), 300);
    refuse(w, in_block(p, 2, 2), "too slow");
    assert_near(predict(w, in_block(p, 2, 2)), 300);
}

static struct choice sized(const struct world *w, const char *variant, int n, int m)
{
    struct choice p = {.filter = &w->vector, .variant = filter_variant(&w->vector, variant)};
    p.settings.params.v[0] = n;
    p.settings.params.v[1] = m;
    return p;
}

IN_WORLD(predictions_grow_with_the_numbers)
{
    measure(w, sized(w, "naive", 1024, 2), 4);
    assert_near(predict(w, sized(w, "naive", 4096, 2)), 16);
    assert_near(predict(w, sized(w, "naive", 1024, 6)), 12);
    assert_near(predict(w, sized(w, "naive", 256, 2)), 1);
    assert_near(predict(w, sized(w, "naive", 1 << 30, 64)), 4.0 * (1 << 20) * 32);
    // Another variant tells as much, until there is one of its own.
    assert_near(predict(w, sized(w, "shared", 4096, 2)), 16);
    measure(w, sized(w, "shared", 1024, 2), 1);
    assert_near(predict(w, sized(w, "shared", 4096, 2)), 4);
    // The device was idle in part: a flat stretch does not promise that it goes on.
    measure(w, sized(w, "naive", 2048, 2), 4);
    assert_near(predict(w, sized(w, "naive", 8192, 2)), 16);
    // Between two, no more than the upper one.
    measure(w, sized(w, "naive", 65536, 2), 5);
    assert_near(predict(w, sized(w, "naive", 32768, 2)), 5);
    assert_near(predict(w, sized(w, "naive", 2049, 2)), 4.0 * 2049 / 2048);
    // What fell with more work does not pull others down.
    measure(w, sized(w, "shared", 65536, 2), 0.5);
    assert_near(predict(w, sized(w, "shared", 32768, 2)), 1);
}

// The copy of a lab is neither a variant nor checked, and predicts only other copies.
IN_WORLD(copies_of_labs)
{
    const struct choice shown = sized(w, "naive", 1024, 2);
    const struct choice copy = choice_copy_of(&shown);
    struct choice larger = copy, same = shown;
    larger.settings.params.v[0] = 4096;
    same.settings.block_width = 64;
    same = choice_copy_of(&same);
    measure(w, copy, 0.5);
    assert_int_equal(results_get(w->results, &copy).check, CHECK_IMPOSSIBLE);
    assert_int_equal(results_get(w->results, &copy).state, RESULT_DONE);
    assert_true(results_get(w->results, &same).ms.median == 0.5);
    assert_near(predict(w, shown), 0);
    assert_near(predict(w, larger), 2);
    measure(w, shown, 7);
    assert_near(predict(w, larger), 2);
}

// The axes of a benchmark: what each form of text means, and that every mistake is called by name.
#include "unit.h"

#include "measure/sweep.h"

static struct filter_list filters;

static int load(void **state)
{
    static const char blur[] = "//! filter \"Blur\"\n"
                               "//! param radius 3 [2, 20] pixels\n"
                               "//! param sigma float 0 [0, 12.5] width\n"
                               "//! variant naive 32x8\n__global__ void a() {}\n"
                               "//! variant shared 16x16\n__global__ void b() {}\n";
    static const char invert[] =
        "//! filter \"Invert\"\n//! variant naive 32x8\n__global__ void a() {}\n"
        "//! variant vector 32x8\n__global__ void b() {}\n";
    static const char mean[] = "//! filter \"Mean\"\n//! param radius 3 [0, 64]\n"
                               "//! variant naive 32x8\n__global__ void a() {}\n"
                               "//! variant running 64x1\n__global__ void b() {}\n";
    static const char wide[] = "//! filter \"Wide\"\n//! param radius 3 [0, 65535]\n"
                               "//! variant naive 32x8\n__global__ void a() {}\n";
    // Without a radius: a name, a float, a wide range and a narrow one.
    static const char work[] = "//! filter \"Work\"\n"
                               "//! param side x [x, y, both] way\n"
                               "//! param scale float 1 [0, 9] factor\n"
                               "//! param n 1024 [4, 1073741824] items\n"
                               "//! param m 2 [-4, 64] times\n"
                               "//! variant naive 32x8\n__global__ void a() {}\n"
                               "//! variant fast 32x8\n__global__ void b() {}\n";
    filters.filters = g_new0(struct filter, 5);
    filters.count = 5;
    return !(filter_parse(&filters.filters[0], "blur.cu", blur, NULL, NULL) &&
             filter_parse(&filters.filters[1], "invert.cu", invert, NULL, NULL) &&
             filter_parse(&filters.filters[2], "mean.cu", mean, NULL, NULL) &&
             filter_parse(&filters.filters[3], "wide.cu", wide, NULL, NULL) &&
             filter_parse(&filters.filters[4], "work.cu", work, NULL, NULL));
}

// ---- one axis ----

static char *numbers_text(const struct sweep_values *n)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < n->count; i++)
        g_string_append_printf(text, "%s%g", i ? " " : "", n->widths[i]);
    return g_string_free(text, FALSE);
}

TEST(numbers)
{
    static const char *const cases[][2] = {
        {"5", "5"},
        {"0", "0"},
        {"1..5", "1 2 3 4 5"},
        {"4..4", "4"},
        {"1,2,4", "1 2 4"},
        {"4,2,4,1", "4 2 1"},
        {" 1 , 3 ", "1 3"},
        {"1..64x2", "1 2 4 8 16 32 64"},
        {"3..50x3", "3 9 27"},
        {"0..9+4", "0 4 8"},
        {"1..3,2..4,9", "1 2 3 4 9"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct sweep_values found;
        if (!sweep_parse(&found, "radius", cases[i][0], &err))
            fail_msg("%s: %s", cases[i][0], err.text);
        g_autofree char *text = numbers_text(&found);
        assert_string_equal(text, cases[i][1]);
    }
}

TEST(numbers_refused)
{
    static const char *const cases[][2] = {
        {"5..1", "radius '5..1' runs backwards: 1 is less than 5"},
        {"1,9..8", "radius '1,9..8' runs backwards: 8 is less than 9"},
        {"", "empty sweep: --radius names nothing"},
        {"  ", "empty sweep: --radius names nothing"},
        {"0..256", "radius '0..256' has more than 256 values"},
    };
    static const char *const nonsense[] = {
        "x",   "-1",    "1..",      "..4",    "1,,2",
        "1,",  "1...4", "1..4x1",   "0..4x2", "1..4+0",
        "1.5", "1..4x", "1..4+2 3", "100000", "9999999999999999999999",
        "1 2"};
    struct sweep_values found = {.count = 77};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_false(sweep_parse(&found, "radius", cases[i][0], &err));
        assert_string_equal(err.text, cases[i][1]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(nonsense); i++) {
        if (sweep_parse(&found, "radius", nonsense[i], &err)) fail_msg("accepted: %s", nonsense[i]);
        assert_non_null(strstr(err.text, "is not understood"));
    }
    assert_int_equal(found.count, 77);
}

TEST(blocks)
{
    struct sweep_values found;
    assert_true(sweep_parse(&found, "block", "32x8, 7×5,32x8,1024X1", &err));
    assert_int_equal(found.count, 3);
    assert_int_equal(found.widths[1], 7);
    assert_int_equal(found.heights[1], 5);
    assert_int_equal(found.widths[2], 1024);
    assert_true(sweep_parse(&found, "block", "all", &err));
    const int all = found.count;
    bool has_illegal = false, has_usual = false;
    for (int i = 0; i < all; i++) {
        has_illegal |= found.widths[i] * found.heights[i] > 1024;
        has_usual |= found.widths[i] == 32 && found.heights[i] == 8;
    }
    assert_true(has_illegal && has_usual);
    assert_true(sweep_parse(&found, "block", "7x5,all,32x8", &err));
    assert_int_equal(found.count, all + 1);
    static const char *const nonsense[] = {"5", "0x8", "8x0", "-1x4", "8x8x8", "axb", "8x8,", ","};
    for (size_t i = 0; i < G_N_ELEMENTS(nonsense); i++)
        if (sweep_parse(&found, "block", nonsense[i], &err)) fail_msg("accepted: %s", nonsense[i]);
    assert_false(sweep_parse(&found, "block", "", &err));
    assert_string_equal(err.text, "empty sweep: --block names nothing");
}

// ---- all axes ----

// "blur.naive.2.16x16.u", or "naive:0,1,1024,2" of work: a group's cases stand side by side.
static char *sweep_text(const struct sweep *s)
{
    GString *text = g_string_new(NULL);
    for (int i = 0, first = 0; i < s->count; i++) {
        const struct choice *c = &s->cases[i];
        const int radius = filter_radius(c->filter);
        const double *v = c->settings.params.v;
        const bool is_new = i && sweep_group_end(s, first) == i;
        if (i) g_string_append_c(text, is_new ? '|' : ' ');
        if (is_new) first = i;
        if (!strcmp(c->filter->name, "work"))
            g_string_append_printf(text, "%s:%g,%g,%.0f,%g", c->variant->name, v[0], v[1], v[2],
                                   v[3]);
        else
            g_string_append_printf(text, "%s.%s", c->filter->name, c->variant->name);
        if (radius >= 0) g_string_append_printf(text, ".%g", v[radius]);
        if (c->settings.block_width)
            g_string_append_printf(text, ".%dx%d", c->settings.block_width,
                                   c->settings.block_height);
        if (c->settings.is_unrolled) g_string_append(text, ".u");
    }
    return g_string_free(text, FALSE);
}

static void assert_sweep(struct sweep_axes axes, const char *expected)
{
    OWNED(sweep_finish) struct sweep sweep = {0};
    if (!sweep_build(&sweep, &filters, &axes, &err)) fail_msg("refused: %s", err.text);
    g_autofree char *text = sweep_text(&sweep);
    assert_string_equal(text, expected);
    int groups = 0;
    for (const char *letter = text; *letter; letter++) groups += *letter == '|';
    assert_int_equal(sweep_count_groups(&sweep), groups + 1);
    sweep_finish(&sweep);
}

TEST(defaults)
{
    // Params keep their defaults, and only a sweep that is asked for goes through any.
    assert_sweep((struct sweep_axes){.filter = NULL}, "mean.naive.3 mean.running.3");
    assert_sweep((struct sweep_axes){.filter = "blur", .variant = "shared"}, "blur.shared.3");
    assert_sweep((struct sweep_axes){.filter = "invert"}, "invert.naive invert.vector");
    assert_sweep((struct sweep_axes){.sweep = "radius"},
                 "mean.naive.1 mean.running.1|mean.naive.2 mean.running.2|"
                 "mean.naive.4 mean.running.4|mean.naive.8 mean.running.8|"
                 "mean.naive.16 mean.running.16|mean.naive.32 mean.running.32|"
                 "mean.naive.64 mean.running.64");
    // As far as the filter's limits, 2 to 20, allow.
    assert_sweep((struct sweep_axes){.filter = "blur", .variant = "shared", .sweep = "radius"},
                 "blur.shared.2|blur.shared.4|blur.shared.8|blur.shared.16");
}

TEST(axes)
{
    assert_sweep((struct sweep_axes){.radius = "5,3", .variant = "running, naive"},
                 "mean.naive.5 mean.running.5|mean.naive.3 mean.running.3");
    assert_sweep(
        (struct sweep_axes){
            .radius = "3", .variant = "naive", .block = "8x8,7x5", .unroll = "both"},
        "mean.naive.3.8x8 mean.naive.3.7x5 mean.naive.3.8x8.u mean.naive.3.7x5.u");
    assert_sweep((struct sweep_axes){.radius = "3", .variant = "naive", .unroll = "on"},
                 "mean.naive.3.u");
    // Where there is nothing to unroll, unrolled is the same thing.
    assert_sweep((struct sweep_axes){.filter = "invert", .unroll = "on"},
                 "invert.naive invert.vector");
    assert_sweep((struct sweep_axes){.filter = "invert", .unroll = "both"},
                 "invert.naive invert.vector");
    assert_sweep((struct sweep_axes){.filter = "invert,mean,invert", .radius = "3"},
                 "invert.naive invert.vector|mean.naive.3 mean.running.3");
    assert_sweep((struct sweep_axes){.filter = "all", .radius = "3", .variant = "vector,shared"},
                 "blur.shared.3|invert.vector");
    assert_sweep((struct sweep_axes){.filter = "blur", .radius = "all", .variant = "naive"},
                 "blur.naive.2|blur.naive.3|blur.naive.4|blur.naive.5|blur.naive.6|blur.naive.7|"
                 "blur.naive.8|blur.naive.9|blur.naive.10|blur.naive.11|blur.naive.12|"
                 "blur.naive.13|blur.naive.14|blur.naive.15|blur.naive.16|blur.naive.17|"
                 "blur.naive.18|blur.naive.19|blur.naive.20");
    assert_sweep(
        (struct sweep_axes){.filter = "all", .radius = "3", .unroll = "on", .variant = "naive"},
        "blur.naive.3.u|invert.naive|mean.naive.3.u|wide.naive.3.u|naive:0,1,1024,2.u");
}

TEST(params)
{
    char *const radius[] = {"radius=7", NULL}, *const sigma[] = {"sigma=2.5", NULL};
    assert_sweep((struct sweep_axes){.variant = "naive", .params = radius}, "mean.naive.7");
    assert_sweep((struct sweep_axes){.variant = "naive", .params = radius, .radius = "1,2"},
                 "mean.naive.1|mean.naive.2");
    OWNED(sweep_finish) struct sweep sweep = {0};
    const struct sweep_axes axes = {.filter = "all", .radius = "3", .params = sigma};
    assert_true(sweep_build(&sweep, &filters, &axes, NULL));
    for (int i = 0; i < sweep.count; i++)
        if (!strcmp(sweep.cases[i].filter->name, "blur"))
            assert_true(sweep.cases[i].settings.params.v[1] == 2.5);
}

// ---- any param ----

// The axis stands behind the cases.
static void assert_work(struct sweep_axes axes, const char *expected)
{
    OWNED(sweep_finish) struct sweep sweep = {0};
    if (!sweep_build(&sweep, &filters, &axes, &err)) fail_msg("refused: %s", err.text);
    g_autofree char *cases = sweep_text(&sweep),
                    *text = g_strdup_printf("%s over %s", cases, sweep.axis);
    assert_string_equal(text, expected);
}

#define WORK(...) ((struct sweep_axes){.filter = "work", .variant = "naive", __VA_ARGS__})
#define PARAMS(...)       \
    .params = (char *[])  \
    {                     \
        __VA_ARGS__, NULL \
    }

TEST(the_axis_of_a_sweep)
{
    assert_work(WORK(.sweep = "m"),
                "naive:0,1,1024,-4|naive:0,1,1024,-2|naive:0,1,1024,-1|naive:0,1,1024,0|"
                "naive:0,1,1024,1|naive:0,1,1024,2|naive:0,1,1024,4|naive:0,1,1024,8|"
                "naive:0,1,1024,16|naive:0,1,1024,32|naive:0,1,1024,64 over m");
    assert_work(WORK(PARAMS((char *)"n=4..16x2")),
                "naive:0,1,4,2|naive:0,1,8,2|naive:0,1,16,2 over n");
    assert_work(WORK(PARAMS((char *)"n=2^20,2^30")),
                "naive:0,1,1048576,2|naive:0,1,1073741824,2 over n");
    assert_work(WORK(PARAMS((char *)"m=-4..0+2")),
                "naive:0,1,1024,-4|naive:0,1,1024,-2|naive:0,1,1024,0 over m");
    assert_work(WORK(.sweep = "m", PARAMS((char *)"m=7")), "naive:0,1,1024,7 over m");
    assert_work(WORK(PARAMS((char *)"n=8")), "naive:0,1,8,2 over n");
    // Without a sweep the column is of its own axis, the first whole number.
    assert_work(WORK(.sweep = NULL), "naive:0,1,1024,2 over n");
    OWNED(sweep_finish) struct sweep sweep = {0};
    assert_true(sweep_build(&sweep, &filters, &WORK(.sweep = "n"), NULL));
    assert_int_equal(sweep_count_groups(&sweep), 29);
    assert_true(sweep.cases[0].settings.params.v[2] == 4);
    assert_true(sweep.cases[28].settings.params.v[2] == 1 << 30);
    assert_string_equal(sweep.axis, "n");
}

TEST(ranges_are_combined)
{
    assert_work(WORK(PARAMS((char *)"m=1,2", (char *)"n=4,8")),
                "naive:0,1,4,1|naive:0,1,4,2|naive:0,1,8,1|naive:0,1,8,2 over m");
    assert_work(WORK(.sweep = "n", PARAMS((char *)"m=1,2", (char *)"n=4,8")),
                "naive:0,1,4,1|naive:0,1,8,1|naive:0,1,4,2|naive:0,1,8,2 over n");
    assert_work(WORK(PARAMS((char *)"side=all", (char *)"n=4")),
                "naive:0,1,4,2|naive:1,1,4,2|naive:2,1,4,2 over n");
    assert_work(WORK(PARAMS((char *)"scale=0.5,2", (char *)"side=y")),
                "naive:1,0.5,1024,2|naive:1,2,1024,2 over scale");
    assert_work((struct sweep_axes){.filter = "work", PARAMS((char *)"m=1,1,2")},
                "naive:0,1,1024,1 fast:0,1,1024,1|naive:0,1,1024,2 fast:0,1,1024,2 over m");
}

// Each keeps to what it has; a filter without the axis gives one value.
TEST(filters_with_other_params)
{
    assert_sweep((struct sweep_axes){.filter = "mean,work",
                                     .variant = "naive",
                                     .sweep = "m",
                                     PARAMS((char *)"m=1,2", (char *)"radius=5")},
                 "mean.naive.5|naive:0,1,1024,1|naive:0,1,1024,2");
    OWNED(sweep_finish) struct sweep sweep = {0};
    const struct sweep_axes axes = {.filter = "mean,work", .variant = "naive"};
    assert_true(sweep_build(&sweep, &filters, &axes, NULL));
    assert_int_equal(sweep_count_groups(&sweep), 2);
    assert_string_equal(sweep.axis, "radius");
}

struct refusal {
    struct sweep_axes axes;
    const char *message;
};

static void assert_refused(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sweep sweep = {.count = 77};
        err.text[0] = '\0';
        if (sweep_build(&sweep, &filters, &cases[i].axes, &err))
            fail_msg("accepted, instead of: %s", cases[i].message);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(sweep.count, 77);
    }
}

TEST(refused_params)
{
    const struct refusal cases[] = {
        {WORK(.sweep = "foo"), "work has no param 'foo'; known are side, scale, n, m"},
        {WORK(.sweep = "scale"), "work has no numbers of 'scale' to sweep"},
        {WORK(.sweep = "side"), "work has no numbers of 'side' to sweep"},
        {WORK(.sweep = ""), "work has no param ''; known are side, scale, n, m"},
        {WORK(PARAMS((char *)"foo=1..3")), "work has no param 'foo'; known are side, scale, n, m"},
        {WORK(PARAMS((char *)"n=all")), "n 'all' has more than 256 values"},
        {WORK(PARAMS((char *)"m=-5..4")), "m -5 is outside [-4, 64] of work"},
        {WORK(PARAMS((char *)"n=9..4")), "n '9..4' runs backwards: 4 is less than 9"},
        {WORK(PARAMS((char *)"n=4..2^31")),
         "n '4..2^31' is not understood; expected N, A..B or a list such as 1,2,4"},
        {WORK(PARAMS((char *)"n=4,,8")),
         "n '4,,8' is not understood; expected N, A..B or a list such as 1,2,4"},
        {WORK(PARAMS((char *)"scale=all")), "scale 'all' is not understood: it is no whole number"},
        {WORK(PARAMS((char *)"scale=1..2")), "scale '1..2' is not a number"},
        {WORK(PARAMS((char *)"side=x,z")), "side 'z' is not one of x, y, both"},
        {WORK(PARAMS((char *)"n=4..200", (char *)"m=1..60")), "the sweep has more than 8192 cases"},
    };
    assert_refused(cases, G_N_ELEMENTS(cases));
}

TEST(refused)
{
    char *const unknown[] = {"foo=1", NULL}, *const broken[] = {"radius", NULL};
    char *const outside[] = {"sigma=99", NULL}, *const huge[] = {"radius=1e20", NULL};
    const struct refusal cases[] = {
        {{.filter = "nope"},
         "unknown filter or lab 'nope'; known are blur, invert, mean, wide, work"},
        {{.filter = "mean,nope"},
         "unknown filter or lab 'nope'; known are blur, invert, mean, wide, work"},
        {{.filter = ""}, "empty sweep: --filter names nothing"},
        {{.variant = "nope"}, "unknown variant 'nope' of mean; known are naive, running"},
        {{.variant = "naive,"}, "unknown variant '' of mean; known are naive, running"},
        {{.variant = " "}, "empty sweep: --variant names nothing"},
        {{.filter = "all", .variant = "nope"},
         "unknown variant 'nope' of these filters; known are naive, shared, vector, "
         "running, fast"},
        {{.radius = "65"}, "radius 65 is outside [0, 64] of mean"},
        {{.filter = "blur", .radius = "1..3"}, "radius 1 is outside [2, 20] of blur"},
        {{.radius = "5..1"}, "radius '5..1' runs backwards: 1 is less than 5"},
        {{.filter = "invert", .radius = "3"}, "invert has no param 'radius'"},
        {{.unroll = "maybe"}, "unroll 'maybe' is not understood; expected on, off or both"},
        {{.block = "9"}, "block '9' is not understood; expected WxH, such as 32x8, a list or all"},
        {{.params = unknown}, "mean has no param 'foo'; known are radius"},
        {{.params = broken}, "'radius' is not understood; expected --param NAME=VALUE"},
        {{.params = huge}, "radius 1e+20 is outside [0, 64] of mean"},
        {{.filter = "wide", .radius = "all"}, "radius 'all' has more than 256 values"},
        {{.filter = "blur", .radius = "2", .params = outside},
         "sigma 99 is outside [0, 12.5] of blur"},
        {{.radius = "all", .block = "all", .unroll = "both"}, "the sweep has more than 8192 cases"},
    };
    assert_refused(cases, G_N_ELEMENTS(cases));
}

SUITE("sweep", load, NULL)

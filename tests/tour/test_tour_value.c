// test_tour_value -- what a figure means, with records of our own and blocks that are traced.
#include "unit.h"

#include "filters.h"
#include "base/image.h"
#include "tour/tour_value.h"

static struct choice choose(const char *filter, const char *variant)
{
    struct choice c;
    const struct choice_words words = {.filter = filter, .variant = variant};
    must(choice_read(&c, &words, &filters, &err));
    return c;
}

static const struct device cpu = {.id = "cpu",
                                  .name = "a CPU",
                                  .multiprocessors = 2,
                                  .max_threads = 1024,
                                  .max_block_width = 1024,
                                  .max_block_height = 1024,
                                  .max_grid_width = 1 << 30,
                                  .max_grid_height = 1 << 16,
                                  .max_shared_bytes = 48 << 10};

static struct device gpu;  // the same; nobody knows what its compiler says of a kernel

static void add(struct results *s, const struct choice *point, struct stats_summary ms)
{
    for (int i = 0; i < STATS_DROPPED; i++) results_add(s, point, ms.median);
    for (int i = 0; i < ms.count; i++)
        results_add(s, point, i < 3 ? ms.lower : i < 6 ? ms.median : ms.upper);
}

// shared takes 0.4 ms, another radius twice as long, unrolled half of it; texture is measured
// later, running never.
static void add_variant(struct results *s, struct choice point)
{
    const double rolled = point.settings.params.v[0] == 3 ? 1 : 2;
    const double ms = point.settings.is_unrolled ? rolled / 2 : rolled;
    const bool is_wrong = !strcmp(point.variant->name, "separable");
    if (!strcmp(point.variant->name, "running")) {
        results_refuse(s, &point, "too slow");
        return;
    }
    results_check(s, &point, (struct image_difference){.count = is_wrong, .max = is_wrong});
    if (!strcmp(point.variant->name, "texture"))
        results_add(s, &point, ms);
    else if (!strcmp(point.variant->name, "shared"))
        add(s, &point, (struct stats_summary){9, 0.4 * ms, 0.3 * ms, 0.5 * ms});
    else
        add(s, &point, (struct stats_summary){9, 2 * ms, 1.8 * ms, 2.4 * ms});
}

static struct results *make_results(const struct choice *shown)
{
    struct results *s = results_create();
    const struct choice copy = choice_copy_of(shown);
    for (int i = 0; i < shown->filter->variant_count; i++)
        for (int k = 0; k < 4; k++) {
            struct choice point = choice_of_variant(shown, &shown->filter->variants[i]);
            point.settings.is_unrolled = k & 1;
            point.settings.params.v[0] = k & 2 ? 4 : 3;
            add_variant(s, point);
        }
    add(s, &copy, (struct stats_summary){9, 0.1, 0.1, 0.1});
    return s;
}

static const struct lens_result *find_no_block(void *user, const struct tracing_request *request,
                                               struct error *why)
{
    return NULL;
}

static struct tour_value find_value(void *source, const struct tour_figure *figure)
{
    return tour_value_find(source, figure);
}

static struct tour_value find(const struct tour_source *s, const char *word)
{
    struct tour_figure f;
    must(tour_figure_read(&f, word, &filters, &err));
    return tour_value_find(s, &f);
}

TEST(records)
{
    static const struct {
        const char *word;
        enum tour_known known;
        const char *text;  // or the beginning of why
    } cases[] = {
        {"ms", TOUR_KNOWN, "0.400"},
        {"ms:naive", TOUR_KNOWN, "2.00"},
        {"ms@radius=4", TOUR_KNOWN, "0.800"},
        {"ms@unroll=on", TOUR_KNOWN, "0.200"},
        {"ms:naive@unroll=off", TOUR_KNOWN, "2.00"},
        {"ms:texture", TOUR_PENDING, ""},
        {"ms:running", TOUR_NEVER, "running: too slow"},
        {"ms:separable", TOUR_KNOWN, "2.00 (wrong)"},
        {"ms:padded", TOUR_NEVER, "mean has no variant 'padded'"},
        {"naive", TOUR_KNOWN, "5.00"},
        {"x:naive/shared", TOUR_KNOWN, "0.200"},
        {"x:separable", TOUR_KNOWN, "(wrong)"},
        {"x:texture", TOUR_PENDING, ""},
        {"copy", TOUR_KNOWN, "25.0"},
        {"copy:naive", TOUR_KNOWN, "5.00"},
        {"sectors", TOUR_PENDING, ""},
        {"shared", TOUR_KNOWN, "532"},
        {"shared:naive", TOUR_NEVER, "no GPU"},
        {"occupancy", TOUR_NEVER, "no GPU"},
        {"registers:naive", TOUR_NEVER, "no GPU"},
        {"device", TOUR_KNOWN, "a GPU"},
        {"filter", TOUR_KNOWN, "mean"},
        {"variant", TOUR_KNOWN, "shared"},
        {"radius", TOUR_KNOWN, "3"},
        {"fields", TOUR_NEVER, "mean has no param 'fields'; known are radius"},
        {"frame", TOUR_NEVER, "not known without a window"},
    };
    const struct choice shown = choose("mean", "shared");
    struct results *results = make_results(&shown);
    const struct tour_source source = {.shown = shown,
                                       .picture = {.width = 64, .height = 48, .count = 1},
                                       .device = &gpu,
                                       .results = results,
                                       .block = find_no_block};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct tour_value v = find(&source, cases[i].word);
        if (v.known != cases[i].known)
            fail_msg("%s is %d: %s%s", cases[i].word, v.known, v.text, v.why);
        if (v.known == TOUR_NEVER)
            assert_true(g_str_has_prefix(v.why, cases[i].text));
        else
            assert_string_equal(v.text, cases[i].text);
    }
    const struct tour_value ms = find(&source, "ms"), x = find(&source, "naive");
    assert_true(ms.low == 0.3 && ms.high == 0.5);
    assert_true(x.low < 3.7 && x.low > 3.5 && x.high > 7.9 && x.high < 8.1);
    assert_true(find(&source, "ms:separable").is_wrong && find(&source, "x:separable").is_wrong);
    results_destroy(results);
}

// Its times are named, and nothing is compared by them.
TEST(a_cpu_has_no_ratios)
{
    static const char *const ratios[] = {"naive", "x:naive/shared", "copy", "copy:naive"};
    const struct choice shown = choose("mean", "shared");
    struct results *results = make_results(&shown);
    struct tour_source source = {.shown = shown,
                                 .picture = {.width = 64, .height = 48, .count = 1},
                                 .device = &cpu,
                                 .results = results};
    for (size_t i = 0; i < G_N_ELEMENTS(ratios); i++) {
        const struct tour_value v = find(&source, ratios[i]);
        assert_int_equal(v.known, TOUR_NEVER);
        assert_string_equal(v.why, "not known without a GPU");
    }
    static const struct {
        const struct device *device;
        const char *text, *filled;
    } cases[] = {
        {&gpu, "naive {ms:naive} ms", "naive 2.00 ms"},
        {&cpu, "naive {ms:naive} ms, {x:naive/shared} times",
         "naive 2.00 ms, – times\nTimes of this CPU: they say nothing about a GPU."},
        {&cpu, "radius {radius}", "radius 3"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        source.device = cases[i].device;
        g_autofree char *text = tour_value_fill(&source, cases[i].text, find_value, &source);
        assert_string_equal(text, cases[i].filled);
    }
    results_destroy(results);
}

// The present path's frames take 16.7 ms; staged was not settled yet, and interop never taken.
static bool find_screen(void *user, const char *path, struct tour_screen_times *times,
                        struct error *why)
{
    *times = (struct tour_screen_times){.frame = {9, 16.7, 16.6, 16.8}, .host = {9, 0.5, 0.4, 0.6}};
    return strcmp(path, "interop") ? !*path : error_set(why, "the path was not taken");
}

TEST(times_of_the_screen)
{
    const struct tour_source source = {
        .shown = choose("mean", "shared"), .device = &cpu, .screen = find_screen};
    const struct tour_value frame = find(&source, "frame"), host = find(&source, "host");
    assert_string_equal(frame.text, "16.7");
    assert_true(host.number == 0.5 && host.low == 0.4 && host.high == 0.6);
    assert_int_equal(find(&source, "host@path=staged").known, TOUR_PENDING);
    const struct tour_value never = find(&source, "frame@path=interop");
    assert_int_equal(never.known, TOUR_NEVER);
    assert_string_equal(never.why, "the path was not taken");
}

TEST(points)
{
    const struct tour_source source = {.shown = choose("mean", "shared"),
                                       .picture = {.width = 64, .height = 48, .count = 1},
                                       .device = &cpu};
    static const struct {
        const char *word;
        int count;
        const char *first;
    } cases[] = {{"ms", 1, "shared"},        {"x:naive/texture@radius=9", 2, "naive"},
                 {"conflicts", 1, "shared"}, {"naive", 2, "shared"},
                 {"ms:padded", 0, NULL},     {"radius", 0, NULL},
                 {"copy:naive", 1, "naive"}, {"host@path=staged", 0, NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct choice points[TOUR_VALUE_POINTS];
        struct tour_figure f;
        assert_true(tour_figure_read(&f, cases[i].word, &filters, &err));
        assert_int_equal(tour_value_points(&source, &f, points), cases[i].count);
        if (cases[i].count) assert_string_equal(points[0].variant->name, cases[i].first);
        if (cases[i].count && *f.value) assert_true(points[1].settings.params.v[0] == 9);
    }
}

// ---- counters ----

struct traced {
    struct tracing *tracing;
    struct tour_source source;
    struct lens_result *result;
};

static const struct lens_result *find_block(void *user, const struct tracing_request *request,
                                            struct error *why)
{
    struct traced *t = user;
    struct tracing_watch watch = {0};
    lens_result_free(t->result);
    return t->result = tracing_run(t->tracing, request, &watch, why);
}

// A warp of read_columns reads 32 sectors and writes 4 that lie side by side.
TEST(counters)
{
    static const struct {
        const char *word, *text;  // NULL: it cannot be
    } cases[] = {
        {"sectors:read_columns", "1.12"},
        {"sectors:copy", "0.250"},
        {"ideal_sectors:read_columns", "0.250"},
        {"wanted:read_columns", "8"},
        {"fetched:read_columns", "36"},
        {"requests:read_columns", "16"},
        {"global_load.sectors/request:read_columns", "32"},
        {"global_store.sectors/request:read_columns", "4"},
        {"sectors/request:read_columns", "18"},
        {"shared_load.wavefronts/request:read_columns", NULL},
        {"words/request:read_columns", NULL},
        {"wavefronts/request:shared", "16.5"},
        {"shared_load.wavefronts/request:shared", "32"},
        {"conflicts:padded", "0"},
    };
    struct traced t = {.tracing = tracing_create(TILESCOPE_KERNELS, SHARE_BLOCKS, &err)};
    t.source = (struct tour_source){.shown = choose("transpose", "read_columns"),
                                    .device = &cpu,
                                    .user = &t,
                                    .block = find_block};
    t.source.shown.settings.params.v[0] = 128;
    must(t.tracing);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct tour_value v = find(&t.source, cases[i].word);
        if (v.known != (cases[i].text ? TOUR_KNOWN : TOUR_NEVER))
            fail_msg("%s is %d: %s%s", cases[i].word, v.known, v.text, v.why);
        if (cases[i].text && strcmp(v.text, cases[i].text) != 0)
            fail_msg("%s is %s, not %s", cases[i].word, v.text, cases[i].text);
        if (!cases[i].text) assert_string_equal(v.why, "read_columns makes no such access");
    }
    assert_string_equal(find(&t.source, "sectors:copy").each, " per element");
    assert_null(find(&t.source, "conflicts:padded").each);
    lens_result_free(t.result);
    tracing_destroy(t.tracing);
}

int main(void)
{
    gpu = cpu;
    gpu.is_gpu = true;
    g_strlcpy(gpu.name, "a GPU", sizeof gpu.name);
    return unit_run("tour_value", set_up, NULL);
}

// Two benchmarks from files: what is read and refused, which rows belong together, and what counts
// as a difference.
#include "unit.h"

#include "measure/bench_compare.h"

// A file as bench writes it, around these rows.
static char *file_of(const char *device, const char *rows)
{
    return g_strdup_printf("{\"tilescope\": \"0.1.0\", \"date\": \"2026-11-22T14:00:00+00:00\", "
                           "\"device\": {\"name\": \"%s\", \"driver\": \"driver 580\"}, "
                           "\"picture\": {\"name\": \"noise\", \"width\": 64, \"height\": 48, "
                           "\"planes\": 1}, \"rows\": [%s]}",
                           device, rows);
}

static char *row_of(const char *variant, int radius, double median, double spread,
                    const char *check)
{
    return g_strdup_printf(
        "{\"filter\": \"mean\", \"variant\": \"%s\", \"params\": null, \"radius_px\": %d, "
        "\"block_width\": 32, \"block_height\": 8, \"unroll\": \"off\", \"cold_median_ms\": %g, "
        "\"cold_lower_quartile_ms\": %g, \"cold_upper_quartile_ms\": %g, \"cold_count\": 31, "
        "\"check\": \"%s\"}",
        variant, radius, median, median - spread, median + spread, check);
}

static struct bench_file parsed(const char *text)
{
    struct bench_file f;
    must(bench_file_parse(&f, "a.json", text, &err));
    return f;
}

// Joins and frees the rows, up to NULL.
static struct bench_file file_with(const char *device, char **rows)
{
    g_autofree char *joined = g_strjoinv(", ", rows), *text = file_of(device, joined);
    const struct bench_file f = parsed(text);
    for (; *rows; rows++) g_free(*rows);
    return f;
}

TEST(what_is_read)
{
    char *rows[] = {row_of("naive", 3, 0.5, 0.125, "exact"),
                    row_of("fast", 3, 2, 1, "wrong, max 9"), NULL};
    OWNED(bench_file_finish) struct bench_file f = file_with("NVIDIA \\u001b[2JH200", rows);
    assert_string_equal(f.device, "NVIDIA \uFFFD[2JH200");
    assert_string_equal(f.subject, "64×48 grey noise");
    assert_int_equal(f.count, 2);
    const struct bench_file_row *naive = &f.rows[0];
    assert_string_equal(naive->parts[BENCH_FILE_FILTER], "mean");
    assert_string_equal(naive->axis, "radius_px");
    assert_true(naive->has_value && naive->value == 3);
    assert_string_equal(naive->parts[BENCH_FILE_BLOCK], "32×8");
    assert_true(naive->ms.median == 0.5 && naive->ms.lower == 0.375 && naive->ms.upper == 0.625);
    assert_false(naive->is_wrong);
    assert_true(f.rows[1].is_wrong);
}

TEST(cases_of_one_file)
{
    char *rows[] = {
        row_of("naive", 3, 0.5, 0.01, "exact"), row_of("shared", 3, 0.25, 0.01, "exact"),
        row_of("naive", 5, 0.75, 0.01, "exact"), row_of("fast", 3, 1, 0.01, "exact"), NULL};
    OWNED(bench_file_finish) struct bench_file f = file_with("NVIDIA H200", rows);
    struct bench_compare c;
    must(bench_compare_init(&c, &f, NULL, "variant", &err) && bench_compare_check(&c, &err));
    assert_int_equal(c.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(c.pairs[i].a->parts[BENCH_FILE_VARIANT], "naive");
        assert_string_equal(c.pairs[i].b->parts[BENCH_FILE_VARIANT], i ? "fast" : "shared");
        assert_true(c.pairs[i].ratio == (i ? 2 : 0.5));
    }
    bench_compare_finish(&c);
    assert_true(bench_compare_init(&c, &f, NULL, "block", &err));
    assert_false(bench_compare_check(&c, &err));
    assert_string_equal(err.text, "no cases differ in block alone");
    bench_compare_finish(&c);
    assert_false(bench_compare_init(&c, &f, NULL, "nothing", &err));
}

TEST(hostile_files)
{
#define NONE   "'a.json' is not a benchmark of tilescope: "
#define DEVICE "{\"device\": {\"name\": \"x\"}, "
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", NONE "it is not a JSON object"},
        {"[]", NONE "it is not a JSON object"},
        {"{\"rows\": []", NONE "it is not a JSON object"},
        {"{\"rows\": []}", NONE "it names no device"},
        {"\xff", NONE "it is not UTF-8 text"},
        {DEVICE "\"rows\": {}}", NONE "it has no rows"},
        {"{\"device\": {\"name\": 7}, \"rows\": []}", NONE "a name is not a text"},
        {DEVICE "\"picture\": {\"width\": -1}, \"rows\": []}",
         NONE "a count is not a whole number"},
        {DEVICE "\"rows\": [7]}", "'a.json': row 1: it is not an object"},
        {DEVICE "\"rows\": [{}]}", "'a.json': row 1: it names no variant"},
        {DEVICE "\"rows\": [{\"variant\": \"v\"}, {\"variant\": \"v\", \"block_width\": 1e300}]}",
         "'a.json': row 2: a count is not a whole number"},
        {DEVICE "\"rows\": [{\"variant\": \"v\", \"cold_median_ms\": \"1\"}]}",
         "'a.json': row 1: a figure is not a number"},
        {DEVICE "\"rows\": [{\"variant\": \"v\", \"hot_median_ms\": 1, \"hot_count\": 3}]}",
         "'a.json': row 1: its quartiles do not lie around its median"},
        {DEVICE "\"rows\": [{\"variant\": \"v\", \"cold_median_ms\": 1e999, \"cold_count\": 3}]}",
         "'a.json': row 1: a figure is not a number"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        struct bench_file f;
        err.text[0] = '\0';
        assert_false(bench_file_parse(&f, "a.json", bad[i].text, &err));
        assert_string_equal(err.text, bad[i].message);
    }
}

TEST(verdicts)
{
    char *before[] = {row_of("faster", 1, 2, 0.1, "exact"),
                      row_of("slower", 1, 2, 0.1, "exact"),
                      row_of("unclear", 1, 2, 0.2, "exact"),
                      row_of("wrong", 1, 2, 0.1, "exact"),
                      row_of("gone", 1, 2, 0.1, "exact"),
                      row_of("moved", 1, 2, 0.1, "exact"),
                      NULL};
    char *after[] = {row_of("moved", 2, 2, 0.1, "exact"),     row_of("wrong", 1, 1, 0.1, "wrong"),
                     row_of("slower", 1, 3, 0.1, "exact"),    row_of("faster", 1, 1, 0.1, "exact"),
                     row_of("unclear", 1, 2.3, 0.2, "exact"), NULL};
    static const enum bench_compare_verdict wanted[] = {BENCH_COMPARE_FASTER, BENCH_COMPARE_SLOWER,
                                                        BENCH_COMPARE_UNCLEAR, BENCH_COMPARE_WRONG};
    OWNED(bench_file_finish)
    struct bench_file a = file_with("H200", before), b = file_with("H100", after);
    OWNED(bench_compare_finish) struct bench_compare c;
    assert_true(bench_compare_init(&c, &a, &b, NULL, NULL));
    assert_int_equal(c.count, 7);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(c.pairs[i].verdict, wanted[i]);
        assert_string_equal(c.pairs[i].a->parts[BENCH_FILE_VARIANT],
                            c.pairs[i].b->parts[BENCH_FILE_VARIANT]);
    }
    assert_true(c.pairs[0].ratio == 0.5);
    assert_float_equal(c.pairs[0].lower, 0.9 / 2.1, 1e-6);
    assert_float_equal(c.pairs[0].upper, 1.1 / 1.9, 1e-6);
    assert_true(c.pairs[4].a && !c.pairs[4].b);
    assert_true(c.pairs[5].a && !c.pairs[5].b);
    assert_true(!c.pairs[6].a && !strcmp(c.pairs[6].b->parts[BENCH_FILE_VARIANT], "moved"));

    g_autofree char *text = bench_compare_report(&c, "old.json", "new.json");
    assert_non_null(strstr(text, "a  old.json: H200, driver 580, 64×48 grey noise"));
    assert_non_null(strstr(text, "The runs differ in: devices.\n"));
    assert_non_null(strstr(text, "▲ b is faster"));
    assert_non_null(strstr(text, "✗ b is wrong"));
    assert_non_null(strstr(text, "only in b"));
    assert_non_null(strstr(text, "b is faster in 1, slower in 1; 1 within the spread, 1 wrong; 2 "
                                 "only in a, 1 only in b.\n"));
    assert_null(strstr(text, "CPU"));
    g_free(text);
    g_strlcpy(b.driver, "cc 12.2.0", sizeof b.driver);
    text = bench_compare_report(&c, "old.json", "new.json");
    assert_non_null(strstr(text, "\nb has times of a CPU: they say nothing about a GPU.\n"));
    assert_null(strstr(text, "\na has times of a CPU"));
}

// Hot times are compared with hot ones alone.
TEST(cold_and_hot_are_not_compared)
{
    char *row = row_of("naive", 1, 2, 0.1, "exact"), **parts = g_strsplit(row, "cold_", -1);
    g_autofree char *hot_row = g_strjoinv("hot_", parts);
    g_autofree char *cold_text = file_of("H200", row), *hot_text = file_of("H200", hot_row);
    OWNED(bench_file_finish) struct bench_file cold = parsed(cold_text), hot = parsed(hot_text);
    OWNED(bench_compare_finish) struct bench_compare c;
    assert_true(bench_compare_init(&c, &hot, &cold, NULL, NULL));
    assert_int_equal(c.count, 1);
    assert_int_equal(c.pairs[0].verdict, BENCH_COMPARE_UNTIMED);
    assert_true(c.pairs[0].ratio == 0);
    bench_compare_finish(&c);
    assert_true(bench_compare_init(&c, &hot, &hot, NULL, NULL));
    assert_int_equal(c.pairs[0].verdict, BENCH_COMPARE_UNCLEAR);
    g_strfreev(parts);
    g_free(row);
}

// A picture of another size is another row.
TEST(sizes_are_told_apart)
{
    g_autofree char *row = row_of("naive", 1, 2, 0.1, "exact");
    g_autofree char *text = file_of("H200", row), *larger = g_strdup(text);
    memcpy(strstr(larger, "64"), "65", 2);
    OWNED(bench_file_finish) struct bench_file a = parsed(text), b = parsed(larger);
    OWNED(bench_compare_finish) struct bench_compare c;
    assert_true(bench_compare_init(&c, &a, &b, NULL, NULL));
    assert_int_equal(c.count, 2);
    g_autofree char *report = bench_compare_report(&c, "a", "b");
    assert_non_null(strstr(report, "The runs differ in: pictures.\n"));
}

// Ignored columns: rows that differ in them alone pair in their order, and the table has both.
TEST(ignored_columns)
{
    char *row = row_of("naive", 1, 2, 0.1, "exact"), **parts = g_strsplit(row, "off", -1);
    char *unrolled = g_strjoinv("on", parts), *small = g_strdup(row);
    memcpy(strstr(small, "32"), "16", 2);
    char *other = g_strdup(small);
    memcpy(strstr(other, "naive"), "other", 5);
    char *copy = g_strdup("{\"variant\": \"copy\", \"hot_median_ms\": 1, \"hot_count\": 0}");
    OWNED(bench_file_finish)
    struct bench_file off =
        file_with("H200", (char *[]){g_strdup(copy), g_strdup(row), g_strdup(small), NULL});
    OWNED(bench_file_finish)
    struct bench_file on = file_with("H200", (char *[]){copy, unrolled, NULL});
    OWNED(bench_file_finish) struct bench_file far = file_with("H200", (char *[]){other, NULL});
    struct bench_file none = {.count = 0};
    struct bench_compare c;

    // The copy alone is no case.
    assert_true(bench_compare_init(&c, &off, &on, NULL, NULL));
    assert_false(bench_compare_check(&c, &err));
    assert_string_equal(err.text, "the runs have no case in common; --ignore unroll pairs cases "
                                  "that differ in it");
    bench_compare_finish(&c);
    assert_true(bench_compare_init(&c, &on, &far, NULL, NULL));
    assert_false(bench_compare_check(&c, &err));
    assert_non_null(strstr(err.text, "--ignore variant,block,unroll pairs"));
    bench_compare_finish(&c);
    assert_true(bench_compare_init(&c, &on, &none, NULL, NULL));
    assert_false(bench_compare_check(&c, &err));
    assert_non_null(strstr(err.text, "one of the runs has no case"));
    bench_compare_finish(&c);

    assert_true(bench_compare_init(&c, &off, &on, "unroll, device", NULL));
    assert_true(bench_compare_check(&c, NULL));
    assert_int_equal(c.count, 3);
    assert_ptr_equal(c.pairs[1].b, &on.rows[1]);
    assert_null(c.pairs[2].b);
    g_autofree char *report = bench_compare_report(&c, "a", "b");
    assert_non_null(strstr(report, "off → on"));
    bench_compare_finish(&c);
    // Rows of one file that are the same without the column pair in their order.
    assert_true(bench_compare_init(&c, &off, &off, "block", NULL));
    for (int i = 0; i < 3; i++) assert_ptr_equal(c.pairs[i].b, &off.rows[i]);
    bench_compare_finish(&c);
    assert_false(bench_compare_init(&c, &off, &on, "unrol", &err));
    assert_string_equal(err.text, "compare has no column 'unrol' to ignore; known are filter, "
                                  "variant, params, block, unroll, size, device; did you mean "
                                  "'unroll'?");
    g_free(small);
    g_strfreev(parts);
    g_free(row);
}

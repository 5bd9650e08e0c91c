// What a kernel file may say about itself, and what each mistake in it is called, with its line.
#include "unit.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>

#include "filter/choice.h"
#include "filter/files.h"
#include "folder.h"

#define HEAD "//! filter \"Mean\"\n"
#define KNOWN                                                                              \
    "known are filter, lab, weights, let, file, goal, before, variant, library, untimed, " \
    "compiled "                                                                            \
    "and a param's limits"
#define NAIVE "//! variant naive 32x8\nKERNEL(mean_naive)\n{\n}\n"

// ---- whole files ----

static const char full[] = "// A comment of the file.\n"                           // 1
                           "//! filter \"Adaptive threshold\" key t\n"             // 2
                           "#include \"kernel.h\"\n"                               // 3
                           "\n"                                                    // 4
                           "struct params {\n"                                     // 5
                           "    int radius;  //! 3 [0, 64] pixels on each side\n"  // 6
                           "    int c;       //! -5 [-128, 127] offset\n"          // 7
                           "    float sigma; //! 0.5 [0, 12.25]\n"                 // 8
                           "};\n"                                                  // 9
                           "\n"                                                    // 10
                           "// One thread per pixel,\n"                            // 11
                           "// every tap from global memory.\n"                    // 12
                           "//! variant naive 32x8\n"                              // 13
                           "KERNEL(threshold_naive)\n"
                           "{\n"
                           "    // inside\n"
                           "}\n"
                           "\n"
                           "// Rows, then columns.\n"
                           "//! variant separable 64x4 each=2x3 shared=(bw + 2*radius) * 4\n"
                           "KERNEL(threshold_rows)\n"
                           "{\n"
                           "}\n"
                           "//! variant separable 16x16 columns=8*bw - radius rows=5 block=fixed "
                           "level=expert multiple_of=16\n"
                           "KERNEL(threshold_columns)\n"
                           "{\n"
                           "}\n";

static void assert_full(const struct filter *f)
{
    assert_string_equal(f->name, "mean");
    assert_string_equal(f->title, "Adaptive threshold");
    assert_int_equal(f->key, 't');
    assert_int_equal(f->param_count, 3);
    assert_string_equal(f->params[0].name, "radius");
    assert_string_equal(f->params[0].help, "pixels on each side");
    assert_false(f->params[0].is_float);
    assert_true(f->params[1].value == -5 && f->params[1].min == -128 && f->params[1].max == 127);
    assert_true(f->params[2].is_float);
    assert_true(f->params[2].value == 0.5 && f->params[2].max == 12.25);
    assert_string_equal(f->params[2].help, "");
    assert_int_equal(f->variant_count, 2);

    const struct variant *naive = &f->variants[0], *separable = &f->variants[1];
    assert_string_equal(naive->name, "naive");
    assert_string_equal(naive->note, "One thread per pixel, every tap from global memory.");
    assert_int_equal(naive->pass_count, 1);
    assert_string_equal(naive->passes[0].entry, "threshold_naive");
    assert_int_equal(naive->passes[0].each_x, 1);
    assert_int_equal(naive->passes[0].multiple_of, 1);
    assert_string_equal(naive->passes[0].shared.text, "");
    assert_false(naive->passes[0].is_fixed);
    assert_false(naive->is_expert);

    assert_string_equal(separable->note, "Rows, then columns.");
    assert_int_equal(separable->pass_count, 2);
    assert_true(separable->is_expert);
    const struct pass *rows = &separable->passes[0], *columns = &separable->passes[1];
    assert_string_equal(rows->entry, "threshold_rows");
    assert_string_equal(rows->shared.text, "(bw + 2*radius) * 4");
    assert_int_equal(rows->each_x, 2);
    assert_int_equal(rows->each_y, 3);
    assert_int_equal(rows->block_width, 64);
    assert_string_equal(rows->columns.text, "");
    assert_string_equal(rows->rows.text, "");
    assert_string_equal(columns->entry, "threshold_columns");
    assert_string_equal(columns->columns.text, "8*bw - radius");
    assert_string_equal(columns->rows.text, "5");
    assert_true(columns->is_fixed);
    assert_int_equal(columns->multiple_of, 16);
    assert_int_equal(columns->each_x, 1);
}

static void test_a_whole_file(void **state)
{
    struct filter f = parsed(full);
    assert_full(&f);
    assert_string_equal(f.path, "kernels/mean.cu");
    assert_string_equal(f.source, full);
    assert_ptr_equal(filter_variant(&f, "separable"), &f.variants[1]);
    assert_null(filter_variant(&f, "separabl"));
    assert_null(filter_variant(&f, ""));
    assert_int_equal(filter_param(&f, "sigma"), 2);
    assert_int_equal(filter_param(&f, "sigm"), -1);
    assert_int_equal(filter_radius(&f), 0);
    filter_finish(&f);
    assert_null(f.source);
    filter_finish(&f);
}

static void test_line_ends(void **state)
{
    char **lines = g_strsplit(full, "\n", -1);
    char *text = g_strjoinv("\r\n", lines);
    struct filter f = parsed(text);
    assert_full(&f);
    filter_finish(&f);
    g_free(text);
    g_strfreev(lines);
    assert_refused(HEAD "\r\n//! variant naive 32x\r\n", 3, "expected: //! variant name WxH");
    f = parsed(HEAD "//! variant naive 32x8\nKERNEL(mean_naive)");  // none at the end
    assert_string_equal(f.variants[0].passes[0].entry, "mean_naive");
    filter_finish(&f);
    assert_refused(HEAD "//! variant naive 32x8", 2, "the variant line has no KERNEL");
}

static void test_huge_files(void **state)
{
    enum { LINES = 8000, LONG = 1 << 20 };
    char *longest = g_strnfill(LONG, 'x');
    GString *text = g_string_new(HEAD);
    g_string_append_printf(text, "// %s\n" NAIVE, longest);
    for (int i = 0; i < LINES; i++) g_string_append(text, "    // sum += in.pixels[0];\n");
    g_string_append(text, "//! variant second 8x8\nKERNEL(mean_second)\n{\n}\n");
    struct filter f = parsed(text->str);
    assert_int_equal(f.variant_count, 2);
    assert_int_equal(strlen(f.variants[0].note), sizeof f.variants[0].note - 1);
    filter_finish(&f);
    g_string_append(text, "//! oops\n");
    assert_refused(text->str, 1 + 1 + 4 + LINES + 4 + 1, "unknown directive 'oops'; " KNOWN);
    g_free(longest);
    g_string_free(text, TRUE);
}

static void test_the_name_is_the_files(void **state)
{
    struct filter f;
    assert_true(filter_parse(&f, "/a b/gaussian_2.cu", HEAD NAIVE, NULL));
    assert_string_equal(f.name, "gaussian_2");
    filter_finish(&f);
    assert_error("x/My-Filter.cu", HEAD NAIVE,
                 "x/My-Filter.cu:1: 'My-Filter' is not a lower-case name");
    assert_error(".cu", HEAD NAIVE, ".cu:1: '' is not a lower-case name");
    assert_error("2mean.cu", HEAD NAIVE, "2mean.cu:1: '2mean' is not a lower-case name");
    assert_error("a_name_of_thirty_two_characters_.cu", HEAD NAIVE,
                 "a_name_of_thirty_two_characters_.cu:1: 'a_name_of_thirty_two_characters_' is not "
                 "a lower-case name");
}

// ---- //! filter ----

static void test_titles(void **state)
{
    static const struct {
        const char *line, *title;
        char key;
    } good[] = {
        {"//! filter \"Mean\"", "Mean", 0},
        {"//!filter \"Mean\"", "Mean", 0},
        {"  //!   filter   \"Mean\"   ", "Mean", 0},
        {"//! filter \"Gauß \xc2\xb7 \xe5\xb9\xb3\xe5\x9d\x87\" key G", "Gauß · 平均", 'G'},
        {"//! filter \"M\" key 0", "M", '0'},
        {"//! filter \"M\"  key   x", "M", 'x'},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        char *source = g_strconcat(good[i].line, "\n" NAIVE, NULL);
        struct filter f = parsed(source);
        assert_string_equal(f.title, good[i].title);
        assert_int_equal(f.key, good[i].key);
        filter_finish(&f);
        g_free(source);
    }
}

static void test_bad_titles(void **state)
{
    static const char form[] = "expected: //! filter \"Title\"";
    static const struct mistake bad[] = {
        {"//! filter", form},
        {"//! filter Mean", form},
        {"//! filter \"\"", form},
        {"//! filter \"Mean", form},
        {"//! filter \"A title that is longer than the sixty-three characters there are\" key m",
         form},
        {"//! filter \"Mean\" m", "'m' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key", "'key' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key mm",
         "'key mm' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" keym", "'keym' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key ?",
         "'key ?' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key m n",
         "'key m n' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" Key m",
         "'Key m' is not understood; after the title may stand: key K"},
        {"//! Filter \"Mean\"", "the first directive is: //! filter \"Title\""},
        {"//! variant naive 32x8", "the first directive is: //! filter \"Title\""},
        {"int radius; //! 3 [0, 64]", "the first directive is: //! filter \"Title\""},
        {"//!", "the first directive is: //! filter \"Title\""},
    };
    assert_mistakes("\n", bad, G_N_ELEMENTS(bad), "\n" NAIVE, 2);
    assert_refused("#include \"kernel.h\"\n", 1, "no line: //! filter \"Title\"");
    assert_refused("", 1, "no line: //! filter \"Title\"");
    assert_refused(HEAD "\n" HEAD NAIVE, 3, "a second filter line");
    assert_refused(HEAD, 1, "no line: //! variant name WxH");
}

// ---- params ----

// One param in a file of its own.
static char *with_param(const char *line)
{
    return g_strconcat(HEAD "struct params {\n", line, "\n};\n" NAIVE, NULL);
}

static void test_params(void **state)
{
    static const struct {
        const char *line, *name;
        bool is_float;
        double value, min, max;
        const char *help;
    } good[] = {
        {"int radius;  //! 3 [0, 64] pixels", "radius", false, 3, 0, 64, "pixels"},
        {"int c;//!-5[-128,127]", "c", false, -5, -128, 127, ""},
        {"\tfloat sigma ;\t//! 0.25 [ -1.5 , 1e2 ] \ta  b ", "sigma", true, 0.25, -1.5, 100,
         "a  b"},
        {"    int one; //! 1 [1, 1] [fixed]", "one", false, 1, 1, 1, "[fixed]"},
        {"int most; //! 2147483647 [-2147483648, 2147483647]", "most", false, 2147483647,
         -2147483648.0, 2147483647, ""},
        {"float x2; //! .5 [0, 1] häufig", "x2", true, .5, 0, 1, "häufig"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        char *source = with_param(good[i].line);
        struct filter f = parsed(source);
        const struct param *p = &f.params[0];
        assert_int_equal(f.param_count, 1);
        assert_string_equal(p->name, good[i].name);
        assert_string_equal(p->help, good[i].help);
        assert_int_equal(p->is_float, good[i].is_float);
        assert_true(p->value == good[i].value && p->min == good[i].min && p->max == good[i].max);
        filter_finish(&f);
        g_free(source);
    }
}

static void test_bad_params(void **state)
{
    static const char field[] =
        "expected a field of struct params before //!, such as: int radius;";
    static const char limits[] = "expected: //! default [min, max] help";
    static const char names[] = "expected: //! default [one, two, three] help";
    static const struct mistake bad[] = {
        {"int radius  //! 3 [0, 64]", field},
        {"int;  //! 3 [0, 64]", field},
        {"int a, b;  //! 3 [0, 64]", field},
        {"int a = 3;  //! 3 [0, 64]", field},
        {"int a[2];  //! 3 [0, 64]", field},
        {"unsigned int a;  //! 3 [0, 64]", field},
        {"int a; int b;  //! 3 [0, 64]", field},
        {"// int a;  //! 3 [0, 64]", field},
        {"double a;  //! 3 [0, 64]", "param 'a' is of type double; int and float are known"},
        {"bool a;  //! 1 [0, 1]", "param 'a' is of type bool; int and float are known"},
        {"int Radius;  //! 3 [0, 64]", "param 'Radius' is not a lower-case name"},
        {"int _a;  //! 3 [0, 64]", "param '_a' is not a lower-case name"},
        {"int a_name_of_thirty_two_characters_;  //! 3 [0, 64]",
         "param 'a_name_of_thirty_two_characters_' is not a lower-case name"},
        {"int a;  //!", limits},
        {"int a;  //! [0, 64]", limits},
        {"int a;  //! 3", limits},
        {"int a;  //! 3 [0]", limits},
        {"int a;  //! 3 [0 64]", limits},
        {"int a;  //! 3 [0, 64", limits},
        {"int a;  //! 3 (0, 64)", limits},
        {"int a;  //! three [0, 64]", limits},
        {"int a;  //! 65 [0, 64]", "default 65 of 'a' lies outside [0, 64]"},
        {"int a;  //! -1 [0, 64]", "default -1 of 'a' lies outside [0, 64]"},
        {"int a;  //! 3 [64, 0]", "default 3 of 'a' lies outside [64, 0]"},
        {"float a;  //! 1.5 [-1, 1.25]", "default 1.5 of 'a' lies outside [-1, 1.25]"},
        {"float a;  //! nan [0, 1]", "default nan of 'a' lies outside [0, 1]"},
        {"float a;  //! 1 [0, inf]", "limits of 'a' must be finite"},
        {"float a;  //! 1 [-1e39, 1]", "limits of 'a' must be finite"},
        {"int a;  //! 1.5 [0, 64]", "default and limits of int 'a' must be whole"},
        {"int a;  //! 1 [0.5, 64]", "default and limits of int 'a' must be whole"},
        {"int a;  //! 1 [0, 64.5]", "default and limits of int 'a' must be whole"},
        {"int a;  //! 1 [0, 2147483648]", "limits of int 'a' are beyond 32 bits"},
        {"float radius;  //! 1 [0, 5]", "a radius must be an int with limits inside [0, 65535]"},
        {"int radius;  //! 1 [-1, 5]", "a radius must be an int with limits inside [0, 65535]"},
        {"int radius;  //! 1 [0, 65536]", "a radius must be an int with limits inside [0, 65535]"},
        {"int a;  //! 1 [-1e12, 4]", "limits of int 'a' are beyond 32 bits"},
        {"int width;  //! 1 [0, 4]", "param 'width' means something else in expressions"},
        {"int bh;  //! 1 [0, 4]", "param 'bh' means something else in expressions"},
        {"int multiprocessors;  //! 1 [0, 4]",
         "param 'multiprocessors' means something else in expressions"},
        {"int a;  //! x [x, y", names},
        {"int a;  //! x [x y]", names},
        {"int a;  //! x [x, ]", names},
        {"int a;  //! x [x, Y]", names},
        {"int a;  //! x [x, 2]", names},
        {"int a;  //! 0 [x, y]", "default '0' of 'a' is not in its list"},
        {"int a;  //! z [x, y]", "default 'z' of 'a' is not in its list"},
        {"int a;  //! x [x, y, x]", "a second 'x' in 'a'"},
        {"int a;  //! a [a, b, c, d, e, f, g, h, i]", "more than 8 names in 'a'"},
        {"float a;  //! x [x, y]", "'a' counts names, so it must be an int"},
    };
    assert_mistakes(HEAD "struct params {\n", bad, G_N_ELEMENTS(bad), "\n};\n" NAIVE, 3);
    assert_refused(HEAD "struct params {\nint a; //! 3 [0, 9]\nfloat a; //! 3 [0, 9]\n};\n", 4,
                   "a second param 'a'");
}

static void test_params_that_count_names(void **state)
{
    struct filter f = parsed(HEAD "struct params {\n"
                                  "    int axis;  //! y [x, y, both] what is mirrored\n"
                                  "    int infinite;  //!nan[inf_,nan]\n};\n" NAIVE);
    const struct param *p = &f.params[0];
    assert_int_equal(p->name_count, 3);
    assert_string_equal(p->names[2], "both");
    assert_string_equal(p->help, "what is mirrored");
    assert_true(p->value == 1 && p->min == 0 && p->max == 2 && !p->is_float);
    assert_int_equal(f.params[1].name_count, 2);
    assert_true(f.params[1].value == 1);

    char text[FILTER_VALUE];
    double value = 7;
    struct error err = {""};
    assert_true(filter_read_value(p, "both", &value, &err) && value == 2);
    filter_write_value(p, value, text);
    assert_string_equal(text, "both");
    static const char *const bad[] = {"z", "", "2", "Both", "both "};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        char *message = g_strdup_printf("axis '%s' is not one of x, y, both", bad[i]);
        assert_false(filter_read_value(p, bad[i], &value, &err));
        assert_string_equal(err.text, message);
        assert_true(value == 2);
        g_free(message);
    }
    struct param_values values = {{2, 0}};
    assert_true(filter_check(&f, &values, &err));
    values.v[0] = 3;
    assert_false(filter_check(&f, &values, &err));
    filter_finish(&f);
}

static void test_values_that_are_numbers(void **state)
{
    struct filter f = parsed(HEAD "struct params {\n    float s;  //! 0 [0, 64]\n};\n" NAIVE);
    char text[FILTER_VALUE];
    double value = 7;
    struct error err = {""};
    assert_true(filter_read_value(&f.params[0], "1.5", &value, &err) && value == 1.5);
    filter_write_value(&f.params[0], value, text);
    assert_string_equal(text, "1.5");
    assert_false(filter_read_value(&f.params[0], "1.5x", &value, &err));
    assert_string_equal(err.text, "s '1.5x' is not a number");
    assert_true(value == 1.5);
    assert_true(filter_read_value(&f.params[0], "2^-2", &value, &err) && value == 0.25);
    assert_false(filter_read_value(&f.params[0], "2^", &value, &err));
    assert_string_equal(err.text, "s '2^' is not a number");
    // It is a number by its letters; the limits refuse it.
    assert_true(filter_read_value(&f.params[0], "nan", &value, &err));
    assert_false(filter_check(&f, &(struct param_values){{value}}, &err));
    assert_false(filter_check(&f, &(struct param_values){{-1e-9}}, &err));
    filter_finish(&f);
}

// The shortest text that says exactly this value, which a float param has as a float.
static void test_values_are_written_exactly(void **state)
{
    static const struct param whole = {.name = "n"}, real = {.name = "s", .is_float = true};
    static const struct {
        const struct param *param;
        double value;
        const char *text;
    } rows[] = {
        {&whole, 0, "0"},
        {&whole, 16777216, "16777216"},
        {&whole, -16777217, "-16777217"},
        {&whole, 1e6, "1000000"},
        {&whole, 2147483647, "2147483647"},
        {&whole, 1.0000001, "1.0000001"},
        {&whole, 1e99, "1e+99"},
        {&real, 0.1 + 0.2, "0.3"},
        {&real, 12.25, "12.25"},
        {&real, 1234567, "1234567"},
        {&real, 0.00001, "0.00001"},
        {&real, -0.0000125, "-0.0000125"},
        {&real, 1e-30, "1e-30"},
        {&real, NAN, "nan"},
        {&real, -INFINITY, "-inf"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char text[FILTER_VALUE];
        filter_write_value(rows[i].param, rows[i].value, text);
        assert_string_equal(text, rows[i].text);
    }
}

// ---- weights ----

#define RADIUS_AND(more) "struct params {\n    int radius;  //! 3 [0, 64]\n" more "};\n"
#define SIGMA            "    float sigma;  //! 0 [0, 64]\n"

static void test_weights(void **state)
{
    struct filter f = parsed(HEAD NAIVE);
    assert_false(f.has_weights);
    filter_finish(&f);
    f = parsed(HEAD "//! weights gaussian\n" RADIUS_AND(SIGMA) NAIVE);
    assert_true(f.has_weights);
    filter_finish(&f);

    const char *source = "//! weights gaussian\n" HEAD RADIUS_AND(SIGMA) NAIVE;
    assert_refused(source, 1, "the first directive is: //! filter \"Title\"");
    assert_refused(HEAD "//! weights gauss\n" RADIUS_AND(SIGMA) NAIVE, 2,
                   "there are no weights 'gauss'; known are gaussian");
    assert_refused(HEAD "//! weights\n" NAIVE, 2, "expected: //! weights gaussian");
    assert_refused(HEAD "//! weights gaussian 3\n" NAIVE, 2, "expected: //! weights gaussian");
    assert_refused(HEAD "//! weights gaussian\n\n//! weights gaussian\n" NAIVE, 4,
                   "a second weights line");
    assert_refused(HEAD "\n//! weights gaussian\n" RADIUS_AND("") NAIVE, 3,
                   "the weights 'gaussian' need a param 'sigma'");
    assert_refused(HEAD
                   "//! weights gaussian\nstruct params {\n    int radius;  //! 3 [0, 65]\n" SIGMA
                   "};\n" NAIVE,
                   2, "the weights 'gaussian' want a radius of at least 0 and at most 64");
    assert_refused(HEAD "//! weights gaussian\n" RADIUS_AND("    float sigma;  //! 0 [-1, 64]\n")
                       NAIVE,
                   2, "the weights 'gaussian' want a sigma of at least 0");
}

#define TOLD "; known are sectors in ideal and copy, conflicts, and time in copy"

static void test_goals(void **state)
{
    static const struct {
        const char *line;
        struct goal goal;
    } rows[] = {
        {"//! goal sectors <= 1.05 ideal\n", {GOAL_SECTORS, GOAL_IDEAL, 1.05, 10}},
        {"//! goal sectors <= 2 copy points 30\n", {GOAL_SECTORS, GOAL_COPY, 2, 30}},
        {"//! goal conflicts = 0\n", {GOAL_CONFLICTS, GOAL_NUMBER, 0, 10}},
        {"//! goal conflicts <= 64 points 5\n", {GOAL_CONFLICTS, GOAL_NUMBER, 64, 5}},
        {"  //! goal   time<=1.2   copy\n", {GOAL_TIME, GOAL_COPY, 1.2, 10}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *source = g_strconcat(HEAD, rows[i].line, NAIVE, NULL);
        struct filter f = parsed(source);
        assert_int_equal(f.goal_count, 1);
        assert_int_equal(f.goals[0].figure, rows[i].goal.figure);
        assert_int_equal(f.goals[0].unit, rows[i].goal.unit);
        assert_true(f.goals[0].limit == rows[i].goal.limit);
        assert_int_equal(f.goals[0].points, rows[i].goal.points);
        filter_finish(&f);
        g_free(source);
    }
    static const char form[] = "expected: //! goal FIGURE <= N [UNIT] [points N]";
    static const struct mistake bad[] = {
        {"//! goal", form},
        {"//! goal sectors 1.05 ideal", form},
        {"//! goal speed <= 2", "goal 'speed' is not one of sectors, conflicts and time"},
        {"//! goal sectors = 1 ideal", "a goal is a figure with <= and a limit, or = 0"},
        {"//! goal conflicts == 0", "a goal is a figure with <= and a limit, or = 0"},
        {"//! goal sectors <= -1 ideal", "a goal's limit is a number from 0 on"},
        {"//! goal sectors <= nan ideal", "a goal's limit is a number from 0 on"},
        {"//! goal sectors <= 2", "sectors is not told in ''" TOLD},
        {"//! goal conflicts <= 2 copy", "conflicts is not told in 'copy'" TOLD},
        {"//! goal time <= 2 ideal", "time is not told in 'ideal'" TOLD},
        {"//! goal time <= 2 copies", "time is not told in 'copies'" TOLD},
        {"//! goal time <= 2 copy point 3", "'point 3' is not understood; expected: points N"},
        {"//! goal time <= 2 copy points 0", "points are at least 1 and at most 100"},
        {"//! goal time <= 2 copy points 3 4", "'4' is too much"},
        {"//! goal conflicts = 0\n//! goal conflicts = 0\n//! goal conflicts = 0\n"
         "//! goal conflicts = 0\n//! goal conflicts = 0\n//! goal conflicts = 0\n"
         "//! goal conflicts = 0",
         "more than 6 goals", 8},
    };
    assert_mistakes(HEAD, bad, G_N_ELEMENTS(bad), "\n" NAIVE, 2);
}

static void test_what_the_compiler_does_otherwise(void **state)
{
    struct filter f = parsed(HEAD "//! variant a 32x8\n//! compiled merges two loads\nKERNEL(a)\n"
                                  "//! variant b 32x8\nKERNEL(b)\n");
    assert_string_equal(f.variants[0].compiled, "merges two loads");
    assert_string_equal(f.variants[1].compiled, "");
    filter_finish(&f);

    const char *place = "a compiled line stands between a variant line and its KERNEL";
    assert_refused(HEAD "//! compiled merges two loads\n" NAIVE, 2, place);
    assert_refused(HEAD "//! untimed 32x8\n//! compiled merges two loads\nKERNEL(a)\n" NAIVE, 3,
                   place);
    assert_refused(HEAD "//! variant a 32x8\n//! compiled\nKERNEL(a)\n", 3,
                   "expected: //! compiled what the GPU's compiler does");
    assert_refused(HEAD "//! variant a 32x8\n//! compiled x\n//! compiled y\nKERNEL(a)\n", 4,
                   "a second compiled line of 'a'");
}

// A field that is not described would shift all behind it in the kernel's struct params.
static void test_a_field_without_limits(void **state)
{
    static const char message[] =
        "a field of struct params without its limits; expected: //! default [min, max] help";
    char *source = with_param("int radius;  // ! 3 [0, 64]");
    assert_refused(source, 3, message);
    g_free(source);
    source = with_param("    int radius; //! 3 [0, 64]\n    // a comment\n\n    int hidden;");
    assert_refused(source, 6, message);
    g_free(source);
    assert_refused(HEAD "struct params { int radius; };\n" NAIVE, 2, message);
    assert_refused(HEAD "struct params\n{\n    int radius;\n};\n" NAIVE, 4, message);

    struct filter f = parsed(HEAD "struct params\n{\n    int radius; //! 3 [0, 64]\n};\n\n"
                                  "struct other {\n    int free;\n};\n" NAIVE);
    assert_int_equal(f.param_count, 1);
    filter_finish(&f);
}

static void test_number_of_params(void **state)
{
    GString *text = g_string_new(HEAD);
    for (int i = 0; i < FILTER_MAX_PARAMS; i++)
        g_string_append_printf(text, "int p%d; //! %d [0, 99]\n", i, i);
    char *good = g_strconcat(text->str, NAIVE, NULL);
    struct filter f = parsed(good);
    assert_int_equal(f.param_count, FILTER_MAX_PARAMS);
    filter_finish(&f);
    g_string_append(text, "int more; //! 1 [0, 99]\n");
    assert_refused(text->str, 2 + FILTER_MAX_PARAMS, "more than 8 params");
    g_free(good);
    g_string_free(text, TRUE);
}

// ---- variants ----

#define THERE_AND_BACK                                                \
    "//! untimed 16x16 planes=3 pitch=4*width\nKERNEL(there)\n{\n}\n" \
    "//! untimed 32x8\nKERNEL(back)\n{\n}\n"

static void test_own_pictures(void **state)
{
    struct filter f = parsed(HEAD NAIVE "//! variant four 32x8 prepare=there finish=back each=4x1\n"
                                        "KERNEL(mean_four)\n{\n}\n" THERE_AND_BACK);
    assert_false(filter_is_interleaved(&f, &f.variants[0]));
    assert_true(filter_is_interleaved(&f, &f.variants[1]));
    assert_string_equal(f.variants[1].finish, "back");
    assert_int_equal(f.variants[1].passes[0].each_x, 4);
    assert_int_equal(f.untimed_count, 2);
    assert_int_equal(f.untimed[0].planes, 3);
    assert_string_equal(f.untimed[0].pitch.text, "4*width");
    filter_finish(&f);

    static const struct mistake bad[] = {
        {"//! variant four 8x8 prepare=there\nKERNEL(four)\n" THERE_AND_BACK,
         "'four' has only one of prepare= and finish=", 1},
        {"//! variant four 8x8 finish=back\nKERNEL(four)\n" THERE_AND_BACK,
         "'four' has only one of prepare= and finish=", 1},
        {"//! variant four 8x8 prepare=there finish=bock\nKERNEL(four)\n" THERE_AND_BACK,
         "finish= of 'four' names 'bock', which has no //! untimed line", 1},
        {"//! variant four 8x8 planes=3\nKERNEL(four)\n",
         "planes= and pitch= belong to an untimed kernel"},
        {"//! variant four 8x8 pitch=bw\nKERNEL(four)\n",
         "planes= and pitch= belong to an untimed kernel"},
        {"//! untimed 8x8 planes=2\n", "planes= is 1, grey, or 3, colour"},
        {"//! untimed 8x8 planes=3 planes=3\n", "a second planes="},
        {"//! untimed 8x8 planes=\n", "'planes=' is not understood in a variant line"},
        {"//! untimed 8x8 pitch=bv\n", "pitch=: unknown name 'bv' in 'bv'"},
    };
    assert_mistakes(HEAD NAIVE, bad, G_N_ELEMENTS(bad), "", 6);
}

static void test_a_pass_before_all_variants(void **state)
{
    struct filter f =
        parsed(HEAD "//! before each=4x1 columns=bw*2\nKERNEL(mean_clear)\n{\n}\n"  //
               NAIVE "//! variant two 16x16 prepare=there finish=back\nKERNEL(two)\n{\n}\n"
                    "//! variant two 8x4\nKERNEL(two_more)\n{\n}\n" THERE_AND_BACK);
    const struct variant *naive = &f.variants[0], *two = &f.variants[1];
    assert_int_equal(naive->pass_count, 2);
    assert_string_equal(naive->passes[0].entry, "mean_clear");
    assert_int_equal(naive->passes[0].block_width, 32);
    assert_int_equal(naive->passes[0].each_x, 4);
    assert_string_equal(naive->passes[0].columns.text, "bw*2");
    assert_string_equal(naive->passes[1].entry, "mean_naive");
    assert_int_equal(two->pass_count, 3);
    assert_string_equal(two->passes[0].entry, "mean_clear");
    assert_int_equal(two->passes[0].block_height, 16);
    assert_string_equal(two->passes[2].entry, "two_more");
    assert_string_equal(two->prepare, "there");
    filter_finish(&f);

    assert_refused(HEAD "//! before\nKERNEL(a)\n//! before\n", 4, "a second before line");
    assert_refused(HEAD NAIVE "//! before\nKERNEL(a)\n", 6,
                   "the before line stands above all variants");
    assert_refused(HEAD "//! before prepare=a\nKERNEL(a)\n", 2,
                   "prepare=, finish=, planes=, pitch= and level= do not go with before");
    assert_refused(HEAD "//! before 32x8\nKERNEL(a)\n", 2,
                   "'32x8' is not understood in a variant line");
    assert_refused(HEAD "//! before\n" NAIVE, 3, "a variant line must be followed by its KERNEL");
    assert_refused(HEAD "//! before\nKERNEL(mean_naive)\n" NAIVE, 5,
                   "a second kernel 'mean_naive'");
    assert_refused(HEAD "//! before\nKERNEL(a)\n", 1, "no line: //! variant name WxH");
}

static void test_bad_variants(void **state)
{
    static const char form[] = "expected: //! variant name WxH";
    static const struct mistake bad[] = {
        {"//! variant", form},
        {"//! variant naive", form},
        {"//! variant 32x8", form},
        {"//! variant naive 32", form},
        {"//! variant naive 32x", form},
        {"//! variant naive 32X8", form},
        {"//! variant naive 32×8", form},
        {"//! variant naive 32 x 8", form},
        {"//! variant naive 32x8each=2x2", form},
        {"//! variant naive 32x8x1", form},
        {"//! variant naive 0x20x8", form},
        {"//! variant Naive 32x8", "variant 'Naive' is not a lower-case name"},
        {"//! variant na-ive 32x8", "variant 'na-ive' is not a lower-case name"},
        {"//! variant a_name_of_thirty_two_characters_ 1x1",
         "variant 'a_name_of_thirty_two_characters_' is not a lower-case name"},
        {"//! variant naive 0x8", "block 0x8 has no threads"},
        {"//! variant naive 32x-8", "block 32x-8 has no threads"},
        {"//! variant naive 33x32", "block 33x32 has more than 1024 threads"},
        {"//! variant naive 65536x65536", "block 65536x65536 has more than 1024 threads"},
        {"//! variant naive 32x8 each", "'each' is not understood in a variant line"},
        {"//! variant naive 32x8 each=", "'each=' is not understood in a variant line"},
        {"//! variant naive 32x8 each=16", "'each=16' is not understood in a variant line"},
        {"//! variant naive 32x8 each=4x4z", "'each=4x4z' is not understood in a variant line"},
        {"//! variant naive 32x8 each=0x4", "each= wants numbers from 1 to 1024"},
        {"//! variant naive 32x8 each=4x-1", "each= wants numbers from 1 to 1024"},
        {"//! variant naive 32x8 each=1025x1", "each= wants numbers from 1 to 1024"},
        {"//! variant naive 32x8 eech=4x1", "'eech=4x1' is not understood in a variant line"},
        {"//! variant naive 32x8 Each=4x1", "'Each=4x1' is not understood in a variant line"},
        {"//! variant naive 32x8 each = 4x1", "'each = 4x1' is not understood in a variant line"},
        {"//! variant naive 32x8 fixed", "'fixed' is not understood in a variant line"},
        {"//! variant naive 32x8 order=rows", "'order=rows' is not understood in a variant line"},
        {"//! variant naive 32x8 level=hard", "'level=hard' is not understood in a variant line"},
        {"//! variant naive 32x8 block=free", "'block=free' is not understood in a variant line"},
        {"//! variant naive 32x8 block=fixed each=2x2 junk",
         "'each=2x2 junk' is not understood in a variant line"},
        {"//! variant naive 32x8 multiple_of=0", "multiple_of= wants a positive number"},
        {"//! variant naive 32x8 multiple_of=-4", "multiple_of= wants a positive number"},
        {"//! variant naive 32x8 multiple_of=4.5",
         "'multiple_of=4.5' is not understood in a variant line"},
        {"//! variant naive 32x8 multiple_of=24", "block width 32 is not a multiple of 24"},
        {"//! variant naive 32x8 multiple=4", "'multiple=4' is not understood in a variant line"},
        {"//! variant naive 32x8 shared=", "shared=: '' breaks off at ''"},
        {"//! variant naive 32x8 shared=bw*", "shared=: 'bw*' breaks off at ''"},
        {"//! variant naive 32x8 shared=(bw + 2*radius", "shared=: missing ) in '(bw + 2*radius'"},
        {"//! variant naive 32x8 shared=bw + 2*radius)",
         "shared=: 'bw + 2*radius)' breaks off at ')'"},
        {"//! variant naive 32x8 shared=bw*raduis",
         "shared=: unknown name 'raduis' in 'bw*raduis'"},
        {"//! variant naive 32x8 columns=", "columns=: '' breaks off at ''"},
        {"//! variant naive 32x8 rows=8*bw)", "rows=: '8*bw)' breaks off at ')'"},
        {"//! variant naive 32x8 rows=8 columns=bv", "columns=: unknown name 'bv' in 'bv'"},
        {"//! variant naive 32x8 rows=8 rows=8", "a second rows="},
        {"//! variant naive 32x8 shared=64 each=2x2 fixed",
         "'each=2x2 fixed' is not understood in a variant line"},
        {"//! variant naive 32x8 shared=64 fixed", "shared=: '64 fixed' breaks off at 'fixed'"},
        {"//! variant naive 32x8 shared=1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 "
         "+ 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1",
         "shared= is longer than 127 characters"},
        {"//! variant naive 32x8 each=2x2 each=4x4", "a second each="},
        {"//! variant naive 32x8 layout=rgb24",
         "'layout=rgb24' is not understood in a variant line"},
        {"//! variant naive 32x8 shared=64 shared=128", "a second shared="},
        {"//! variants naive 32x8", "unknown directive 'variants'; " KNOWN},
        {"//! Variant naive 32x8", "unknown directive 'Variant'; " KNOWN},
        {"//!", "unknown directive ''; " KNOWN},
        {"//! this is only a loud comment", "unknown directive 'this'; " KNOWN},
    };
    assert_mistakes(HEAD "int radius; //! 3 [0, 64]\n" NAIVE "\n", bad, G_N_ELEMENTS(bad),
                    "\nKERNEL(mean_second)\n{\n}\n", 8);
}

// ---- named parts ----

static void test_lets(void **state)
{
    struct filter f =
        parsed(HEAD "//! let halo = 2*radius\n"
                    "int radius; //! 3 [0, 64]\n"
                    "//! let  side=bw + halo\n" NAIVE "//! let late = multiprocessors\n"
                    "//! variant second 32x8 shared=side * side rows=late\n"
                    "KERNEL(mean_second)\n");
    static const double values[] = {32, 8, 640, 480, 132, 5};
    static const char *const names[] = {"halo", "side", "late"};
    long long value;
    assert_int_equal(f.let_count, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(f.lets[i].name, names[i]);
    assert_string_equal(f.lets[1].expr.text, "bw + halo");
    const struct pass *second = &f.variants[1].passes[0];
    assert_string_equal(second->shared.text, "side * side");
    assert_true(expr_eval(&second->shared, values, &value, NULL));
    assert_int_equal(value, 42 * 42);
    assert_true(expr_eval(&second->rows, values, &value, NULL));
    assert_int_equal(value, 132);
    filter_finish(&f);
}

#define NINE_LETS                                                                                \
    "//! let a = 1\n//! let b = 1\n//! let c = 1\n//! let d = 1\n//! let e = 1\n//! let f = 1\n" \
    "//! let g = 1\n//! let h = 1"

static void test_bad_lets(void **state)
{
    static const char form[] = "expected: //! let name = EXPR";
    static const struct mistake bad[] = {
        {"//! let", form},
        {"//! let x", form},
        {"//! let x 3", form},
        {"//! let = 3", form},
        {"//! let x+y = 3", form},
        {"//! let x =", "let x: '' breaks off at ''"},
        {"//! let x = (bw", "let x: missing ) in '(bw'"},
        {"//! let x = 2*y", "let x: unknown name 'y' in '2*y'"},
        {"//! let x = x + 1", "let x: unknown name 'x' in 'x + 1'"},
        {"//! let x = y\n//! let y = x", "let x: unknown name 'y' in 'y'"},
        {"//! let X = 3", "let 'X' is not a lower-case name"},
        {"//! let a_name_of_thirty_two_characters_ = 3",
         "let 'a_name_of_thirty_two_characters_' is not a lower-case name"},
        {"//! let bw = 3", "let 'bw' means something else in expressions"},
        {"//! let multiprocessors = 3",
         "let 'multiprocessors' means something else in expressions"},
        {"//! let radius = 3", "let 'radius' is also a param"},
        {"//! let half = 3", "a second let 'half'"},
        {"//! let x = 3\nint x; //! 1 [0, 4]", "param 'x' is also a let", 5},
        {NINE_LETS, "more than 8 lets", 11},
        {"//! let x = 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 "
         "+ 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1",
         "let x is longer than 127 characters"},
    };
    assert_mistakes(HEAD "int radius; //! 3 [0, 64]\n//! let half = bw/2\n", bad, G_N_ELEMENTS(bad),
                    "\n" NAIVE, 4);
    assert_refused("//! let x = 3\n" HEAD NAIVE, 1, "the first directive is: //! filter \"Title\"");
    assert_refused(HEAD NAIVE "//! let x = oops", 6, "let x: unknown name 'oops' in 'oops'");
}

// Whatever is mistyped around a kernel, the variant is there or the file is refused.
static void test_no_variant_is_lost(void **state)
{
    static const char lonely[] = "kernel 'k' has no //! variant line directly above it";
    static const char form[] = "expected: KERNEL(name)";
    assert_refused(HEAD NAIVE "KERNEL(k)\n{\n}\n", 6, lonely);
    assert_refused(HEAD NAIVE "// ! variant second 32x8\nKERNEL(k)\n", 7, lonely);
    assert_refused(HEAD NAIVE "// variant second 32x8\nKERNEL(k)\n", 7, lonely);
    assert_refused(HEAD NAIVE "KERNEL (k)\n{\n}\n", 6, lonely);
    assert_refused(HEAD NAIVE "  KERNEL( k )\n{\n}\n", 6, lonely);
    assert_refused(HEAD NAIVE "// //! variant second 32x8\nKERNEL(k)\n", 6,
                   "expected a field of struct params before //!, such as: int radius;");
    assert_refused(HEAD "//! variant a 32x8\n" NAIVE, 3,
                   "a variant line must be followed by its KERNEL");
    assert_refused(HEAD NAIVE "//! variant second 32x8\nKERNL(k)\n{\n}\n", 6,
                   "the variant line has no KERNEL");
    assert_refused(HEAD "//! variant a 32x8\nKERNEL\n", 3, form);
    assert_refused(HEAD "//! variant a 32x8\nKERNEL()\n", 3, form);
    assert_refused(HEAD "//! variant a 32x8\nKERNEL(a-b)\n", 3, form);
    assert_refused(HEAD "//! variant a 32x8\nKERNEL(a\n", 3, form);
    assert_refused(HEAD NAIVE "//! variant second 32x8\nKERNEL(mean_naive)\n", 7,
                   "a second kernel 'mean_naive'");
    char *longest = g_strnfill(64, 'k');
    char *source = g_strconcat(HEAD "//! variant a 32x8\nKERNEL(", longest, ")\n", NULL);
    assert_refused(source, 3, form);
    g_free(source);
    g_free(longest);

    static const char *const good[] = {"KERNEL (k)",   "  KERNEL(k)",   "KERNEL( k ) {",
                                       "\tKERNEL(k){", "\n\nKERNEL(k)", "// between\nKERNEL(k)"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        source = g_strconcat(HEAD "//! variant a 32x8\n", good[i], "\n", NULL);
        struct filter f = parsed(source);
        assert_string_equal(f.variants[0].passes[0].entry, "k");
        filter_finish(&f);
        g_free(source);
    }
}

static void test_number_of_variants_and_passes(void **state)
{
    GString *text = g_string_new(HEAD);
    for (int i = 0; i < FILTER_MAX_VARIANTS; i++)
        g_string_append_printf(text, "//! variant v%d 8x8\nKERNEL(k%d)\n", i, i);
    struct filter f = parsed(text->str);
    assert_int_equal(f.variant_count, FILTER_MAX_VARIANTS);
    assert_string_equal(f.variants[15].name, "v15");
    filter_finish(&f);
    for (int i = 1; i < FILTER_MAX_PASSES; i++)  // passes need not stand together
        g_string_append_printf(text, "//! variant v0 8x%d\nKERNEL(more%d)\n", i, i);
    f = parsed(text->str);
    assert_int_equal(f.variants[0].pass_count, FILTER_MAX_PASSES);
    assert_string_equal(f.variants[0].passes[0].entry, "k0");
    for (int i = 1; i < FILTER_MAX_PASSES; i++) {
        char entry[16];
        snprintf(entry, sizeof entry, "more%d", i);
        assert_string_equal(f.variants[0].passes[i].entry, entry);
        assert_int_equal(f.variants[0].passes[i].block_height, i);
    }
    filter_finish(&f);
    char *more = g_strconcat(text->str, "//! variant v0 8x8\nKERNEL(x)\n", NULL);
    assert_refused(more, 2 + 2 * 16 + 2 * 3, "variant 'v0' has more than 4 passes");
    g_free(more);
    g_string_append(text, "//! variant v16 8x8\nKERNEL(x)\n");
    assert_refused(text->str, 2 + 2 * 16 + 2 * 3, "more than 16 variants");
    g_string_free(text, TRUE);
}

static void test_notes(void **state)
{
    struct filter f = parsed("// Of the file.\n" HEAD "//! variant a 8x8\nKERNEL(a)\n"
                             "// Far away.\n\n//! variant b 8x8\nKERNEL(b)\n"
                             "// First\n//  second\n// third.\n//! variant c 8x8\n"
                             "// not a note\nKERNEL(c)\n"
                             "    // Indented.\n//! variant d 8x8\nKERNEL(d)\n");
    assert_string_equal(f.variants[0].note, "");
    assert_string_equal(f.variants[1].note, "");
    assert_string_equal(f.variants[2].note, "First  second third.");
    assert_string_equal(f.variants[3].note, "");
    filter_finish(&f);
}

// Texts too long for their place end with a whole character.
static void test_long_texts_stay_utf8(void **state)
{
    for (int shift = 0; shift < 3; shift++) {
        GString *text = g_string_new(HEAD "int a; //! 1 [0, 2] ");
        g_string_append_len(text, "xyz", shift);
        for (int i = 0; i < 200; i++) g_string_append(text, "平");
        g_string_append(text, "\n");
        for (int line = 0; line < 3; line++) {
            g_string_append(text, "// ");
            g_string_append_len(text, "xyz", shift);
            for (int i = 0; i < 100; i++) g_string_append(text, "均");
            g_string_append(text, "\n");
        }
        g_string_append(text, NAIVE);
        struct filter f = parsed(text->str);
        assert_true(g_utf8_validate(f.params[0].help, -1, NULL));
        assert_true(g_utf8_validate(f.variants[0].note, -1, NULL));
        assert_in_range(strlen(f.params[0].help), sizeof f.params[0].help - 4,
                        sizeof f.params[0].help - 1);
        filter_finish(&f);
        g_string_free(text, TRUE);
    }
}

static void test_text_that_is_not_utf8(void **state)
{
    assert_refused(HEAD "//! variant naive 32x8 \xff\nKERNEL(k)\n", 2, "not UTF-8 text");
    assert_refused("//! filter \"Gau\xdf\"\n" NAIVE, 1, "not UTF-8 text");
    assert_refused(HEAD "// Gau\xdf\n" NAIVE, 2, "not UTF-8 text");
}

// ---- values ----

static void test_values(void **state)
{
    struct filter f = parsed(full);
    struct param_values values = filter_defaults(&f);
    struct error err = {""};
    assert_true(values.v[0] == 3 && values.v[1] == -5 && values.v[2] == 0.5);
    assert_true(filter_check(&f, &values, &err));

    static const struct {
        int param;
        double value;
        const char *message;  // NULL: allowed
    } rows[] = {
        {0, 0, NULL},
        {0, 64, NULL},
        {0, -1, "radius -1 is outside [0, 64] of mean"},
        {0, 65, "radius 65 is outside [0, 64] of mean"},
        {0, 1.5, "radius 1.5 of mean is not a whole number"},
        {0, 1e99, "radius 1e+99 is outside [0, 64] of mean"},
        {0, NAN, "radius nan is outside [0, 64] of mean"},
        {0, INFINITY, "radius inf is outside [0, 64] of mean"},
        {0, 16777217, "radius 16777217 is outside [0, 64] of mean"},
        {1, -128, NULL},
        {1, -129, "c -129 is outside [-128, 127] of mean"},
        {2, 12.25, NULL},
        {2, 12.26, "sigma 12.26 is outside [0, 12.25] of mean"},
        {2, -0.001, "sigma -0.001 is outside [0, 12.25] of mean"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        values = filter_defaults(&f);
        values.v[rows[i].param] = rows[i].value;
        err.text[0] = '\0';
        assert_int_equal(filter_check(&f, &values, &err), !rows[i].message);
        assert_string_equal(err.text, rows[i].message ? rows[i].message : "");
    }
    filter_finish(&f);
}

static void test_pack(void **state)
{
    struct filter f = parsed(full);
    const struct param_values values = {{64, -128, 2.5}};
    unsigned char bytes[4 * FILTER_MAX_PARAMS];
    memset(bytes, 0xEE, sizeof bytes);
    assert_int_equal(filter_pack(&f, &values, bytes), 12);
    struct {
        int radius, c;
        float sigma;
    } packed;
    memcpy(&packed, bytes, sizeof packed);
    assert_int_equal(packed.radius, 64);
    assert_int_equal(packed.c, -128);
    assert_true(packed.sigma == 2.5f);
    assert_int_equal(bytes[12], 0xEE);
    filter_finish(&f);

    f = parsed(HEAD "float gain;  //! 1 [0, 1e30]\n" NAIVE);
    const float large = 1e30f;
    assert_int_equal(filter_pack(&f, &(struct param_values){{large}}, bytes), 4);
    assert_memory_equal(bytes, &large, 4);
    filter_finish(&f);

    f = parsed(HEAD NAIVE);
    assert_int_equal(f.param_count, 0);
    assert_int_equal(filter_radius(&f), -1);
    assert_int_equal(filter_pack(&f, &values, bytes), 4);
    filter_finish(&f);
}

// ---- folders ----

static int make_folder(void **state)
{
    return (*state = g_dir_make_tmp("tilescope-filter-XXXXXX", NULL)) ? 0 : -1;
}

static int remove_folder(void **state)
{
    const int failed = !file_remove_all(*state);
    g_free(*state);
    return failed;
}

static void put(const char *folder, const char *name, const char *text, gssize size)
{
    char *path = g_build_filename(folder, name, NULL);
    assert_true(g_file_set_contents(path, text, size, NULL));
    g_free(path);
}

static struct filter_list loaded(const char *folder)
{
    struct filter_list list;
    struct error err = {""};
    if (!filter_list_load(&list, folder, NULL, &err)) fail_msg("%s", err.text);
    return list;
}

// message: "%s" is the folder.
static void assert_folder_refused(const char *folder, const char *message)
{
    char *whole = g_strdup_printf(message, folder);
    struct filter_list list = {(struct filter *)1, 42};
    struct error err = {""};
    assert_false(filter_list_load(&list, folder, NULL, &err));
    assert_string_equal(err.text, whole);
    assert_int_equal(list.count, 42);
    assert_ptr_equal(list.filters, (struct filter *)1);
    g_free(whole);
}

static void test_a_folder_is_sorted(void **state)
{
    static const char *const names[] = {"zoom", "invert", "b2", "mean", "a", "b10", "flip"};
    static const char *const sorted[] = {"a", "b10", "b2", "flip", "invert", "mean", "zoom"};
    char name[32];
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        snprintf(name, sizeof name, "%s.cu", names[i]);
        put(*state, name, HEAD NAIVE, -1);
    }
    put(*state, ".hidden.cu", "oops", -1);
    put(*state, "kernel.h", "oops", -1);
    put(*state, "mean.cu~", "oops", -1);
    put(*state, "mean.cuh", "oops", -1);
    struct filter_list list = loaded(*state);
    assert_int_equal(list.count, G_N_ELEMENTS(sorted));
    for (int i = 0; i < list.count; i++) {
        assert_string_equal(list.filters[i].name, sorted[i]);
        assert_ptr_equal(filter_find(&list, sorted[i]), &list.filters[i]);
    }
    assert_null(filter_find(&list, "kernel"));
    assert_null(filter_find(&list, ""));
    filter_list_finish(&list);
    assert_int_equal(list.count, 0);
    filter_list_finish(&list);
}

#define PART_USER                                   \
    HEAD "#include \"part.h\"\n"                    \
         "int radius; //! 3 [0, 64]\n"              \
         "//! variant naive 32x8 shared=part * 2\n" \
         "KERNEL(mean_naive)\n"

static void test_lets_of_a_header(void **state)
{
    put(*state, "part.h", "// A comment, and //! no directive.\n//! let part = bw + radius\r\n",
        -1);
    put(*state, "a.cu", PART_USER, -1);
    put(*state, "b.cu", HEAD "#include \"nowhere.h\"\n#include \"../part.h\"\n" NAIVE, -1);
    struct filter_list list = loaded(*state);
    static const double values[] = {32, 8, 640, 480, 132, 5};
    long long value;
    assert_int_equal(list.filters[0].let_count, 1);
    assert_string_equal(list.filters[0].lets[0].expr.text, "bw + radius");
    const struct pass *naive = &list.filters[0].variants[0].passes[0];
    assert_true(expr_eval(&naive->shared, values, &value, NULL));
    assert_int_equal(value, 74);
    assert_int_equal(list.filters[1].let_count, 0);
    filter_list_finish(&list);
}

static void test_bad_lets_of_a_header(void **state)
{
    static const struct {
        const char *header, *place, *message;
    } bad[] = {
        {"\n//! let part = 2*x\n", "part.h:2", "let part: unknown name 'x' in '2*x'"},
        {"//! let part = 2\n//! let part = 3", "part.h:2", "a second let 'part'"},
        {"//! variant second 32x8\n", "part.h:1",
         "a header may hold no directive but let and untimed"},
        {"//! untimed 8x8\n", "part.h:1", "the untimed line has no KERNEL"},
        {"//! let part = 1\n//! untimed 8x8\nKERNEL(mean_naive)\n", "a.cu:5",
         "a second kernel 'mean_naive'"},
        {"//!let", "part.h:1", "expected: //! let name = EXPR"},
        {"//! let part\xff = 2", "part.h:1", "not UTF-8 text"},
        {"// //! let part = 2\n", "a.cu:4", "shared=: unknown name 'part' in 'part * 2'"},
    };
    put(*state, "a.cu", PART_USER, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        put(*state, "part.h", bad[i].header, -1);
        char *message = g_strdup_printf("%%s/%s: %s", bad[i].place, bad[i].message);
        assert_folder_refused(*state, message);
        g_free(message);
    }
}

// ---- filters/ and labs/ ----

#define LAB "//! lab \"Lab\"\nstruct arrays {\nint *b; //! out [1]\n};\n" NAIVE

static void make_rooms(const char *folder)
{
    for (int i = 0; i < FILTER_FOLDERS; i++) {
        char *room = g_build_filename(folder, filter_folders[i], NULL);
        assert_int_equal(g_mkdir(room, 0700), 0);
        g_free(room);
    }
}

static void test_filters_and_labs_are_one_list(void **state)
{
    make_rooms(*state);
    put(*state, "labs/access.cu", LAB, -1);
    put(*state, "filters/mean.cu", HEAD NAIVE, -1);
    put(*state, "labs/sum.cu", LAB, -1);
    put(*state, "own.cu", HEAD NAIVE, -1);
    put(*state, "filters/note.txt", "oops", -1);
    static const char *const sorted[] = {"access", "mean", "own", "sum"};
    struct filter_list list = loaded(*state);
    assert_int_equal(list.count, G_N_ELEMENTS(sorted));
    for (int i = 0; i < list.count; i++) assert_string_equal(list.filters[i].name, sorted[i]);
    assert_false(filter_has_picture(&list.filters[0]));
    assert_true(filter_has_picture(&list.filters[1]));
    assert_true(g_str_has_suffix(list.filters[3].path, "/labs/sum.cu"));
    filter_list_finish(&list);
}

static void test_files_with_mistakes_are_left_out(void **state)
{
    make_rooms(*state);
    put(*state, "filters/a.cu", HEAD NAIVE "//! oops\n", -1);
    put(*state, "labs/sum.cu", LAB "//! oops\n", -1);
    char *mistakes = g_strdup_printf("%s/filters/a.cu:6: unknown directive 'oops'; " KNOWN
                                     "\n%s/labs/sum.cu:9: unknown directive 'oops'; " KNOWN,
                                     (char *)*state, (char *)*state);
    struct filter_list list;
    struct error err = {""};
    assert_false(filter_list_load(&list, *state, NULL, &err));
    assert_memory_equal(err.text, mistakes, strlen(err.text));
    assert_int_equal(mistakes[strlen(err.text)], '\n');

    put(*state, "filters/b.cu", HEAD NAIVE, -1);
    put(*state, "z.cu", HEAD NAIVE, -1);
    if (!filter_list_load(&list, *state, NULL, &err)) fail_msg("%s", err.text);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.filters[0].name, "b");
    assert_string_equal(list.filters[1].name, "z");
    assert_string_equal(list.mistakes, mistakes);
    filter_list_finish(&list);
    assert_null(list.mistakes);
    g_free(mistakes);
}

static void test_two_files_of_one_name(void **state)
{
    static const char *const paths[] = {"labs/mean.cu", "filters/mean.cu", "mean.cu"};
    make_rooms(*state);
    put(*state, "zoom.cu", HEAD NAIVE, -1);
    for (int first = 0; first < 3; first++) {
        const char *const one = paths[first], *const other = paths[(first + 1) % 3];
        char *unlinked = g_build_filename(*state, paths[(first + 2) % 3], NULL);
        g_remove(unlinked);
        put(*state, one, strstr(one, "labs") ? LAB : HEAD NAIVE, -1);
        put(*state, other, strstr(other, "labs") ? LAB : HEAD NAIVE, -1);
        struct filter_list list = {0};
        struct error err = {""};
        assert_false(filter_list_load(&list, *state, NULL, &err));
        assert_true(g_str_has_suffix(err.text, "have one name"));
        assert_non_null(strstr(err.text, one));
        assert_non_null(strstr(err.text, other));
        assert_null(list.filters);
        g_free(unlinked);
    }
}

// A header lies beside the two folders, or beside the file, which comes first.
static void test_headers_above_a_lab(void **state)
{
    static const char user[] = "//! lab \"Lab\"\n#include \"part.h\"\n"
                               "struct arrays {\nint *b; //! out [part]\n};\n" NAIVE;
    make_rooms(*state);
    put(*state, "part.h", "//! let part = 7\n", -1);
    put(*state, "labs/lab.cu", user, -1);
    for (int part = 7; part < 9; part++) {
        struct filter_list list = loaded(*state);
        struct arrays_layout layout;
        const struct choice choice = {.filter = &list.filters[0]};
        assert_true(arrays_plan(&layout, &choice, (struct planes){0}, NULL));
        assert_int_equal(layout.places[0].count, part);
        filter_list_finish(&list);
        put(*state, "labs/part.h", "//! let part = 8\n", -1);
    }
}

static void test_a_folder_with_too_many(void **state)
{
    struct filter_list list;
    char name[32];
    for (int i = 0; i < FILTER_MAX_FILES; i++) {
        snprintf(name, sizeof name, "f%d.cu", i);
        put(*state, name, HEAD NAIVE, -1);
    }
    assert_true(filter_list_load(&list, *state, NULL, NULL));
    assert_int_equal(list.count, FILTER_MAX_FILES);
    filter_list_finish(&list);
    put(*state, "more.cu", HEAD NAIVE, -1);
    assert_folder_refused(*state, "the kernel folder '%s' holds more than 64 .cu files");
}

static void test_a_folder_without_texts(void **state)
{
    assert_folder_refused(*state, "the kernel folder '%s' holds no .cu file");
    assert_folder_refused("/nowhere/at all",
                          "cannot open the kernel folder '%s': No such file or directory");
    static const char text[] = HEAD NAIVE "\0//! variant second 8x8\nKERNEL(x)\n";
    put(*state, "a.cu", text, sizeof text - 1);
    assert_folder_refused(*state, "cannot read '%s/a.cu': it is not text");
}

// ---- the files of this tree ----

static void assert_note(const struct filter *f, char **lines, int directive)
{
    int first = directive;
    while (first > 0 && g_str_has_prefix(lines[first - 1], "// ")) first--;
    if (directive - first < 1 || directive - first > 3)
        fail_msg("%s:%d: a note of %d lines; one to three are wanted", f->path, directive + 1,
                 directive - first);
}

// A lab's further passes, which clear something say, need no note of their own.
static bool is_first_pass(const struct filter *f, const char *kernel)
{
    for (int v = 0; v < f->variant_count; v++) {
        const struct pass *own = &f->variants[v].passes[*f->before.entry ? 1 : 0];
        char *line = g_strdup_printf("KERNEL(%s)", own->entry);
        const bool is_first = !strcmp(line, kernel);
        g_free(line);
        if (is_first) return true;
    }
    return false;
}

static void test_the_kernels_of_the_tree(void **state)
{
    struct filter_list list = loaded(TILESCOPE_KERNELS);
    assert_true(list.count >= 2);
    for (int i = 0; i < list.count; i++) {
        const struct filter *f = &list.filters[i];
        if (filter_has_picture(f)) assert_string_equal(f->variants[0].name, "naive");
        char **lines = g_strsplit(f->source, "\n", -1);
        int directives = 0, kernels = 0, untimed = 0, passes = 0;
        for (int line = 0; lines[line]; line++) {
            kernels += g_str_has_prefix(lines[line], "KERNEL(");
            untimed += g_str_has_prefix(lines[line], "//! untimed ");
            if (!g_str_has_prefix(lines[line], "//! variant ")) continue;
            directives++;
            const bool is_compiled = g_str_has_prefix(lines[line + 1], "//! compiled ");
            const char *const kernel = lines[line + 1 + is_compiled];
            if (filter_has_picture(f) || is_first_pass(f, kernel)) assert_note(f, lines, line);
            assert_true(g_str_has_prefix(kernel, "KERNEL("));
        }
        for (int v = 0; v < f->variant_count; v++) {
            passes += f->variants[v].pass_count;
            passes -= *f->before.entry && f->variants[v].pass_count;
            if (strlen(f->variants[v].note) < 20 ||
                strlen(f->variants[v].note) >= sizeof f->variants[v].note - 1)
                fail_msg("%s: the note of %s does not fit", f->path, f->variants[v].name);
        }
        assert_int_equal(directives, passes);
        // Others stand in headers.
        assert_int_equal(kernels, passes + untimed + (*f->before.entry ? 1 : 0));
        assert_true(untimed <= f->untimed_count);
        for (int p = 0; p < f->param_count; p++) assert_true(f->params[p].help[0]);
        for (int a = 0; a < f->array_count; a++)
            assert_true(f->arrays[a].has_reference == (f->arrays[a].kind == ARRAY_OUT));
        g_strfreev(lines);
    }
    filter_list_finish(&list);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

static void test_params_in_words(void **state)
{
    const struct filter f = {
        .params = {{.name = "radius"}, {.name = "axis", .names = {"x", "both"}, .name_count = 2}},
        .param_count = 2};
    const struct param_values values = {{5, 1}};
    char text[64], little[10];
    filter_write_params(&f, &values, text, sizeof text);
    assert_string_equal(text, "radius 5 · axis both");
    filter_write_params(&f, &values, little, sizeof little);
    assert_string_equal(little, "radius 5 ");
    filter_write_params(&(struct filter){.param_count = 0}, &values, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_file),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_huge_files),
        cmocka_unit_test(test_the_name_is_the_files),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_bad_titles),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_params_that_count_names),
        cmocka_unit_test(test_values_that_are_numbers),
        cmocka_unit_test(test_values_are_written_exactly),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_goals),
        cmocka_unit_test(test_bad_params),
        cmocka_unit_test(test_what_the_compiler_does_otherwise),
        cmocka_unit_test(test_a_field_without_limits),
        cmocka_unit_test(test_number_of_params),
        cmocka_unit_test(test_own_pictures),
        cmocka_unit_test(test_a_pass_before_all_variants),
        cmocka_unit_test(test_bad_variants),
        cmocka_unit_test(test_lets),
        cmocka_unit_test(test_bad_lets),
        cmocka_unit_test(test_no_variant_is_lost),
        cmocka_unit_test(test_number_of_variants_and_passes),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_long_texts_stay_utf8),
        cmocka_unit_test(test_text_that_is_not_utf8),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_pack),
        IN_FOLDER(test_a_folder_is_sorted),
        IN_FOLDER(test_lets_of_a_header),
        IN_FOLDER(test_bad_lets_of_a_header),
        IN_FOLDER(test_filters_and_labs_are_one_list),
        IN_FOLDER(test_files_with_mistakes_are_left_out),
        IN_FOLDER(test_two_files_of_one_name),
        IN_FOLDER(test_headers_above_a_lab),
        IN_FOLDER(test_a_folder_with_too_many),
        IN_FOLDER(test_a_folder_without_texts),
        cmocka_unit_test(test_params_in_words),
        cmocka_unit_test(test_the_kernels_of_the_tree),
    };
    return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}

// What a kernel file says of its params, and the values that they may have.
#include "unit.h"

#include <limits.h>
#include <math.h>

#include "filter/files.h"

#define THREE                                                       \
    MEAN "//! param radius 3 [0, 64]\n//! param c -5 [-128, 127]\n" \
         "//! param sigma 0.5 [0, 12.25]\n" NAIVE

// ---- lines ----

// One param in a file of its own.
static char *with_param(const char *line)
{
    return g_strconcat(MEAN, line, "\n" NAIVE, NULL);
}

TEST(params)
{
    static const struct {
        const char *line, *name;
        bool is_float;
        double value, min, max;
        const char *help;
    } good[] = {
        {"//! param radius 3 [0, 64] pixels", "radius", false, 3, 0, 64, "pixels"},
        {"//!param c -5[-128,127]", "c", false, -5, -128, 127, ""},
        {"\t//! param\tsigma float\t0.25 [ -1.5 , 1e2 ] \ta  b ", "sigma", true, 0.25, -1.5, 100,
         "a  b"},
        {"//! param one 1 [1, 1] [fixed]", "one", false, 1, 1, 1, "[fixed]"},
        {"//! param most 2147483647 [-2147483648, 2147483647]", "most", false, 2147483647,
         -2147483648.0, 2147483647, ""},
        {"//! param x2 .5 [0, 1] häufig", "x2", true, .5, 0, 1, "häufig"},
        {"//! param whole int 2.0 [0, 9]", "whole", false, 2, 0, 9, ""},
        {"//! param K 2 [0, 9]", "K", false, 2, 0, 9, ""},
        {"//! param _Tile_2 2 [0, 9]", "_Tile_2", false, 2, 0, 9, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autofree char *source = with_param(good[i].line);
        OWNED(filter_finish) struct filter f = parsed(source);
        const struct param *p = &f.params[0];
        assert_int_equal(f.param_count, 1);
        assert_string_equal(p->name, good[i].name);
        assert_string_equal(p->help, good[i].help);
        assert_int_equal(p->is_float, good[i].is_float);
        assert_true(p->value == good[i].value && p->min == good[i].min && p->max == good[i].max);
    }
}

TEST(bad_params)
{
    static const char limits[] = "expected: //! param name default [min, max] help";
    static const char names[] = "expected: //! param name default [one, two, three] help";
    static const struct mistake bad[] = {
        {"//! param", limits},
        {"//! param a", limits},
        {"//! param a; 3 [0, 64]", limits},
        {"//! param *a 3 [0, 64]", limits},
        {"//! param a[2] 3 [0, 64]", limits},
        {"//! param a, b 3 [0, 64]", limits},
        {"//! param a = 3 [0, 64]", limits},
        {"//! param int a 3 [0, 64]", "param 'int' is a word of C++: give it another name"},
        {"//! param a double 3 [0, 64]", limits},
        {"//! param a intfloat 3 [0, 64]", limits},
        {"//! param class 3 [0, 64]", "param 'class' is a word of C++: give it another name"},
        {"//! param 2a 3 [0, 64]", "param '2a' is not a name of less than 32 letters"},
        {"//! param a_name_of_thirty_two_characters_ 3 [0, 64]",
         "param 'a_name_of_thirty_two_characters_' is not a name of less than 32 letters"},
        {"//! param a ", limits},
        {"//! param a [0, 64]", limits},
        {"//! param a 3", limits},
        {"//! param a 3 [0]", limits},
        {"//! param a 3 [0 64]", limits},
        {"//! param a 3 [0, 64", limits},
        {"//! param a 3 (0, 64)", limits},
        {"//! param a three [0, 64]", limits},
        {"//! param a 65 [0, 64]", "default 65 of 'a' lies outside [0, 64]"},
        {"//! param a -1 [0, 64]", "default -1 of 'a' lies outside [0, 64]"},
        {"//! param a 3 [64, 0]", "default 3 of 'a' lies outside [64, 0]"},
        {"//! param a float 1.5 [-1, 1.25]", "default 1.5 of 'a' lies outside [-1, 1.25]"},
        {"//! param a float nan [0, 1]", "default nan of 'a' lies outside [0, 1]"},
        {"//! param a float 1 [0, inf]", "limits of 'a' must be finite"},
        {"//! param a float 1 [-1e39, 1]", "limits of 'a' must be finite"},
        {"//! param a int 1.5 [0, 64]", "default and limits of int 'a' must be whole"},
        {"//! param a 1 [0.5, 64]", "default and limits of int 'a' must be whole"},
        {"//! param a 1 [0, 64.5]", "default and limits of int 'a' must be whole"},
        {"//! param a 1 [0, 2147483648]", "limits of int 'a' are beyond 32 bits"},
        {"//! param radius float 1 [0, 5]",  // of a filter
         "a radius must be an int with limits inside [0, 65535]"},
        {"//! param radius 1 [-1, 5]", "a radius must be an int with limits inside [0, 65535]"},
        {"//! param radius 1 [0, 65536]", "a radius must be an int with limits inside [0, 65535]"},
        {"//! param a 1 [-1e12, 4]", "limits of int 'a' are beyond 32 bits"},
        {"//! param width 1 [0, 4]", "param 'width' means something else in expressions"},
        {"//! param bh 1 [0, 4]", "param 'bh' means something else in expressions"},
        {"//! param multiprocessors 1 [0, 4]",
         "param 'multiprocessors' means something else in expressions"},
        {"//! param a x [x, y", names},
        {"//! param a x [x y]", names},
        {"//! param a x [x, ]", names},
        {"//! param a x [x, Y]", names},
        {"//! param a x [x, 2]", names},
        {"//! param a 0 [x, y]", "default '0' of 'a' is not in its list"},
        {"//! param a z [x, y]", "default 'z' of 'a' is not in its list"},
        {"//! param a x [x, y, x]", "a second 'x' in 'a'"},
        {"//! param a a [a, b, c, d, e, f, g, h, i]", "more than 8 names in 'a'"},
        {"//! param a float x [x, y]", "'a' counts names, so it must be an int"},
    };
    assert_mistakes(MEAN, bad, G_N_ELEMENTS(bad), "\n" NAIVE, 2);
    assert_refused(MEAN "//! param a 3 [0, 9]\n//! param a float 3 [0, 9]\n", 3,
                   "a second param 'a'");
}

// A param of multiples only, for kernels that take no others.
TEST(steps)
{
    static const struct {
        const char *line;
        double min, max, step;
        const char *help;
    } good[] = {
        {"//! param n 64 [32, 4096 step 32] rows", 32, 4096, 32, "rows"},
        {"//! param n 7[1,100step 3]", 1, 100, 3, ""},
        {"//! param n int 0 cpu=-6 [ -6 , 6  step  2 ]  step 3", -6, 6, 2, "step 3"},
        {"//! param n 3 [3, 3 step 2147483647]", 3, 3, 2147483647, ""},
        {"//! param n 5 [0, 9 step 1]", 0, 9, 1, ""},
        {"//! param n 5 [0, 9] step 3", 0, 9, 1, "step 3"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autofree char *source = with_param(good[i].line);
        OWNED(filter_finish) struct filter f = parsed(source);
        const struct param *p = &f.params[0];
        assert_true(p->min == good[i].min && p->max == good[i].max && p->step == good[i].step);
        assert_string_equal(p->help, good[i].help);
    }
    static const char limits[] = "expected: //! param name default [min, max] help";
    static const char whole[] = "the step of 'n' must be a whole number from 1 on";
    static const struct mistake bad[] = {
        {"//! param n 64 [32, 4096 step]", limits},
        {"//! param n 64 [32, 4096 step 32", limits},
        {"//! param n 64 [32, 4096, 32]", limits},
        {"//! param n 64 [32, 4096 32]", limits},
        {"//! param n 64 [32, 4096 steps 32]", limits},
        {"//! param n 64 [32, 4096 step 32 32]", limits},
        {"//! param n 64 [32, 4096 step 0]", whole},
        {"//! param n 64 [32, 4096 step -32]", whole},
        {"//! param n 64 [32, 4096 step 1.5]", whole},
        {"//! param n 64 [32, 4096 step nan]", whole},
        {"//! param n 64 [32, 4096 step inf]", whole},
        {"//! param n 64 [32, 4096 step 2147483648]", whole},
        {"//! param n float 64 [32, 4096 step 32]", "only an int has a step, and 'n' is a float"},
        {"//! param n 65 [32, 4096 step 32]",
         "default 65 of 'n' is not reached from 32 in steps of 32"},
        {"//! param n 64 [1, 99 step 32]",
         "default 64 of 'n' is not reached from 1 in steps of 32"},
        {"//! param n 64 cpu=48 [32, 4096 step 32]",
         "default 48 of 'n' is not reached from 32 in steps of 32"},
        {"//! param n 3000000 [1000000, 9999999 step 1500000]",
         "default 3000000 of 'n' is not reached from 1000000 in steps of 1500000"},
    };
    assert_mistakes(MEAN, bad, G_N_ELEMENTS(bad), "\n" NAIVE, 2);
}

TEST(values_of_steps)
{
    OWNED(filter_finish) struct filter f = parsed(MEAN "//! param n 64 [32, 100 step 32]\n" NAIVE);
    static const double taken[] = {32, 64, 96}, refused[] = {33, 63, 65, 100};
    static const double snapped[][2] = {{-9, 32}, {32, 32}, {33, 32},  {63.9, 32},
                                        {64, 64}, {99, 96}, {101, 96}, {1e9, 96}};
    for (size_t i = 0; i < G_N_ELEMENTS(taken); i++)
        assert_true(filter_check(&f, &(struct param_values){{taken[i]}}, &err));
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autofree char *message =
            g_strdup_printf("n %g is none of 32, 64 … 96 of mean", refused[i]);
        assert_false(filter_check(&f, &(struct param_values){{refused[i]}}, &err));
        assert_string_equal(err.text, message);
    }
    assert_false(filter_check(&f, &(struct param_values){{128}}, &err));
    assert_string_equal(err.text, "n 128 is outside [32, 100] of mean");
    for (size_t i = 0; i < G_N_ELEMENTS(snapped); i++)
        assert_true(filter_snap(f.params, snapped[i][0]) == snapped[i][1]);
    const struct param real = {.min = -1, .max = 1, .step = 1, .is_float = true};
    assert_true(filter_snap(&real, 0.3) == 0.3 && filter_snap(&real, 2) == 1);
    const struct param widest = {.min = INT_MIN, .max = INT_MAX, .step = INT_MAX};
    assert_true(filter_snap(&widest, INT_MAX) == INT_MAX - 1.0);
}

TEST(params_that_count_names)
{
    OWNED(filter_finish)
    struct filter f = parsed(MEAN "//! param axis y [x, y, both] what is mirrored\n"
                                  "//! param infinite nan[inf_,nan]\n" NAIVE);
    const struct param *p = &f.params[0];
    assert_int_equal(p->name_count, 3);
    assert_string_equal(p->names[2], "both");
    assert_string_equal(p->help, "what is mirrored");
    assert_true(p->value == 1 && p->min == 0 && p->max == 2 && !p->is_float);
    assert_int_equal(f.params[1].name_count, 2);
    assert_true(f.params[1].value == 1);

    double value = 7;
    assert_true(filter_read_value(p, "both", &value, &err) && value == 2);
    assert_string_equal(filter_write_value(p, value).text, "both");
    static const char *const bad[] = {"z", "", "2", "Both", "both "};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *message = g_strdup_printf("axis '%s' is not one of x, y, both", bad[i]);
        assert_false(filter_read_value(p, bad[i], &value, &err));
        assert_string_equal(err.text, message);
        assert_true(value == 2);
    }
    struct param_values values = {{2, 0}};
    assert_true(filter_check(&f, &values, &err));
    values.v[0] = 3;
    assert_false(filter_check(&f, &values, &err));
}

TEST(values_that_are_numbers)
{
    OWNED(filter_finish) struct filter f = parsed(MEAN "//! param s float 0 [0, 64]\n" NAIVE);
    double value = 7;
    assert_true(filter_read_value(&f.params[0], "1.5", &value, &err) && value == 1.5);
    assert_string_equal(filter_write_value(&f.params[0], value).text, "1.5");
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
}

// The shortest text that says exactly this value, which a float param has as a float.
TEST(values_are_written_exactly)
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
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_string_equal(filter_write_value(rows[i].param, rows[i].value).text, rows[i].text);
}

TEST(number_of_params)
{
    g_autoptr(GString) text = g_string_new(MEAN);
    for (int i = 0; i < FILTER_MAX_PARAMS; i++)
        g_string_append_printf(text, "//! param p%d %d [0, 99]\n", i, i);
    g_autofree char *good = g_strconcat(text->str, NAIVE, NULL);
    OWNED(filter_finish) struct filter f = parsed(good);
    assert_int_equal(f.param_count, FILTER_MAX_PARAMS);
    g_string_append(text, "//! param more 1 [0, 99]\n");
    assert_refused(text->str, 2 + FILTER_MAX_PARAMS, "more than 12 params");
}

// ---- values ----

TEST(values)
{
    OWNED(filter_finish) struct filter f = parsed(THREE);
    struct param_values values = filter_defaults(&f);
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
}

TEST(pack)
{
    OWNED(filter_finish) struct filter f = parsed(THREE);
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

    f = parsed(MEAN "//! param gain float 1 [0, 1e30]\n" NAIVE);
    const float large = 1e30f;
    assert_int_equal(filter_pack(&f, &(struct param_values){{large}}, bytes), 4);
    assert_memory_equal(bytes, &large, 4);
    filter_finish(&f);

    f = parsed(MEAN NAIVE);
    assert_int_equal(f.param_count, 0);
    assert_int_equal(filter_radius(&f), -1);
    assert_int_equal(filter_pack(&f, &values, bytes), 4);
}

TEST(params_in_words)
{
    const struct filter f = {
        .params = {{.name = "radius"}, {.name = "axis", .names = {"x", "both"}, .name_count = 2}},
        .param_count = 2};
    const struct param_values values = {{5, 1}};
    assert_string_equal(filter_write_params(&f, &values).text, "radius 5 · axis both");
    assert_string_equal(filter_write_params(&(struct filter){.param_count = 0}, &values).text, "");
}

// The arithmetic of shared=: C's precedence, whole numbers, and nothing silently wrong.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter/expr.h"

static const struct expr_name names[] = {{"bw", 32},       {"bh", 8},       {"width", 32768},
                                         {"radius", 64},   {"radius_2", 2}, {"negative", -3},
                                         {"real", 2.75},   {"_under", 11},  {"endless", 1e300},
                                         {"nothing", NAN}, {"zero", 0}};
enum { NAMES = (int)(sizeof names / sizeof *names) };

static long long value_of(const char *text)
{
    long long value = -12345;
    struct error err = {""};
    if (!expr_eval(text, names, NAMES, &value, &err)) fail_msg("%s: %s", text, err.text);
    return value;
}

static void assert_refused(const char *text, const char *message)
{
    long long value = -12345;
    struct error err = {""};
    assert_false(expr_eval(text, names, NAMES, &value, &err));
    assert_string_equal(err.text, message);
    assert_int_equal(value, -12345);
    assert_false(expr_eval(text, names, NAMES, &value, NULL));
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long value;
    } rows[] = {
        {"0", 0},
        {"007", 7},
        {" 1 ", 1},
        {"\t2\n", 2},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"10-4-3", 3},
        {"100/10/5", 2},
        {"100/(10/5)", 50},
        {"7%4*2", 6},
        {"-7/2", -3},
        {"-7%4", -3},
        {"-(1+2)", -3},
        {"--3", 3},
        {"2*-3", -6},
        {"1--1", 2},
        {"bw", 32},
        {"radius", 64},
        {"radius_2", 2},
        {"_under", 11},
        {"negative", -3},
        {"real", 2},
        {"(bw + 2*radius) * (bh + 2*radius)", (32 + 128) * (8 + 128)},
        {"((((((((((bw))))))))))", 32},
        {"min(bw, bh)", 8},
        {"max(bw, bh)", 32},
        {"min (1 + 2 , 1 + 1) * 4", 8},
        {"-max(-2, -3)", 2},
        {"max(min(1, 2), min(3, 4))", 3},
        {"width*width*4", 4LL * 32768 * 32768},
        {"9223372036854775807", LLONG_MAX},
        {"-9223372036854775807 - 1", LLONG_MIN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (value_of(rows[i].text) != rows[i].value)
            fail_msg("%s is %lld, not %lld", rows[i].text, rows[i].value, value_of(rows[i].text));
}

static void test_refusals_name_the_place(void **state)
{
    (void)state;
    assert_refused("", "'' breaks off at ''");
    assert_refused("   ", "'   ' breaks off at ''");
    assert_refused("1 +", "'1 +' breaks off at ''");
    assert_refused("1 2", "'1 2' breaks off at '2'");
    assert_refused("12abc", "'12abc' breaks off at 'abc'");
    assert_refused("1 + + 2", "'1 + + 2' breaks off at '+ 2'");
    assert_refused("*2", "'*2' breaks off at '*2'");
    assert_refused("()", "'()' breaks off at ')'");
    assert_refused("(1", "missing ) in '(1'");
    assert_refused("(1 2)", "missing ) in '(1 2)'");
    assert_refused("min", "unknown name 'min' in 'min'");
    assert_refused("min(1)", "missing , in 'min(1)'");
    assert_refused("max(1, 2", "missing ) in 'max(1, 2'");
    assert_refused("max(1, 2, 3)", "missing ) in 'max(1, 2, 3)'");
    assert_refused("minimum(1, 2)", "unknown name 'minimum' in 'minimum(1, 2)'");
    assert_refused("1)", "'1)' breaks off at ')'");
    assert_refused("1.5", "'1.5' breaks off at '.5'");
    assert_refused("bw << 1", "'bw << 1' breaks off at '<< 1'");
    assert_refused("2 * radiu", "unknown name 'radiu' in '2 * radiu'");
    assert_refused("radius2", "unknown name 'radius2' in 'radius2'");
    assert_refused("BW", "unknown name 'BW' in 'BW'");
    assert_refused("\xc3\x97", "'\xc3\x97' breaks off at '\xc3\x97'");
}

static void test_division_by_zero(void **state)
{
    (void)state;
    assert_refused("1/0", "'1/0' divides by zero");
    assert_refused("1%zero", "'1%zero' divides by zero");
    assert_refused("bw / (bw - 32)", "'bw / (bw - 32)' divides by zero");
    assert_int_equal(value_of("0/1"), 0);
}

static void test_overflow_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "9223372036854775808",
        "99999999999999999999999999",
        "9223372036854775807 + 1",
        "-9223372036854775807 - 2",
        "-(-9223372036854775807 - 1)",
        "(-9223372036854775807 - 1) / -1",
        "(-9223372036854775807 - 1) % -1",
        "width*width*width*width*width",
        "endless",
        "nothing",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char message[128];
        snprintf(message, sizeof message, "'%s' is too large", texts[i]);
        assert_refused(texts[i], message);
    }
}

static void test_depth(void **state)
{
    (void)state;
    char deep[4096] = "";
    memset(deep, '(', 2000);
    assert_true(strlen(deep) == 2000);
    long long value;
    struct error err = {""};
    assert_false(expr_eval(deep, names, NAMES, &value, &err));
    assert_non_null(strstr(err.text, "nests too deeply"));
    memset(deep, '-', 2000);
    assert_false(expr_eval(deep, names, NAMES, &value, &err));
    // Length is no depth.
    deep[0] = '\0';
    for (int i = 0; i < 900; i++) strcat(deep, "(1)+");
    strcat(deep, "1");
    assert_int_equal(value_of(deep), 901);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_refusals_name_the_place),
        cmocka_unit_test(test_division_by_zero),
        cmocka_unit_test(test_overflow_is_refused),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}

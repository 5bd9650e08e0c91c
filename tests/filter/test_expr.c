// The arithmetic of kernel files: C's precedence, whole numbers, and nothing silently wrong.
#include "unit.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "filter/expr.h"

static const struct {
    const char *name;
    double value;
} given[] = {{"bw", 32},         {"bh", 8},        {"width", 32768}, {"radius", 64},
             {"radius_2", 2},    {"negative", -3}, {"real", 2.75},   {"_under", 11},
             {"endless", 1e300}, {"nothing", NAN}, {"zero", 0}};
enum { NAMES = (int)(sizeof given / sizeof *given) };

static struct expr_let lets[4];

static bool evaluate(const char *text, long long *value)
{
    struct expr_scope scope = {.name_count = NAMES, .lets = lets, .let_count = 4};
    double values[NAMES];
    struct expr e = {.count = -1};
    for (int i = 0; i < NAMES; i++) {
        scope.names[i] = given[i].name;
        values[i] = given[i].value;
    }
    if (expr_compile(&e, text, &scope, &err)) {
        assert_string_equal(e.text, text);
        return expr_eval(&e, values, value, &err);
    }
    assert_int_equal(e.count, -1);
    return false;
}

static long long value_of(const char *text)
{
    long long value = -12345;
    if (!evaluate(text, &value)) fail_msg("%s: %s", text, err.text);
    return value;
}

static void assert_refused(const char *text, const char *message)
{
    long long value = -12345;
    err.text[0] = '\0';
    assert_false(evaluate(text, &value));
    assert_string_equal(err.text, message);
    assert_int_equal(value, -12345);
    assert_false(evaluate(text, &value));
}

TEST(values)
{
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

TEST(refusals_name_the_place)
{
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

TEST(division_by_zero)
{
    assert_refused("1/0", "'1/0' divides by zero");
    assert_refused("1%zero", "'1%zero' divides by zero");
    assert_refused("bw / (bw - 32)", "'bw / (bw - 32)' divides by zero");
    assert_int_equal(value_of("0/1"), 0);
}

TEST(overflow_is_refused)
{
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

TEST(depth)
{
    char deep[EXPR_TEXT] = "", message[EXPR_TEXT + 32];
    memset(deep, '(', 120);
    snprintf(message, sizeof message, "'%s' breaks off at ''", deep);
    assert_refused(deep, message);
    memset(deep, '-', 120);
    deep[120] = '1';
    assert_int_equal(value_of(deep), 1);
    // Every pair of parentheses is gone into.
    memset(deep, '(', 63);
    deep[63] = '7';
    memset(deep + 64, ')', 63);
    assert_int_equal(value_of(deep), 7);
    memset(deep, 0, sizeof deep);
    // Length is no depth.
    deep[0] = '\0';
    for (int i = 0; i < 30; i++) strcat(deep, "(1)+");
    strcat(deep, "1");
    assert_int_equal(value_of(deep), 31);
    // Every operand of a text waits for what is in parentheses behind it.
    deep[0] = '\0';
    for (int i = 0; i < 31; i++) strcat(deep, "1+(");
    strcat(deep, "1");
    for (int i = 0; i < 31; i++) strcat(deep, ")");
    assert_int_equal(value_of(deep), 32);
}

// ---- named parts ----

static void let(int index, const char *name, const char *text)
{
    const struct expr_scope scope = {
        .names = {"bw", "bh"}, .name_count = 2, .lets = lets, .let_count = index};
    strcpy(lets[index].name, name);
    if (!expr_compile(&lets[index].expr, text, &scope, &err)) fail_msg("%s: %s", name, err.text);
}

static int forget_lets(void **state)
{
    memset(lets, 0, sizeof lets);
    return 0;
}

// A name stands for a value, not for its text.
TEST_WITH(named_parts, NULL, forget_lets)
{
    let(0, "sum", "bw + bh");
    let(1, "twice", "2 * sum");
    assert_int_equal(value_of("sum"), 40);
    assert_int_equal(value_of("twice * sum - 1"), 3199);
    assert_int_equal(value_of("-sum % 7"), -5);
    let(2, "none", "bw / (bw - 32)");
    assert_refused("1 + none", "'1 + none' divides by zero");
    assert_int_equal(value_of("twice"), 80);
}

TEST_WITH(a_part_that_is_not_compiled_is_unknown, NULL, forget_lets)
{
    strcpy(lets[0].name, "later");
    strcpy(lets[0].expr.text, "later + 1");
    assert_refused("later", "unknown name 'later' in 'later'");
}

// Each name doubles what the one before it needs.
TEST_WITH(parts_cannot_explode, NULL, forget_lets)
{
    let(0, "wide", "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1");
    assert_int_equal(value_of("wide + wide"), 64);
    assert_refused("wide + wide + 1", "'wide + wide + 1' has more than 128 steps");
    let(1, "deep",
        "1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+1)))))))))))))))))))");
    let(2, "deeper",
        "1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+deep)))))))))))))))))))");
    assert_int_equal(value_of("deeper"), 41);
    assert_int_equal(value_of("1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+"
                              "deeper))))))))))))))))))))))"),
                     64);
    assert_refused("1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+deeper))"
                   ")))))))))))))))))))))",
                   "'1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+deeper)"
                   "))))))))))))))))))))))' has more than 128 steps");
}

// Tokens of C texts, whole and broken off.
#include "unit.h"

#include "base/c_tokens.h"

// "kind:text" of each token, with a blank between two.
static char *tokens_of(const char *text)
{
    static const char letters[] = {
        [C_TOKEN_WORD] = 'w',    [C_TOKEN_NUMBER] = 'n',    [C_TOKEN_STRING] = 's',
        [C_TOKEN_COMMENT] = 'c', [C_TOKEN_DIRECTIVE] = 'd', [C_TOKEN_MARK] = 'm'};
    GString *all = g_string_new(NULL);
    struct c_tokens t = c_tokens_of(text);
    for (struct c_token one; (one = c_tokens_next(&t)).kind != C_TOKEN_END;)
        g_string_append_printf(all, "%s%c:%.*s", all->len ? " " : "", letters[one.kind],
                               (int)one.length, one.start);
    return g_string_free(all, FALSE);
}

static void assert_pairs(char *make(const char *), const char *const (*pairs)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_autofree char *found = make(pairs[i][0]);
        assert_string_equal(found, pairs[i][1]);
    }
}

TEST(tokens_have_their_kinds)
{
    static const char *const pairs[][2] = {
        {"int x = 3;", "w:int w:x m:= n:3 m:;"},
        {"1.5e-3f+.5", "n:1.5e-3f m:+ n:.5"},
        {"0x1e+2", "n:0x1e m:+ n:2"},
        {"1'000'{", "n:1'000 s:'{"},
        {"a//b\nc", "w:a c://b w:c"},
        {"a/*b\n*/c", "w:a c:/*b\n*/ w:c"},
        {"\"a\\\"b\" 'c'", "s:\"a\\\"b\" s:'c'"},
        {"# define N 2", "d:# define w:N n:2"},
        {"a # b", "w:a m:# w:b"},
        {"\"open\nx", "s:\"open w:x"},
        {"\"ends\\", "s:\"ends\\"},
        {"\"a\\\r\nb\" c", "s:\"a\\\r\nb\" w:c"},
        {"#define A \\\r\n  b", "d:#define w:A w:b"},
        {"/* open", "c:/* open"},
        {"/", "m:/"},
        {"", ""},
    };
    assert_pairs(tokens_of, pairs, G_N_ELEMENTS(pairs));
}

TEST(tokens_know_their_lines)
{
    struct c_tokens t = c_tokens_of("#define A \\\n  b /* x\n y */ c\nd e");
    static const struct {
        const char *text;
        int line;
        bool is_first, is_directive;
    } wanted[] = {{"#define", 1, true, true},      {"A", 1, false, true}, {"b", 2, true, true},
                  {"/* x\n y */", 2, false, true}, {"c", 3, false, true}, {"d", 4, true, false},
                  {"e", 4, false, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        const struct c_token one = c_tokens_next(&t);
        assert_true(c_token_is(one, wanted[i].text));
        assert_int_equal(one.line, wanted[i].line);
        assert_int_equal(one.is_first, wanted[i].is_first);
        assert_int_equal(one.is_directive, wanted[i].is_directive);
    }
    assert_int_equal(c_tokens_next(&t).kind, C_TOKEN_END);
}

static char *without_block_comments(const char *text)
{
    return c_tokens_blank_comments(text, false);
}

static char *without_comments(const char *text)
{
    return c_tokens_blank_comments(text, true);
}

TEST(block_comments_are_blanked)
{
    static const char *const pairs[][2] = {
        {"a /* b\n *\tc */ d", "a     \n  \t     d"},
        {"/* open\r\n x", "       \r\n  "},
        {"// /* a\n\"/* b\" /**/", "// /* a\n\"/* b\"     "},
        {"/* \xff \xc3\xa4 */", "   \xff \xc3\xa4   "},
        {"", ""},
    };
    assert_pairs(without_block_comments, pairs, G_N_ELEMENTS(pairs));
    static const char *const all[][2] = {
        {"a; // }\n/* b */ \"//\"", "a;     \n        \"//\""},
        {"// open", "       "},
    };
    assert_pairs(without_comments, all, G_N_ELEMENTS(all));
}

// "directive>what it includes" of each token, with a blank between two.
static char *lines_of(const char *text)
{
    GString *all = g_string_new(NULL);
    struct c_tokens t = c_tokens_of(text);
    for (struct c_token one; (one = c_tokens_next(&t)).kind != C_TOKEN_END;) {
        struct c_tokens behind = t, behind_too = t;
        const struct c_token word = c_tokens_directive(one, &behind);
        const struct c_token name = c_tokens_included(one, &behind_too);
        if (word.kind)
            g_string_append_printf(all, "%s%.*s>%.*s", all->len ? " " : "", (int)word.length,
                                   word.start, (int)name.length, name.kind ? name.start : "");
    }
    return g_string_free(all, FALSE);
}

TEST(lines_that_begin_with_a_mark)
{
    static const char *const pairs[][2] = {
        {"#include \"a.h\"\n  #  include <b/c.h> // d", "include>\"a.h\" include><b/c.h>"},
        {"#/* a\n */include /**/ \\\n <a//b>\n#import X", "include><a//b> import>X"},
        {"#include_next <open\n#include\n\"a\"", "include_next><open include>"},
        {"#\n#include\n#define include \"a\"\nint include;", "include> define>"},
        {"# 12 \"a\"\n#line 3\na #include \"b\"", "12> line>"},
    };
    assert_pairs(lines_of, pairs, G_N_ELEMENTS(pairs));
}

// What follows keeps its line.
TEST(lines_are_joined)
{
    static const char *const pairs[][2] = {
        {"a\\\nb\\\r\n\\\nc\nd", "abc\n\n\n\nd"},
        {"a \\ \n\\", "a \\ \n\\"},
        {"a\\\n", "a\n"},
        {"", ""},
    };
    assert_pairs(c_tokens_join_lines, pairs, G_N_ELEMENTS(pairs));
}

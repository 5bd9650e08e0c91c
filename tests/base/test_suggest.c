// Which name a misspelt word is taken for.
#include "unit.h"

#include "base/suggest.h"

TEST(names)
{
    static const char names[] = "view, render, bench list devices";
    static const struct {
        const char *word, *meant;
    } rows[] = {{"lsit", "list"},
                {"lst", "list"},
                {"listt", "list"},
                {"lost", "list"},
                {"List", "list"},
                {"lsst", "list"},
                {"tsil", NULL},
                {"rendre", "render"},
                {"rnder", "render"},
                {"rnedre", "render"},
                {"device", "devices"},
                {"benhc", "bench"},
                {"devcies", "devices"},
                {"picture", NULL},
                {"", NULL},
                {"l", NULL},
                {"scene.png", NULL},
                {"평균", NULL},
                {"a,b", NULL},
                {"a word of more letters than any name has", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error expected = {"no"};
        error_set(&err, "no");
        assert_false(suggest(&err, rows[i].word, names));
        if (rows[i].meant) {
            error_set(&expected, "no; did you mean '%s'?", rows[i].meant);
        }
        assert_string_equal(err.text, expected.text);
    }
    assert_false(suggest(NULL, "lsit", names));
}

TEST(names_of_structs)
{
    const struct {
        char name[8];
        int other;
    } commands[] = {{"list", 1}, {"view", 2}};
    error_set(&err, "no");
    assert_false(suggest_known(&err, "lsit", commands, 2, sizeof commands[0]));
    assert_string_equal(err.text, "no; known are list, view; did you mean 'list'?");
    error_set(&err, "no");
    assert_false(suggest_known(&err, "lsit", commands, 0, sizeof commands[0]));
    assert_string_equal(err.text, "no");
    assert_false(suggest_known(NULL, "lsit", commands, 2, sizeof commands[0]));
}

// A long message keeps its whole letters, and nothing is written behind it.
TEST(a_full_message)
{
    memset(err.text, 'x', sizeof err.text);
    err.text[sizeof err.text - 1] = '\0';
    assert_false(suggest(&err, "lsit", "list"));
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

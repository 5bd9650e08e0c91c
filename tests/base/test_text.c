// Texts in places of a fixed size, and how long they take to read.
#include "unit.h"

#include "base/text.h"

TEST(what_does_not_fit_is_cut_at_a_letter)
{
    char text[6];
    text_copy(text, sizeof text, "abcdé");
    assert_string_equal(text, "abcd");
    text_copy_line(text, sizeof text, "ab\ncd");
    assert_string_equal(text, "ab");
    text_append(text, sizeof text, "%s", "cdé");
    assert_string_equal(text, "abcd");
}

TEST(words_are_joined)
{
    char text[20] = "";
    text_join(text, sizeof text, " · ", "%s", "");
    text_join(text, sizeof text, " · ", "%d", 1);
    text_join(text, sizeof text, " · ", "%s", "");
    text_join(text, sizeof text, ", ", "%s", "two");
    assert_string_equal(text, "1, two");
    text_join(text, sizeof text, " · ", "a longer one");
    assert_string_equal(text, "1, two · a longer ");
}

// Long words stay longer, by letters and not by bytes.
TEST(reading_takes_time)
{
    char words[201];
    memset(words, 'x', 200);
    words[200] = '\0';
    assert_int_equal(text_reading_us(""), 2500000);
    assert_int_equal(text_reading_us("Esc again to quit"), 2500000);
    assert_int_equal(text_reading_us(words), 15000000);
    words[100] = '\0';
    assert_int_equal(text_reading_us(words), 8000000);
    assert_int_equal(text_reading_us("ééééééééééééééééééééééééé"),
                     text_reading_us("eeeeeeeeeeeeeeeeeeeeeeeee"));
}

TEST(parts_of_a_text)
{
    g_auto(GStrv) parts = text_match("(\\w+)(?:=(\\d+))?(,)?", "  ab=12");
    assert_int_equal(g_strv_length(parts), 3);
    assert_string_equal(parts[0], "ab");
    assert_string_equal(parts[1], "12");
    assert_string_equal(parts[2], "");
    assert_null(text_match("(\\w+)", "ab "));                  // all of it
    g_auto(GStrv) cyrillic = text_match("(.*)", "/\xd1\x85");  // 0x85 ends no line
    assert_string_equal(cyrillic[0], "/\xd1\x85");
    assert_null(text_match("(\\w+)|x", "é"));  // letters of ASCII
}

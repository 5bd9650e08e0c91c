// A table is written alike everywhere: what is left out of the text, what is quoted in CSV, what
// tabs lose, and what JSON takes for a number.
#include "unit.h"

#include <time.h>

#include "base/rows.h"

static struct rows make(void)
{
    struct rows r = rows_begin();
    rows_add_column(&r, ROWS_WORDS, "name");
    rows_add_column(&r, ROWS_NUMBER, "×, ms");
    rows_add_column(&r, ROWS_NUMBER, "none");
    rows_add_column(&r, ROWS_WORDS, "note");
    rows_add(&r, "naïve");
    rows_add_format(&r, "%d.%d", 12, 5);
    rows_add(&r, "");
    rows_add(&r, "a \"b\",\tc\n");
    rows_add(&r, "tile");
    rows_add_rest(&r, "needs a GPU, and there is none");
    rows_add(&r, "x");
    rows_add(&r, "0.333333");
    rows_add(&r, "");
    rows_add(&r, "");
    return r;
}

static void expect(char *text, const char *wanted)
{
    assert_string_equal(text, wanted);
    g_free(text);
}

TEST(text)
{
    struct rows r = make();
    GString *text = g_string_new("> ");
    rows_end_text(&r, text);
    expect(g_string_free(text, FALSE), "> name      ×, ms  note\n"
                                       "naïve      12.5  a \"b\",\tc\n\n"
                                       "tile   needs a GPU, and there is none\n"
                                       "x      0.333333\n");
}

TEST(fields)
{
    struct rows csv = make(), tabs = make();
    expect(rows_end_csv(&csv), "name,\"×, ms\",none,note\n"
                               "naïve,12.5,,\"a \"\"b\"\",\tc\n\"\n"
                               "tile,\"needs a GPU, and there is none\",,\n"
                               "x,0.333333,,\n");
    expect(rows_end_tabs(&tabs), "name\t×, ms\tnone\tnote\n"
                                 "naïve\t12.5\t\ta \"b\", c \n"
                                 "tile\tneeds a GPU, and there is none\t\t\n"
                                 "x\t0.333333\t\t\n");
}

TEST(json)
{
    struct rows r = make();
    cJSON *json = rows_end_json(&r);
    assert_int_equal(cJSON_GetArraySize(json), 3);
    const cJSON *first = cJSON_GetArrayItem(json, 0);
    assert_true(cJSON_GetObjectItemCaseSensitive(first, "×, ms")->valuedouble == 12.5);
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(first, "none")));
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(first, "name")->valuestring, "naïve");
    cJSON_Delete(json);
    expect(rows_print_json(cJSON_CreateArray()), "[]\n");
}

TEST(members_have_the_kinds_that_their_words_say)
{
    cJSON *json = cJSON_CreateObject();
    rows_add_members(json, "name%s count%d part%g is_good%i", "a \"b\"", -3, 0.25, true);
    char *text = cJSON_PrintUnformatted(json);
    assert_string_equal(text, "{\"name\":\"a \\\"b\\\"\",\"count\":-3,\"part\":0.25,"
                              "\"is_good\":true}");
    cJSON_free(text);
    cJSON_Delete(json);
}

TEST(members_are_read_as_their_words_say)
{
    static const struct {
        const char *json, *wrong;
    } rows[] = {
        {"{'name':'a\\tb\\u001b','count':3,'part':-0.5,'is_good':true}", NULL},
        {"{'name':null,'count':null,'part':null}", NULL},
        {"{}", NULL},
        {"[1]", NULL},
        {"{'name':3}", "a name is not a text"},
        {"{'count':-1}", "a count is not a whole number"},
        {"{'count':1.5}", "a count is not a whole number"},
        {"{'count':1e10}", "a count is not a whole number"},
        {"{'count':'3'}", "a figure is not a number"},
        {"{'part':1e999}", "a figure is not a number"},
        {"{'part':true}", "a figure is not a number"},
        {"{'is_good':1}", "a claim is neither true nor false"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char name[4] = "old";
        int count = 7;
        double part = 7;
        bool is_good = true;
        g_autofree char *text = g_strdelimit(g_strdup(rows[i].json), "'", '"');
        cJSON *json = cJSON_Parse(text);
        assert_non_null(json);
        const char *wrong = rows_read_members(json, "name%s count%d part%g is_good%i", name,
                                              sizeof name, &count, &part, &is_good);
        cJSON_Delete(json);
        if (g_strcmp0(wrong, rows[i].wrong)) fail_msg("%s: %s", text, wrong ? wrong : "good");
        assert_string_equal(name, i ? "" : "a b");  // fit for a line
        if (!wrong) assert_true(count == (i ? 0 : 3) && part == (i ? 0 : -0.5) && is_good == !i);
    }
}

TEST(members_are_there_or_not)
{
    cJSON *json = cJSON_Parse("{\"name\":\"\",\"count\":0,\"part\":null}");
    assert_true(rows_has_members(json, "name%s count%d"));
    assert_false(rows_has_members(json, "name%s part%g"));
    assert_false(rows_has_members(json, "name%s Count%d"));
    assert_false(rows_has_members(NULL, "name%s"));
    cJSON_Delete(json);
}

TEST(nothing)
{
    struct rows none = rows_begin(), title = rows_begin();
    expect(rows_end_csv(&none), "");
    rows_add_column(&title, ROWS_WORDS, "name");
    expect(rows_end_csv(&title), "name\n");
}

// Of the processor alone.
static double seconds_of(int rows)
{
    g_autoptr(GString) text = g_string_new(NULL);
    struct rows r = rows_begin();
    const clock_t begin = clock();
    rows_add_column(&r, ROWS_NUMBER, "i");
    for (int i = 0; i < rows; i++) rows_add_format(&r, "%d", i);
    rows_end_text(&r, text);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

// Looked at for each row, the widths of 64 000 rows would take 1024 times as long.
TEST(a_long_table_takes_as_long_as_it_has_rows)
{
    seconds_of(2000);
    assert_true(seconds_of(64000) < 256 * seconds_of(2000));
}

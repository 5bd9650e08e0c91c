// test_drop -- the list that a file manager drops: names of files of this machine, whatever they
// are called, and nothing else. How it is dropped on the window is test_exchange.sh's.
#include "unit.h"

#include "gl/drop.h"

static void test_files_have_their_names(void **state)
{
    char *here = g_strdup_printf("file://%s/tmp/here", g_get_host_name());
    const char *const lists[][3] = {
        {"file:///tmp/a.png\r\n", "/tmp/a.png"},
        {"file:///tmp/a.png", "/tmp/a.png"},
        {"file:///tmp/a\r\n# file:///tmp/b\r\nfile:///tmp/c\r\n", "/tmp/a", "/tmp/c"},
        {"file:///tmp/%ED%8F%89%20%23%25%27%0A.png\n", "/tmp/평 #%'\n.png"},
        {"file://localhost/tmp/%80", "/tmp/\x80"},
        {here, "/tmp/here"}};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        struct error err = {""};
        char **files = drop_read_list(lists[i][0], &err);
        if (!files) fail_msg("'%s': %s", lists[i][0], err.text);
        assert_string_equal(files[0], lists[i][1]);
        assert_true(!files[1] == !lists[i][2]);
        if (files[1]) assert_string_equal(files[1], lists[i][2]);
        g_strfreev(files);
    }
    g_free(here);
}

static void test_what_is_no_file_is_refused(void **state)
{
    const char *const lists[][2] = {
        {"", "no file was dropped"},
        {"\r\n# a remark\r\n", "no file was dropped"},
        {"file:///a\r\nhttps://b/c.png", "'https://b/c.png' is not a file of this machine"},
        {"file://elsewhere/a", "'file://elsewhere/a' is not a file of this machine"},
        {"file:a.png", "'file:a.png' is not a file of this machine"},
        {"/tmp/a.png", "'/tmp/a.png' is not a file of this machine"},
        {"file:///a%00b", "'file:///a%00b' is not a file of this machine"},
        {"file:///a%2Fb", "'file:///a%2Fb' is not a file of this machine"},
        {"file:///a%zz", "'file:///a%zz' is not a file of this machine"},
        {"http://a\xff", "'http://a\uFFFD' is not a file of this machine"}};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        struct error err = {""};
        if (drop_read_list(lists[i][0], &err)) fail_msg("'%s' is taken", lists[i][0]);
        assert_string_equal(err.text, lists[i][1]);
    }
}

// What is wrong with it stays in sight, on the screen, too.
static void test_a_long_one_is_cut(void **state)
{
    struct error err = {""};
    GString *list = g_string_new("http://");
    for (int i = 0; i < 100000; i++) g_string_append(list, "평");
    assert_null(drop_read_list(list->str, &err));
    assert_true(g_str_has_suffix(err.text, "평…' is not a file of this machine"));
    assert_true(g_utf8_strlen(err.text, -1) < 160);
    g_string_free(list, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_have_their_names),
        cmocka_unit_test(test_what_is_no_file_is_refused),
        cmocka_unit_test(test_a_long_one_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

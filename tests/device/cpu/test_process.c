// Programs that are run beside: what they say, and that none of them keeps us.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/process.h"

static struct error err;  // of the last call; tests run one after the other

// Runs a line of the shell.
static bool run(const char *line, double limit_s, const atomic_bool *cancel, char **output)
{
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)line, NULL};
    char *environment[] = {(char *)"PATH=/usr/bin:/bin", (char *)"WORD=here", NULL};
    const struct process process = {
        .argv = argv, .environment = environment, .limit_s = limit_s, .cancel = cancel};
    err.text[0] = '\0';
    return process_run(&process, output, &err);
}

static void test_what_a_program_says(void **state)
{
    (void)state;
    char *said;
    assert_true(run("echo $WORD; echo there >&2; cat", 0, NULL, &said));
    assert_string_equal(said, "here\nthere\n");
    g_free(said);
    assert_false(run("echo no; exit 3", 0, NULL, &said));
    assert_string_equal(said, "no\n");
    assert_string_equal(err.text, "");
    g_free(said);
    assert_false(run("kill -9 $$", 0, NULL, &said));
    assert_string_equal(said, "");
    g_free(said);
}

static void test_a_program_that_is_not_there(void **state)
{
    (void)state;
    char *argv[] = {(char *)"/nowhere/cc", NULL}, *environment[] = {NULL}, *said;
    const struct process process = {.argv = argv, .environment = environment};
    assert_false(process_run(&process, &said, &err));
    assert_null(said);
    assert_non_null(strstr(err.text, "cannot run '/nowhere/cc': "));
}

// It says its process group first, whose members must be gone.
static void expect_stopped(const char *line, double limit_s, const atomic_bool *cancel,
                           const char *why)
{
    char *said, *file = g_build_filename(g_get_tmp_dir(), "tilescope-XXXXXX", NULL);
    char *text = NULL;
    assert_true(g_close(g_mkstemp(file), NULL));
    char *whole = g_strdup_printf("echo $$ >%s; %s", file, line);
    assert_false(run(whole, limit_s, cancel, &said));
    assert_null(said);
    assert_non_null(strstr(err.text, why));
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    if (*text) {
        // Whoever adopts what is left of the group may need a moment to bury it.
        while (kill(-atoi(text), 0) == 0) g_usleep(1000);
        assert_int_equal(errno, ESRCH);
    }
    remove(file);
    g_free(text);
    g_free(whole);
    g_free(file);
}

static void test_programs_that_hang_are_stopped(void **state)
{
    (void)state;
    const atomic_bool yes = true, no = false;
    expect_stopped("sleep 1000", 0.2, NULL, "' was stopped: it does not come back");
    expect_stopped("sleep 1000", 0.2, &no, "it does not come back");
    expect_stopped("sleep 1000", 0, &yes, "it was cancelled");
    expect_stopped("trap '' TERM; while :; do sleep 1; done", 0.2, NULL, "it does not come back");
    expect_stopped("sleep 1000 & sleep 1000", 0.2, NULL, "it does not come back");
    expect_stopped("exec >/dev/null 2>&1; sleep 1000", 0.2, NULL, "it does not come back");
    expect_stopped("yes", 0.2, NULL, "it does not come back");
}

// A daemon that keeps our end of the pipe open is not waited for.
static void test_children_of_the_program_may_stay(void **state)
{
    (void)state;
    char *said;
    assert_true(run("setsid sleep 20 & echo done", 0, NULL, &said));
    assert_string_equal(said, "done\n");
    g_free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_program_says),
        cmocka_unit_test(test_a_program_that_is_not_there),
        cmocka_unit_test(test_programs_that_hang_are_stopped),
        cmocka_unit_test(test_children_of_the_program_may_stay),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}

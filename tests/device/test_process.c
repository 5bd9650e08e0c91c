// Programs that are run beside: what they say, and that none of them keeps us.
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/process.h"
#include "folder.h"

// Runs a line of the shell.
static bool run(const char *line, double limit_s, const atomic_bool *cancel, char **output)
{
    char *const shell[] = {(char *)"/bin/sh", (char *)"-c", NULL};
    const struct process process = {.command = shell,
                                    .arguments = (const char *const[]){line, NULL},
                                    .folder = "/tmp/here",
                                    .limit_s = limit_s,
                                    .cancel = cancel};
    err.text[0] = '\0';
    return process_run(&process, output, &err);
}

TEST(what_a_program_says)
{
    g_autofree char *said;
    assert_true(run("echo $TMPDIR $LC_ALL; echo there >&2; cat", 0, NULL, &said));
    assert_string_equal(said, "/tmp/here C\nthere\n");
    g_free(said);
    assert_false(run("echo no; exit 3", 0, NULL, &said));
    assert_string_equal(said, "no\n");
    assert_string_equal(err.text, "");
    g_free(said);
    assert_false(run("kill -9 $$", 0, NULL, &said));
    assert_string_equal(said, "");
}

// In a process whose own limit is that many seconds.
static void expect_limit(rlim_t own_s, int cpu_s, const char *now_s)
{
    g_autofree char *said;
    char *const shell[] = {(char *)"/bin/sh", (char *)"-c", (char *)"ulimit -t", NULL};
    const struct process process = {
        .command = shell, .arguments = (const char *const[]){NULL}, .cpu_s = cpu_s};
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_CPU, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_CPU, &(struct rlimit){own_s, before.rlim_max}), 0);
    assert_true(process_run(&process, &said, &err));
    setrlimit(RLIMIT_CPU, &before);
    assert_string_equal(said, now_s);
}

TEST(the_lower_limit_of_processor_time_holds)
{
    expect_limit(7777, 8888, "7777\n");
    expect_limit(7777, 6666, "6666\n");
}

TEST(a_program_that_is_not_there)
{
    char *command[] = {(char *)"/nowhere/cc", NULL}, *said;
    const struct process process = {.command = command, .arguments = (const char *const[]){NULL}};
    assert_false(process_run(&process, &said, &err));
    assert_null(said);
    assert_non_null(strstr(err.text, "cannot run '/nowhere/cc': "));
}

// It says its process group first, whose members must be gone.
static void expect_stopped(const char *line, double limit_s, const atomic_bool *cancel,
                           const char *why)
{
    char *said, *folder = folder_make(), *file = folder_file(folder, "number", ""), *text = NULL;
    g_autofree char *whole = g_strdup_printf("echo $$ >%s; %s", file, line);
    assert_false(run(whole, limit_s, cancel, &said));
    assert_null(said);
    assert_non_null(strstr(err.text, why));
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    if (*text) {
        // Whoever adopts what is left of the group may need a moment to bury it.
        while (kill(-atoi(text), 0) == 0) g_usleep(1000);
        assert_int_equal(errno, ESRCH);
    }
    folder_end(folder);
    g_free(text);
    g_free(file);
}

TEST(programs_that_hang_are_stopped)
{
    const atomic_bool yes = true, no = false;
    expect_stopped("sleep 1000", 0.2, NULL, "' was stopped: it does not come back");
    expect_stopped("sleep 1000", 0.2, &no, "it does not come back");
    expect_stopped("sleep 1000", 0, &yes, "it was cancelled");
    expect_stopped("trap '' TERM; while :; do sleep 1; done", 0.2, NULL, "it does not come back");
    expect_stopped("sleep 1000 & sleep 1000", 0.2, NULL, "it does not come back");
    expect_stopped("exec >/dev/null 2>&1; sleep 1000", 0.2, NULL, "it does not come back");
    expect_stopped("yes", 0.2, NULL, "it does not come back");
}

// Wakes it when it has stood still for longer than its limit.
static gpointer wake(gpointer data)
{
    const char *const path = data;
    g_autofree char *text = NULL;
    while (!g_file_get_contents(path, &text, NULL, NULL) || !strchr(text, '\n')) {
        g_clear_pointer(&text, g_free);
        g_usleep(1000);
    }
    g_usleep(1000000);
    kill(atoi(text), SIGCONT);
    return NULL;
}

// It is stopped, and so neither computes nor waits, as if others had the processors.
TEST(a_program_without_a_processor_is_not_late)
{
    char *const folder = folder_make();
    g_autofree char *said, *path = folder_file(folder, "number", NULL);
    g_autofree char *line = g_strdup_printf("echo $$ >%s; kill -STOP $$; echo woken", path);
    GThread *waker = g_thread_new("waker", wake, path);
    const bool is_done = run(line, 0.3, NULL, &said);
    g_thread_join(waker);
    must(is_done);
    assert_string_equal(said, "woken\n");
    folder_end(folder);
}

// A daemon that keeps our end of the pipe open is not waited for: it would never end.
TEST(children_of_the_program_may_stay)
{
    char *const folder = folder_make();
    g_autofree char *said, *pipe = folder_file(folder, "pipe", NULL);
    g_autofree char *line = g_strdup_printf("setsid cat %s & echo done", pipe);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_true(run(line, 0, NULL, &said));
    assert_string_equal(said, "done\n");
    const int end = open(pipe, O_WRONLY);  // waits for the daemon
    assert_true(end >= 0);
    close(end);
    folder_end(folder);
}

// Signals that end the program: held back, seen, and let through at the end.
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"

// Runs a function in a process of its own; returns how that ended.
static int status_of(void (*run)(int number), int number)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        run(number);
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void see_and_release(int number)
{
    signals_hold(1000);
    if (signals_came()) _exit(1);
    kill(getpid(), number);
    if (!signals_came()) _exit(2);
    signals_release();
}

static void never_look(int number)
{
    signals_hold(0.05);
    kill(getpid(), number);
    for (;;) pause();
}

static void ignore_and_hold(int number)
{
    signal(number, SIG_IGN);
    signals_hold(0);
    kill(getpid(), number);
    if (signals_came()) _exit(3);
}

TEST(a_signal_waits_for_the_end)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int status = status_of(see_and_release, numbers[i]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
    }
}

TEST(a_program_that_does_not_look_ends_too)
{
    const int status = status_of(never_look, SIGTERM);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(nohup_stays)
{
    const int status = status_of(ignore_and_hold, SIGHUP);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

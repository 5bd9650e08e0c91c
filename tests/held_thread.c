// A child traces the thread, and stops it by that.
#include "held_thread.h"

#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SYS_pause
enum { PAUSE = SYS_pause };
#else
enum { PAUSE = SYS_ppoll };
#endif

// In the child of a process with many threads: only calls that a signal's handler may make.
static _Noreturn void hold(int id, int from_us, int to_us)
{
    char byte = 0;
    int status;
    const bool is_held = ptrace(PTRACE_SEIZE, id, NULL, NULL) == 0 &&
                         ptrace(PTRACE_INTERRUPT, id, NULL, NULL) == 0 &&
                         waitpid(id, &status, __WALL) == id;
    if (is_held && write(to_us, &byte, 1) == 1) {
        if (read(from_us, &byte, 1) < 0) byte = 0;  // also when the test is gone
        ptrace(PTRACE_DETACH, id, NULL, NULL);
    }
    _exit(is_held ? 0 : 1);
}

struct held_thread held_thread_hold(int id)
{
    int orders[2], answers[2];
    char byte;
    assert_int_equal(pipe(orders), 0);
    assert_int_equal(pipe(answers), 0);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // fails where nobody restricts it
    const int child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(orders[1]);
        close(answers[0]);
        hold(id, orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    if (read(answers[0], &byte, 1) != 1) fail_msg("ptrace cannot hold thread %d", id);
    close(answers[0]);
    return (struct held_thread){child, orders[1]};
}

void held_thread_let_go(struct held_thread h)
{
    int status;
    close(h.to_it);
    assert_int_equal(waitpid(h.process, &status, 0), h.process);
    assert_int_equal(status, 0);
}

// proc(5): the number of the system call that the thread waits in, or "running".
void held_thread_expect_pause(int id)
{
    char *path = g_strdup_printf("/proc/self/task/%d/syscall", id), *text = NULL;
    bool is_there = false;
    for (int i = 0; i < 60000 && !is_there; i++, g_usleep(1000)) {
        assert_true(g_file_get_contents(path, &text, NULL, NULL));
        is_there = g_ascii_isdigit(text[0]) && atoi(text) == PAUSE;
        g_free(text);
    }
    if (!is_there) fail_msg("thread %d is not in pause()", id);
    g_free(path);
}

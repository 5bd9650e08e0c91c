#include "server.h"

#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void end_with_parent(void *user)
{
    (void)user;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

// 0: it does not start.
static GPid start(void)
{
    char *words[] = {"Xvfb",         "-displayfd", "1",          "-screen", "0",
                     "1600x1000x24", "-noreset",   "+extension", "GLX",     NULL};
    GPid pid;
    int out;
    char number[16] = "";
    if (!g_spawn_async_with_pipes(NULL, words, NULL,
                                  G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL |
                                      G_SPAWN_DO_NOT_REAP_CHILD,
                                  end_with_parent, NULL, &pid, NULL, &out, NULL, NULL))
        return 0;
    const ssize_t length = read(out, number, sizeof number - 1);  // when it is ready
    if (length > 0) {
        g_autofree char *name = g_strconcat(":", g_strstrip(number), NULL);
        g_setenv("DISPLAY", name, true);
        return pid;
    }
    waitpid(pid, NULL, 0);
    return 0;
}

int server_run(const char *const *programs, int (*run)(void))
{
    for (const char *const *name = programs; *name; name++) {
        char *path = g_find_program_in_path(*name);
        g_free(path);
        if (path) continue;
        printf("skipped: there is no %s\n", *name);
        return 77;
    }
    const GPid pid = start();
    if (!pid) {
        printf("failed: Xvfb does not start\n");
        return 1;
    }
    const int failed = run();
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    return failed;
}

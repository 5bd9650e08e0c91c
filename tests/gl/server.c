#include "server.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool server_has_program(const char *name)
{
    char *path = g_find_program_in_path(name);
    g_free(path);
    return path;
}

static void end_with_parent(void *user)
{
    (void)user;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

GPid server_start(void)
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
        char *name = g_strconcat(":", g_strstrip(number), NULL);
        g_setenv("DISPLAY", name, true);
        g_free(name);
        return pid;
    }
    waitpid(pid, NULL, 0);
    return 0;
}

void server_stop(GPid pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

#include "base/signals.h"

#include <glib.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

static const int held[] = {SIGINT, SIGTERM, SIGHUP};

// A blocked signal becomes pending even if it is ignored, as nohup ignores SIGHUP.
static sigset_t held_set(void)
{
    struct sigaction hangup;
    const bool is_ignored = sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN;
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < G_N_ELEMENTS(held); i++)
        if (held[i] != SIGHUP || !is_ignored) sigaddset(&set, held[i]);
    return set;
}

void signals_block(void)
{
    const sigset_t set = held_set();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void signals_release(void)
{
    const sigset_t set = held_set();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void signals_enter_child(void)
{
    signal(SIGXFSZ, SIG_DFL);  // main() ignores it
    signals_release();
}

// Polling leaves the signal pending, so that others see it.
static gpointer watch(gpointer data)
{
    g_autofree double *grace_s = data;
    const sigset_t set = held_set();
    struct pollfd one = {.fd = signalfd(-1, &set, SFD_CLOEXEC), .events = POLLIN};
    if (one.fd >= 0) {
        while (poll(&one, 1, -1) != 1) continue;
        g_usleep((gulong)(*grace_s * G_USEC_PER_SEC));
    }
    signals_release();
    return NULL;
}

void signals_hold(double grace_s)
{
    double *copy = g_memdup2(&grace_s, sizeof grace_s);
    signals_block();
    GThread *watcher = g_thread_try_new("signals", watch, copy, NULL);
    if (watcher) {
        g_thread_unref(watcher);
    } else {
        g_free(copy);
        signals_release();
    }
}

bool signals_came(void)
{
    sigset_t pending;
    if (sigpending(&pending)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(held); i++)
        if (sigismember(&pending, held[i]) == 1) return true;
    return false;
}

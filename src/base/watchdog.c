#include "base/watchdog.h"

#include <glib.h>
#include <stdbool.h>

#include "base/own_time.h"

struct watchdog {
    gint64 limit_us;
    void (*act)(void *user);
    void *user;
    GThread *thread;
    GMutex lock;
    GCond closing;
    struct own_time_thread caller;
    bool is_guarding;
    struct own_time passed;  // own time of this call since the first look
    unsigned looks;
    bool is_closing;
};

// True if the guarded call is late. Its time begins with the first look.
static bool look(struct watchdog *w)
{
    w->looks++;
    if (!w->is_guarding) return false;
    own_time_add(&w->passed, own_time_look(w->caller));
    return w->passed.us > w->limit_us;
}

// The thread looks a few times within the limit, so that a call need not wake it.
static gpointer watch(gpointer data)
{
    struct watchdog *w = data;
    bool is_late = false;
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&w->lock);
    while (!w->is_closing && !(is_late = look(w)))
        g_cond_wait_until(&w->closing, &w->lock, g_get_monotonic_time() + w->limit_us / 8 + 1);
    if (is_late) w->act(w->user);  // a call that comes back meanwhile waits for the lock
    return NULL;
}

struct watchdog *watchdog_create(int limit_ms, void (*act)(void *user), void *user)
{
    struct watchdog *w = g_new0(struct watchdog, 1);
    *w = (struct watchdog){.limit_us = 1000 * (gint64)limit_ms, .act = act, .user = user};
    g_mutex_init(&w->lock);
    g_cond_init(&w->closing);
    w->thread = g_thread_try_new("watchdog", watch, w, NULL);
    if (w->thread) return w;
    watchdog_destroy(w);
    return NULL;
}

void watchdog_destroy(struct watchdog *w)
{
    if (!w) return;
    g_mutex_lock(&w->lock);
    w->is_closing = true;
    g_cond_signal(&w->closing);
    g_mutex_unlock(&w->lock);
    if (w->thread) g_thread_join(w->thread);
    g_mutex_clear(&w->lock);
    g_cond_clear(&w->closing);
    g_free(w);
}

static void set_guarding(struct watchdog *w, bool is_guarding)
{
    if (!w) return;
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&w->lock);
    if (is_guarding) w->caller = own_time_thread();
    w->is_guarding = is_guarding;
    w->passed = (struct own_time){.most_us = w->limit_us / 4};
}

void watchdog_begin(struct watchdog *w)
{
    set_guarding(w, true);
}

void watchdog_end(struct watchdog *w)
{
    set_guarding(w, false);
}

unsigned watchdog_looks(struct watchdog *w)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&w->lock);
    return w->looks;
}

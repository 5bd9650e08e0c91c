#include "base/watchdog.h"

#include <glib.h>
#include <stdbool.h>

struct watchdog {
    gint64 limit_us;
    void (*act)(void *user);
    void *user;
    GThread *thread;
    GMutex lock;
    GCond closing;
    gint64 begin_us;  // of the guarded call; 0: there is none
    bool is_closing;
};

// The thread looks a few times within the limit, so that a call need not wake it.
static gpointer watch(gpointer data)
{
    struct watchdog *w = data;
    bool is_late = false;
    g_mutex_lock(&w->lock);
    while (!w->is_closing && !is_late) {
        const gint64 now = g_get_monotonic_time();
        is_late = w->begin_us && now - w->begin_us > w->limit_us;
        if (!is_late) g_cond_wait_until(&w->closing, &w->lock, now + w->limit_us / 8 + 1);
    }
    if (is_late) w->act(w->user);  // a call that comes back meanwhile waits for the lock
    g_mutex_unlock(&w->lock);
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

static void set_begin(struct watchdog *w, gint64 begin_us)
{
    if (!w) return;
    g_mutex_lock(&w->lock);
    w->begin_us = begin_us;
    g_mutex_unlock(&w->lock);
}

void watchdog_begin(struct watchdog *w)
{
    set_begin(w, g_get_monotonic_time());
}

void watchdog_end(struct watchdog *w)
{
    set_begin(w, 0);
}

// order_glib.c -- for ThreadSanitizer: GLib's locks are made of futexes, which it does not see, so
// they tell it what they order. So do pools of threads: a task comes after the push that brought
// it, and the end of its pool after the task. The dynamic linker takes these functions for
// everyone's.
#include <dlfcn.h>
#include <glib.h>
#include <sanitizer/tsan_interface.h>

// The function of that name that GLib itself has.
#define REAL(name) ((__typeof__(&name))(gintptr)dlsym(RTLD_NEXT, #name))

void g_mutex_lock(GMutex *mutex)
{
    REAL(g_mutex_lock)(mutex);
    __tsan_acquire(mutex);
}

gboolean g_mutex_trylock(GMutex *mutex)
{
    const gboolean is_locked = REAL(g_mutex_trylock)(mutex);
    if (is_locked) __tsan_acquire(mutex);
    return is_locked;
}

void g_mutex_unlock(GMutex *mutex)
{
    __tsan_release(mutex);
    REAL(g_mutex_unlock)(mutex);
}

void g_cond_wait(GCond *cond, GMutex *mutex)
{
    __tsan_release(mutex);
    REAL(g_cond_wait)(cond, mutex);
    __tsan_acquire(mutex);
}

gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end_us)
{
    __tsan_release(mutex);
    const gboolean is_signalled = REAL(g_cond_wait_until)(cond, mutex, end_us);
    __tsan_acquire(mutex);
    return is_signalled;
}

// What a pool was made with. Never freed, because a pool may outlive the call that ends it.
struct pool {
    GFunc func;
    gpointer user;
};

static void run_task(gpointer task, gpointer data)
{
    struct pool *p = data;
    __tsan_acquire(p);
    p->func(task, p->user);
    __tsan_release(p);
}

GThreadPool *g_thread_pool_new(GFunc func, gpointer user, gint max_threads, gboolean is_exclusive,
                               GError **err)
{
    struct pool *p = g_new(struct pool, 1);
    *p = (struct pool){func, user};
    return REAL(g_thread_pool_new)(run_task, p, max_threads, is_exclusive, err);
}

gboolean g_thread_pool_push(GThreadPool *pool, gpointer task, GError **err)
{
    __tsan_release(pool->user_data);
    return REAL(g_thread_pool_push)(pool, task, err);
}

void g_thread_pool_free(GThreadPool *pool, gboolean is_immediate, gboolean is_waited_for)
{
    struct pool *p = pool->user_data;
    REAL(g_thread_pool_free)(pool, is_immediate, is_waited_for);
    if (is_waited_for) __tsan_acquire(p);
}

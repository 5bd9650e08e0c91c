// order_glib.c -- for ThreadSanitizer: GLib's locks are made of futexes, which it does not see, so
// they tell it what they order. The dynamic linker takes these functions for everyone's.
#define _GNU_SOURCE
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

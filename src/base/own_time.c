#define _GNU_SOURCE  // gettid, pthread_getcpuclockid
#include "base/own_time.h"

#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct own_time_thread own_time_thread(void)
{
    struct own_time_thread own = {.id = gettid()};
    if (pthread_getcpuclockid(pthread_self(), &own.clock)) own.clock = CLOCK_THREAD_CPUTIME_ID;
    return own;
}

// proc(5): the letter behind the name in brackets. S and D wait; R is ready or runs; T and t are
// stopped.
static bool is_waiting(int id)
{
    char path[64], text[512];
    g_snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    if (got <= 0) return true;
    text[got] = '\0';
    const char *const name_end = strrchr(text, ')');
    return !name_end || strlen(name_end) < 3 || strchr("SD", name_end[2]);
}

struct own_time_look own_time_look(struct own_time_thread of)
{
    struct timespec spent = {0, 0};
    clock_gettime(of.clock, &spent);
    return (struct own_time_look){.now_us = g_get_monotonic_time(),
                                  .cpu_us = (int64_t)spent.tv_sec * 1000000 + spent.tv_nsec / 1000,
                                  .is_waiting = is_waiting(of.id)};
}

void own_time_begin(struct own_time *t, struct own_time_look first, int64_t most_us)
{
    *t = (struct own_time){.most_us = most_us, .last = first};
}

int64_t own_time_add(struct own_time *t, struct own_time_look look)
{
    const bool was_waiting = t->last.is_waiting && look.is_waiting;
    const int64_t spent_us = look.cpu_us - t->last.cpu_us;
    const int64_t waited_us = was_waiting ? MIN(look.now_us - t->last.now_us, t->most_us) : 0;
    t->last = look;
    t->us += MAX(spent_us, waited_us);
    return MAX(spent_us, waited_us);
}

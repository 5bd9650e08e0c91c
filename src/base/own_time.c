#include "base/own_time.h"

#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/wall.h"

struct own_time_thread own_time_thread(void)
{
    struct own_time_thread own = {.id = gettid()};
    if (pthread_getcpuclockid(pthread_self(), &own.clock)) own.clock = CLOCK_THREAD_CPUTIME_ID;
    return own;
}

// The text of a stat file (proc(5)) behind the name in brackets; its first letter is the state.
static const char *read_stat(const char *path, char *text, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0) close(file);
    text[MAX(got, 0)] = '\0';
    const char *const name_end = strrchr(text, ')');
    return name_end && strlen(name_end) > 2 ? name_end + 2 : NULL;
}

// S and D wait, and Z has ended; R is ready or runs; T and t are stopped.
static bool is_waiting(const char *stat)
{
    return !stat || strchr("SDZ", *stat);
}

struct own_time_look own_time_look(struct own_time_thread of)
{
    char path[64], text[512];
    g_snprintf(path, sizeof path, "/proc/self/task/%d/stat", of.id);
    return (struct own_time_look){.now_us = g_get_monotonic_time(),
                                  .cpu_us = (int64_t)(1e3 * wall_clock_ms(of.clock)),
                                  .is_waiting = is_waiting(read_stat(path, text, sizeof text))};
}

// Looks at a process group: its whole processor time; it waits while all its processes wait.
static struct own_time_look look_at_group(int group)
{
    struct own_time_look look = {.now_us = g_get_monotonic_time(), .is_waiting = true};
    g_autoptr(GDir) processes = g_dir_open("/proc", 0, NULL);
    for (const char *name; processes && (name = g_dir_read_name(processes));) {
        char path[300], text[512];
        int its_group;
        long long own, in_system, of_children, in_system_too;
        g_snprintf(path, sizeof path, "/proc/%s/stat", name);
        const char *const stat = g_ascii_isdigit(*name) ? read_stat(path, text, sizeof text) : NULL;
        if (!stat ||
            sscanf(stat, "%*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld",
                   &its_group, &own, &in_system, &of_children, &in_system_too) != 5 ||
            its_group != group)
            continue;
        look.cpu_us +=
            (own + in_system + of_children + in_system_too) * 1000000 / sysconf(_SC_CLK_TCK);
        look.is_waiting &= is_waiting(stat);
    }
    return look;
}

int64_t own_time_add(struct own_time *t, struct own_time_look look)
{
    if (!t->last.now_us) {
        t->last = look;
        return 0;
    }
    const bool was_waiting = t->last.is_waiting && look.is_waiting;
    const int64_t spent_us = look.cpu_us - t->last.cpu_us;
    const int64_t waited_us = was_waiting ? MIN(look.now_us - t->last.now_us, t->most_us) : 0;
    t->last = look;
    t->us += MAX(spent_us, waited_us);
    return MAX(spent_us, waited_us);
}

bool own_time_is_over(struct own_time_limit *l)
{
    const int64_t now_us = g_get_monotonic_time();
    if (!l->limit_us || now_us < l->next_look_us) return false;
    l->own.most_us = MAX(l->limit_us / 4, 1);
    if (l->next_look_us) own_time_add(&l->own, look_at_group(l->group));
    l->next_look_us = now_us + l->limit_us / 8;
    return l->own.us > l->limit_us;
}

#include "device/process.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_time.h"
#include "base/signals.h"

static const gint64 GRACE_US = 300000;  // between SIGTERM and SIGKILL
enum { TICK_MS = 20 };

struct running {
    const struct process *process;
    GPid pid;
    int output;  // we read it
    struct own_time_limit limit;
    bool is_over;
    int status;
    GString *said;
};

static void limit(int what, rlim_t value)
{
    struct rlimit r;
    if (!value || getrlimit(what, &r)) return;
    r.rlim_cur = r.rlim_max = MIN(value, r.rlim_cur);  // a caller's own limit may be lower
    setrlimit(what, &r);
}

// Becomes the program. Returns only on failure, with the reason.
static int become(const struct process *p, char **argv, char **environment, int output)
{
    setpgid(0, 0);
    limit(RLIMIT_CPU, (rlim_t)p->cpu_s);
    limit(RLIMIT_AS, p->memory_bytes);
    signals_enter_child();
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        return errno;
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    execvpe(argv[0], argv, environment);
    return errno;
}

// The child shares our memory until it becomes the program; we wait meanwhile. A fork would copy
// all page tables: with 1 GB mapped it takes 50 ms instead of 2.
static bool start(struct running *r, struct error *err)
{
    const struct process *p = r->process;
    int ends[2];
    volatile int trouble = 0;
    if (pipe2(ends, O_CLOEXEC))
        return error_set(err, "cannot run '%s': %s", p->command[0], g_strerror(errno));
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    for (char *const *word = p->command; *word; word++) g_ptr_array_add(argv, *word);
    for (const char *const *word = p->arguments; *word; word++)
        g_ptr_array_add(argv, (gpointer)*word);
    g_ptr_array_add(argv, NULL);
    g_auto(GStrv) environment =
        p->environment ? g_strdupv((char **)p->environment) : g_get_environ();
    environment = g_environ_setenv(environment, "LC_ALL", "C", TRUE);
    if (p->folder) environment = g_environ_setenv(environment, "TMPDIR", p->folder, TRUE);
    r->pid = vfork();
    if (!r->pid) {
        trouble = become(p, (char **)argv->pdata, environment, ends[1]);
        _exit(127);
    }
    if (r->pid < 0) trouble = errno;
    close(ends[1]);
    r->output = ends[0];
    if (!trouble) return true;
    if (r->pid > 0) waitpid(r->pid, NULL, 0);
    close(ends[0]);
    return error_set(err, "cannot run '%s': %s", p->command[0], g_strerror(trouble));
}

static void look(struct running *r)
{
    if (!r->is_over) r->is_over = waitpid(r->pid, &r->status, WNOHANG) == r->pid;
}

// Reads the available output, or waits for a moment if there is none. False: no more will come.
static bool listen_once(struct running *r)
{
    char bytes[4096];
    struct pollfd one = {.fd = r->output, .events = POLLIN};
    if (poll(&one, 1, r->is_over ? 0 : TICK_MS) <= 0) return !r->is_over;
    const ssize_t got = read(r->output, bytes, sizeof bytes);
    const size_t most = r->process->max_output ? r->process->max_output : PROCESS_MAX_OUTPUT;
    if (got > 0 && r->said->len < most) g_string_append_len(r->said, bytes, got);
    return got > 0;
}

bool process_run(const struct process *p, char **output, struct error *err)
{
    struct running r = {.process = p};
    const char *why = NULL;
    *output = NULL;
    if (!start(&r, err)) return false;
    r.limit =
        (struct own_time_limit){.group = r.pid, .limit_us = (int64_t)(p->limit_s * G_USEC_PER_SEC)};
    r.said = g_string_new(NULL);
    int nap_us = 100;  // a program that has closed its output has mostly ended, too
    for (bool is_open = true; !why && (is_open || !r.is_over);) {
        look(&r);
        if (is_open) {
            is_open = listen_once(&r);
        } else if (!r.is_over) {
            g_usleep((gulong)nap_us);
            nap_us = MIN(2 * nap_us, TICK_MS * 1000);
        }
        if (r.is_over) continue;
        if (p->cancel && atomic_load(p->cancel))
            why = "it was cancelled";
        else if (signals_came())
            why = "the program is ending";
        else if (own_time_is_over(&r.limit))
            why = "it does not come back";
    }
    if (why) {
        kill(-r.pid, SIGTERM);
        for (gint64 left_us = GRACE_US; left_us > 0 && !r.is_over; left_us -= TICK_MS * 1000) {
            g_usleep(TICK_MS * 1000);
            look(&r);
        }
        kill(-r.pid, SIGKILL);
        while (!r.is_over && waitpid(r.pid, &r.status, 0) < 0 && errno == EINTR) continue;
        error_set(err, "'%s' was stopped: %s", p->command[0], why);
    }
    close(r.output);
    *output = g_string_free(r.said, why != NULL);
    return !why && g_spawn_check_wait_status(r.status, NULL);
}

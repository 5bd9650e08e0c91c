#include "grade/proctor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_time.h"
#include "base/signals.h"
#include "base/wall.h"

// Of the process's own time. Only a process that waits gets so far: the sandbox limits its
// processor's time.
static const int64_t PATIENCE_US = 600 * G_USEC_PER_SEC;
static const double TRIAL_S = 10, LOAD_S = 5;  // of a processor's time

// ---- the process ----

static void enter_child(gpointer unused)
{
    (void)unused;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // so that it may stop a compiler
    signals_enter_child();
}

static bool spawn(struct proctor *p, const char *program, int memory, struct error *err)
{
    const struct submission *s = p->submission;
    const char *const argv[] = {program,
                                "--grade-worker",
                                s->folder,
                                s->filter.name,
                                s->name,
                                p->variant->name,
                                s->may_be_open ? "open" : "shut",
                                NULL};
    const int target = WIRE_MEMORY_FD;
    g_auto(GStrv) environment = wire_environment(
        s,
        "PATH CC TILESCOPE_KERNEL_FLAGS LD_LIBRARY_PATH ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS");
    const char *const work = g_environ_getenv(environment, "TMPDIR");
    environment = g_environ_setenv(environment, "TILESCOPE_CACHE", work, TRUE);
    environment = g_environ_setenv(environment, "TILESCOPE_THREADS", "1", TRUE);
    environment = g_environ_setenv(environment, "LC_ALL", "C.UTF-8", TRUE);
    environment = g_environ_setenv(environment, "CCACHE_DISABLE", "1", TRUE);  // it opens files
    g_autoptr(GError) why = NULL;
    const bool is_started = g_spawn_async_with_pipes_and_fds(
        s->folder, argv, (const char *const *)environment,
        G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, enter_child, NULL, -1, -1, -1,
        &memory, &target, 1, &p->pid, &p->to, &p->from, NULL, &why);
    if (!is_started) error_set(err, "cannot run the submission: %s", why->message);
    return is_started;
}

struct proctor *proctor_start(const char *program, const struct submission *s,
                              const struct variant *variant, struct error *err)
{
    const size_t bytes = 2 * (size_t)WIRE_HALF;
    struct proctor *p = g_new0(struct proctor, 1);
    void *shared = MAP_FAILED;
    *p = (struct proctor){.submission = s, .variant = variant, .to = -1, .from = -1};
    p->trial_s = s->trial_s > 0 ? s->trial_s : TRIAL_S;
    p->payload = g_byte_array_new();
    signal(SIGPIPE, SIG_IGN);
    const int memory = memfd_create("tilescope-grade", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory >= 0 && !ftruncate(memory, (off_t)bytes) &&
        fcntl(memory, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) >= 0)
        shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    bool is_started = shared != MAP_FAILED;
    if (is_started) {
        p->before = shared;
        p->after = p->before + WIRE_HALF;
        is_started = spawn(p, program, memory, err);
    } else {
        error_set(err, "cannot share memory: %s", g_strerror(errno));
    }
    if (memory >= 0) close(memory);
    if (is_started) return p;
    proctor_stop(p);
    return NULL;
}

// Waits a moment for the process to end, then kills it. is_asked: a signal asks it to end, so that
// it can stop its compiler.
static void end_process(struct proctor *p, bool is_asked)
{
    enum { MOMENTS = 100, MOMENT_US = 10000 };
    int status = 0;
    bool has_ended = false;
    if (!p->pid) return;
    if (is_asked) kill(p->pid, SIGTERM);
    for (int i = 0; i < MOMENTS && !has_ended; i++) {
        has_ended = waitpid(p->pid, &status, WNOHANG) == p->pid;
        if (!has_ended) g_usleep(MOMENT_US);
    }
    if (!has_ended) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, &status, 0);
    }
    p->pid = 0;
    p->is_over = true;
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    p->why = number == SIGSYS ? "it asked the operating system for something, which no kernel does"
             : number == SIGXCPU ? "it took too much time"
             : number == SIGXFSZ ? "it wrote too large a file"
             : number == SIGKILL ? "it was stopped: it took too much time or memory"
             : number            ? "its process crashed"
                                 : "its process ended by itself";
}

// The process has closed its end of the pipe: it is about to end, or pretends to.
static bool fail(struct proctor *p, struct error *err)
{
    end_process(p, false);
    return error_set(err, "%s", p->why);
}

void proctor_stop(struct proctor *p)
{
    if (!p) return;
    if (p->to >= 0) close(p->to);
    end_process(p, true);
    if (p->from >= 0) close(p->from);
    if (p->before) munmap(p->before, 2 * (size_t)WIRE_HALF);
    g_byte_array_unref(p->payload);
    g_free(p);
}

// ---- messages ----

static bool give_up(struct proctor *p, const char *why, struct error *err)
{
    end_process(p, true);
    return error_set(err, "%s", why);
}

// The time that the process has had of a processor, which does not depend on what else runs.
static double used_s(const struct proctor *p)
{
    clockid_t clock;
    return clock_getcpuclockid(p->pid, &clock) ? 0 : 1e-3 * wall_clock_ms(clock);
}

// Reads so many bytes, unless the process ends or takes too long.
static bool read_bytes(struct proctor *p, void *to, size_t bytes, struct own_time_limit *limit,
                       struct error *err)
{
    enum { TICK_MS = 100 };
    for (unsigned char *at = to; bytes;) {
        struct pollfd one = {.fd = p->from, .events = POLLIN};
        if (signals_came()) return give_up(p, "cancelled", err);
        if (own_time_is_over(limit)) return give_up(p, "it does not come back", err);
        if (p->end_s > 0 && used_s(p) > p->end_s) {
            end_process(p, true);
            return error_set(err, "it was stopped after %g s of a processor's time", p->limit_s);
        }
        if (poll(&one, 1, TICK_MS) <= 0) continue;
        const ssize_t got = read(p->from, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail(p, err);
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

// ---- what a trial sends ----

static bool is_event(const struct trace_event *e)
{
    return e->kind <= TRACE_ATOMIC && e->space <= TRACE_TEXTURE && e->is_wild <= 1 &&
           (e->kind == TRACE_FLOW || e->address <= UINT64_MAX - 16) &&
           (e->kind == TRACE_FLOW || e->bytes == 1 || e->bytes == 2 || e->bytes == 4 ||
            e->bytes == 8 || e->bytes == 16);
}

static bool take_block(struct proctor *p, uint64_t bytes, struct inspection *i)
{
    const struct wire_block *b = (const void *)p->payload->data;
    if (bytes < sizeof *b) return false;
    struct trace_block block = b->block;
    block.threads = p->threads;
    if (block.width != p->config.block_width || block.height != p->config.block_height ||
        block.layers < 1 || block.height % block.layers || block.shared_bytes > WIRE_MAX_SHARED ||
        block.static_bytes > block.shared_bytes)
        return false;
    uint64_t events = 0;
    for (int t = 0; t < block.width * block.height; t++) events += b->events[t];
    if (events * sizeof(struct trace_event) != bytes - sizeof *b) return false;
    const struct trace_event *at = (const void *)(p->payload->data + sizeof *b);
    for (int t = 0; t < block.width * block.height; t++) {
        p->threads[t] = (struct trace_thread){at, b->events[t]};
        for (const struct trace_event *const end = at + b->events[t]; at < end; at++)
            if (!is_event(at)) return false;
    }
    if (i) inspection_take_block(i, &block);
    return true;
}

static bool take_pass(struct proctor *p, uint64_t bytes, struct inspection *i)
{
    enum { MAX_GRID = 1 << 24 };
    const uint64_t max_blocks = (uint64_t)1 << 48;  // so that products of them do not overflow
    const bool has_picture = filter_has_picture(&p->submission->filter);
    const struct launch_config *c = (const void *)p->payload->data;
    if (bytes != sizeof *c || c->grid_width < 1 || c->grid_width > MAX_GRID || c->grid_height < 1 ||
        c->grid_height > MAX_GRID || c->block_width < 1 || c->block_width > WIRE_MAX_THREADS ||
        c->block_height < 1 || c->block_height > WIRE_MAX_THREADS / c->block_width ||
        c->grid_depth < 1 || c->grid_depth > (has_picture ? PLANES_MAX_PLANES : MAX_GRID) ||
        c->block_depth < 1 || c->block_height % c->block_depth != 0 ||
        (has_picture && c->block_depth > 1) ||
        (uint64_t)c->grid_width * (uint64_t)c->grid_height > max_blocks / (uint64_t)c->grid_depth)
        return false;
    p->config = *c;
    if (i) inspection_take_pass(i, c);
    return true;
}

static bool take_memory(const struct proctor *p, uint64_t bytes, struct inspection *i)
{
    struct wire_memory list[WIRE_MAX_MEMORY];
    const uint64_t count = bytes / sizeof *list;
    if (count > WIRE_MAX_MEMORY || count * sizeof *list != bytes) return false;
    memcpy(list, p->payload->data, bytes);
    for (uint64_t k = 0; k < count; k++) {
        list[k].name[FILTER_NAME - 1] = '\0';
        if (list[k].bytes > WIRE_HALF) return false;
    }
    if (i) inspection_take_memory(i, list, (int)count);
    return true;
}

// Asks, and takes messages until the answer, which is then in p->payload. limit_s: for a question
// that may run the submission's code; 0: it does not.
static bool ask(struct proctor *p, double limit_s, enum wire_kind kind, const void *payload,
                size_t bytes, struct inspection *i, struct error *err)
{
    const uint64_t most =
        sizeof(struct wire_block) +
        ((uint64_t)WIRE_MAX_EVENTS + WIRE_MAX_THREADS * 64) * sizeof(struct trace_event) * 2;
    struct wire_head head = {.kind = WIRE_FAILED};
    struct own_time_limit limit = {.group = p->pid, .limit_us = PATIENCE_US};
    if (p->is_over) return error_set(err, "%s", p->why);
    p->limit_s = limit_s;
    p->end_s = limit_s > 0 ? used_s(p) + limit_s : 0;
    if (!wire_send(p->to, kind, payload, bytes)) return fail(p, err);
    for (;;) {
        if (!read_bytes(p, &head, sizeof head, &limit, err)) return false;
        if (head.bytes > most) return give_up(p, "its process sends nonsense", err);
        g_byte_array_set_size(p->payload, (guint)head.bytes + 1);
        if (!read_bytes(p, p->payload->data, head.bytes, &limit, err)) return false;
        p->payload->data[head.bytes] = '\0';
        if (head.kind == WIRE_DONE || head.kind == WIRE_CHAINS) return true;
        if (head.kind == WIRE_FAILED) break;
        const bool is_taken =
            kind == WIRE_RUN && (head.kind == WIRE_BLOCK    ? take_block(p, head.bytes, i)
                                 : head.kind == WIRE_PASS   ? take_pass(p, head.bytes, i)
                                 : head.kind == WIRE_MEMORY ? take_memory(p, head.bytes, i)
                                                            : false);
        if (!is_taken) return give_up(p, "its process sends nonsense", err);
    }
    return error_set_log(err, (const char *)p->payload->data);
}

// Loading has a limit, because it may run functions of the submission.
bool proctor_load(struct proctor *p, char *note, size_t size, struct error *err)
{
    if (!ask(p, CLAMP(p->trial_s, 1, LOAD_S), WIRE_LOAD, "", 0, NULL, err)) return false;
    g_strlcpy(note, (const char *)p->payload->data, size);
    return true;
}

bool proctor_run(struct proctor *p, const struct trial *trial, struct inspection *i,
                 struct error *err)
{
    struct trial told = *trial;
    told.seed = 0;
    told.is_counted = false;
    p->config = (struct launch_config){.block_width = 0};
    return ask(p, p->trial_s, WIRE_RUN, &told, sizeof told, i, err);
}

bool proctor_find_lines(const char *program, const struct submission *s,
                        const struct variant *variant, const unsigned int *sites, int count,
                        struct trace_chain *chains)
{
    const size_t bytes = sizeof *chains * (size_t)count;
    struct proctor *p = proctor_start(program, s, variant, NULL);
    const bool is_found = p &&
                          ask(p, 0, WIRE_LINES, sites, sizeof *sites * (size_t)count, NULL, NULL) &&
                          p->payload->len == bytes + 1;
    if (is_found) memcpy(chains, p->payload->data, bytes);
    for (int i = 0; is_found && i < count; i++) {
        chains[i].count = CLAMP(chains[i].count, 0, TRACE_MAX_PLACES);
        for (int k = 0; k < chains[i].count; k++)
            chains[i].places[k].file[sizeof chains->places->file - 1] = '\0';
    }
    proctor_stop(p);
    return is_found;
}

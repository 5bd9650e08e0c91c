#include "device/cpu/emulator.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/own_time.h"
#include "device/cpu/emulated_block.h"
#include "device/trace.h"

enum { MAX_WORKERS = 256, CHUNKS_PER_WORKER = 16, COPY_CHUNK_BYTES = 256 * 1024, MOST_AS_ONE = 16 };
enum { NICER = 5 };  // Linux gives such a thread a third of what another one gets

struct worker {
    struct emulator *emulator;
    struct emulated_block *block;
    GThread *thread;  // NULL: the caller's thread
    pthread_t id;
    bool is_there;  // id is a thread that a signal can reach
    struct own_time_thread to_look_at;
    struct own_time own;
    atomic_bool is_busy;   // it works on a job
    atomic_ullong blocks;  // run so far; only this worker writes it
};

// All workers do a job together. Each takes the next chunk until there is none.
struct job {
    void (*work)(struct worker *w);
    const struct emulator_launch *launch;
    atomic_bool *cancel;
    unsigned char *to;
    const unsigned char *from;
    size_t first;         // index of the first block
    size_t total, chunk;  // blocks or bytes
    atomic_size_t next;
    atomic_bool has_failed;
};

struct emulator {
    struct worker workers[MAX_WORKERS];
    int count;
    struct job job;

    GMutex lock;
    GCond begin, end;
    struct error failure;  // the first one in the job
    unsigned round;        // how many jobs so far
    int busy;              // threads that still work on this job
    bool is_closing;

    GMutex looking;  // protects the workers' own times and these two
    gint64 looked_us, own_us;
};

// ---- what a worker does ----

static bool take_chunk(struct job *job, size_t *begin, size_t *end)
{
    *begin = atomic_fetch_add(&job->next, job->chunk);
    *end = MIN(*begin + job->chunk, job->total);
    return *begin < job->total;
}

static bool is_cancelled(const struct job *job)
{
    return job->cancel && atomic_load_explicit(job->cancel, memory_order_relaxed);
}

static void work_launch(struct worker *w)
{
    struct emulator *e = w->emulator;
    struct job *job = &e->job;
    bool is_last = false, is_over = false;
    const struct trace *const trace = job->launch->what->trace;
    if (trace && w - e->workers >= (trace->workers ? trace->workers : TRACE_MAX_WORKERS)) return;
    emulated_block_enter(w->block, job->launch, job->cancel);
    for (size_t begin, end; !is_over && take_chunk(job, &begin, &end);)
        for (size_t i = begin, count; i < end; i += count) {
            struct error why;
            count = end - i;
            is_over = is_cancelled(job) || atomic_load(&job->has_failed);
            if (is_over) break;
            if (!emulated_block_run(w->block, job->first + i, &count, &is_last, &why)) {
                G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&e->lock);
                if (!atomic_exchange(&job->has_failed, true)) e->failure = why;
                is_over = true;
                break;
            }
            atomic_store_explicit(&w->blocks, w->blocks + count, memory_order_relaxed);
            if (is_last) atomic_store(job->cancel, true);
        }
    emulated_block_leave(w->block);
}

static void work_copy(struct worker *w)
{
    struct job *job = &w->emulator->job;
    size_t begin, end;
    while (take_chunk(job, &begin, &end)) memcpy(job->to + begin, job->from + begin, end - begin);
}

// Linux takes process 0 for the calling thread only.
static void work_give_way(struct worker *w)
{
    (void)w;
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER);
}

// ---- the pool ----

static void work(struct worker *w)
{
    atomic_store(&w->is_busy, true);
    w->emulator->job.work(w);
    atomic_store(&w->is_busy, false);
}

static void set_to_look_at(struct worker *w)
{
    const struct own_time_thread own = own_time_thread();
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&w->emulator->looking);
    if (own.id != w->to_look_at.id) w->own.most_us = 0;  // the last look was at another thread
    w->to_look_at = own;
}

static gpointer pool_main(gpointer data)
{
    struct worker *w = data;
    struct emulator *e = w->emulator;
    unsigned seen = 0;
    set_to_look_at(w);
    g_mutex_lock(&e->lock);
    w->id = pthread_self();
    w->is_there = true;
    for (;;) {
        while (e->round == seen && !e->is_closing) g_cond_wait(&e->begin, &e->lock);
        if (e->is_closing) break;
        seen = e->round;
        g_mutex_unlock(&e->lock);
        work(w);
        g_mutex_lock(&e->lock);
        if (--e->busy == 0) g_cond_signal(&e->end);
    }
    w->is_there = false;
    g_mutex_unlock(&e->lock);
    return NULL;
}

// Does the job on all threads, or on this one if there is one chunk only.
static void do_job(struct emulator *e)
{
    atomic_store(&e->job.next, 0);
    atomic_store(&e->job.has_failed, false);
    const bool is_shared = e->count > 1 && e->job.total > e->job.chunk;
    if (is_shared) {
        g_mutex_lock(&e->lock);
        e->busy = e->count - 1;
        e->round++;
        g_cond_broadcast(&e->begin);
        g_mutex_unlock(&e->lock);
    }
    work(&e->workers[0]);
    if (!is_shared) return;
    g_mutex_lock(&e->lock);
    while (e->busy) g_cond_wait(&e->end, &e->lock);
    g_mutex_unlock(&e->lock);
}

struct emulator *emulator_create(int threads)
{
    // The handlers stay for the life of the process, because a signal may still arrive. The mask is
    // left as it is, because a handler may leave by a jump.
    struct sigaction before, action = {.sa_sigaction = emulated_block_interrupt,
                                       .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGURG, &action, NULL);
    action.sa_sigaction = emulated_block_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    // A signal that somebody else handles, such as a sanitizer, stays theirs.
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++)
        if (sigaction(faults[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(faults[i], &action, NULL);
    if (threads <= 0) threads = (int)g_get_num_processors();
    struct emulator *e = g_new0(struct emulator, 1);
    g_mutex_init(&e->lock);
    g_mutex_init(&e->looking);
    g_cond_init(&e->begin);
    g_cond_init(&e->end);
    for (; e->count < MIN(threads, MAX_WORKERS); e->count++) {
        struct worker *w = &e->workers[e->count];
        w->emulator = e;
        w->block = emulated_block_create(e->count);
        if (w->block && e->count > 0) w->thread = g_thread_try_new("emulator", pool_main, w, NULL);
        if (w->block && (e->count == 0 || w->thread)) continue;
        emulated_block_destroy(w->block);
        break;
    }
    if (e->count > 0) return e;
    emulator_destroy(e);
    return NULL;
}

void emulator_destroy(struct emulator *e)
{
    if (!e) return;
    g_mutex_lock(&e->lock);
    e->is_closing = true;
    g_cond_broadcast(&e->begin);
    g_mutex_unlock(&e->lock);
    for (int i = 0; i < e->count; i++) {
        if (e->workers[i].thread) g_thread_join(e->workers[i].thread);
        emulated_block_destroy(e->workers[i].block);
    }
    g_mutex_clear(&e->lock);
    g_mutex_clear(&e->looking);
    g_cond_clear(&e->begin);
    g_cond_clear(&e->end);
    g_free(e);
}

int emulator_threads(const struct emulator *e)
{
    return e->count;
}

static void set_caller(struct emulator *e, bool is_there)
{
    set_to_look_at(&e->workers[0]);
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&e->lock);
    e->workers[0].id = pthread_self();
    e->workers[0].is_there = is_there;
}

bool emulator_run(struct emulator *e, const struct emulator_launch *l, atomic_bool *cancel,
                  struct error *err)
{
    const struct launch_config *config = &l->what->config;
    assert(config->block_width * config->block_height <= EMULATOR_MAX_THREADS);
    assert(config->shared_bytes <= EMULATOR_MAX_SHARED_BYTES);
    const size_t columns = (size_t)config->grid_width, rows = (size_t)config->grid_height;
    const struct trace *const t = l->what->trace;
    const bool is_one = t && t->only_x >= 0;
    const size_t blocks = is_one ? 1 : columns * rows * (size_t)MAX(config->grid_depth, 1);
    e->job.first = is_one ? (size_t)t->only_y * columns + (size_t)t->only_x : 0;
    e->job.work = work_launch;
    e->job.launch = l;
    e->job.cancel = cancel;
    e->job.total = blocks;
    e->job.chunk = MAX(1, blocks / ((size_t)e->count * CHUNKS_PER_WORKER));
    size_t as_one = MOST_AS_ONE;  // blocks that a rewritten kernel may run as one
    while (as_one > e->job.chunk) as_one /= 2;
    e->job.chunk -= e->job.chunk % as_one;
    set_caller(e, true);
    do_job(e);
    set_caller(e, false);
    if (e->job.has_failed) return error_set(err, "%s", e->failure.text);
    return !is_cancelled(&e->job) || error_set(err, "%s: cancelled", l->name);
}

static void signal_all(struct emulator *e, int value)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&e->lock);
    for (int i = 0; i < e->count; i++)
        if (e->workers[i].is_there)
            pthread_sigqueue(e->workers[i].id, SIGURG, (union sigval){.sival_int = value});
}

void emulator_interrupt(struct emulator *e)
{
    signal_all(e, 0);
}

// ---- the threads' own time ----

// A look reads a file for each thread.
struct backend_work emulator_work(struct emulator *e)
{
    enum { LOOK_US = 20000, MOST_US = 100000 };  // far more than the time between two looks
    struct backend_work all = {.blocks = 0};
    g_mutex_lock(&e->looking);
    const gint64 now = g_get_monotonic_time();
    if (now - e->looked_us >= LOOK_US) {
        gint64 most_us = 0;
        for (int i = 0; i < e->count; i++) {
            struct worker *const w = &e->workers[i];
            if (!w->to_look_at.id) continue;
            struct own_time_look look = own_time_look(w->to_look_at);
            // A thread that waits for work adds nothing.
            look.is_waiting &= atomic_load(&w->is_busy) && !emulated_block_is_frozen(w->block);
            w->own.most_us = MOST_US;
            const gint64 us = own_time_add(&w->own, look);
            most_us = MAX(most_us, us);
        }
        e->own_us += most_us;
        e->looked_us = now;
    }
    all.own_ms = 1e-3 * (double)e->own_us;
    g_mutex_unlock(&e->looking);
    for (int i = 0; i < e->count; i++)
        all.blocks += atomic_load_explicit(&e->workers[i].blocks, memory_order_relaxed);
    return all;
}

void emulator_freeze(struct emulator *e)
{
    enum { MOMENT_US = 1000, MOST_MS = 500 };
    const double begin_ms = emulator_work(e).own_ms;
    for (;;) {
        bool is_at_rest = true;
        for (int i = 0; i < e->count; i++)
            is_at_rest &= emulated_block_is_at_rest(e->workers[i].block);
        if (is_at_rest || emulator_work(e).own_ms - begin_ms >= MOST_MS) return;
        signal_all(e, EMULATED_FREEZE);
        g_usleep(MOMENT_US);
    }
}

void emulator_copy(struct emulator *e, void *to, const void *from, size_t bytes)
{
    e->job.work = work_copy;
    e->job.to = to;
    e->job.from = from;
    e->job.total = bytes;
    e->job.chunk = COPY_CHUNK_BYTES;
    do_job(e);
}

void emulator_give_way(struct emulator *e)
{
    e->job.work = work_give_way;
    e->job.total = (size_t)e->count;
    e->job.chunk = 1;
    do_job(e);
}

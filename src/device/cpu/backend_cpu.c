// The queue is a ring of work, and one thread does the work in order. Kernels run on the emulator's
// pool. This file is long because the queue and its memory share one lock.
#include "device/backend_impl.h"

#include <glib.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/wall.h"
#include "device/cpu/compiler.h"
#include "device/cpu/emulator.h"
#include "device/cpu/fault.h"
#include "device/cpu/guarded.h"
#include "device/cpu/rewrite.h"
#include "device/cpu/trace_hooks.h"
#include "device/device_text.h"

enum { RING = 256 };

enum op_kind { OP_LAUNCH, OP_COPY, OP_FILL, OP_MARK, OP_GIVE_WAY };

struct op {
    enum op_kind kind;
    struct launch launch;
    _Alignas(16) unsigned char params[BACKEND_MAX_ARGUMENT_BYTES];
    _Alignas(16) unsigned char arrays[BACKEND_MAX_ARGUMENT_BYTES];
    struct launch_array guarded[BACKEND_MAX_GUARDED];
    void *to;
    const void *from;
    size_t bytes;
    int byte, mark;
};

struct cpu {
    struct backend backend;
    struct emulator *emulator;
    struct compiler *compiler;  // NULL: there is none, and no_compiler says why
    struct error no_compiler;
    struct compiler *tracing;  // for traced modules; NULL until the first one

    GThread *thread;
    GMutex lock;
    GCond changed;         // work was queued or done
    struct op ring[RING];  // work n lies in ring[n % RING]
    guint64 queued, done;  // how many pieces of work, ever
    bool is_launching;     // the next piece is a launch that is not dropped
    guint64 cancelled;     // launches up to this one are dropped
    atomic_bool cancel;    // the running one shall stop
    double cancelled_ms;   // own time (emulator_work) at the request
    gint64 interrupted_us;
    atomic_bool has_hung;  // a launch did not end; memory it may use is never released
    GArray *memory;        // struct emulator_range: the allocated memory
    struct launch_array guarded[BACKEND_MAX_GUARDED];  // whose gaps are closed
    double passed_ms[BACKEND_MARKS];
    int pending[BACKEND_MARKS];  // how often each mark is in the queue
    bool has_failed, is_closing;
    struct error failure;
};

static struct cpu *cpu_of(struct backend *b)
{
    return (struct cpu *)b;
}

// ---- facts ----

static int thread_count(void)
{
    const char *chosen = g_getenv("TILESCOPE_THREADS");
    const int threads = chosen ? atoi(chosen) : 0;
    return threads > 0 ? threads : (int)g_get_num_processors();
}

static void describe(struct device *d, int threads, const struct compiler *compiler)
{
    g_autofree char *text = NULL;
    char *model = NULL;
    if (g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL)) model = strstr(text, "model name");
    if (model) model = strchr(model, ':');
    if (model) model[strcspn(model, "\n")] = '\0';
    *d = (struct device){
        .id = "cpu",
        .multiprocessors = threads,
        .max_threads = EMULATOR_MAX_THREADS,
        .max_block_width = EMULATOR_MAX_THREADS,
        .max_block_height = EMULATOR_MAX_THREADS,
        .max_grid_width = G_MAXINT,
        .max_grid_height = G_MAXINT,
        .max_shared_bytes = EMULATOR_MAX_SHARED_BYTES,
    };
    g_snprintf(d->name, sizeof d->name, "%.79s (%d thread%s)",
               model ? g_strstrip(model + 1) : "CPU", threads, threads == 1 ? "" : "s");
    g_strlcpy(d->driver, compiler ? compiler_version(compiler) : "no C++ compiler",
              sizeof d->driver);
}

static int cpu_list(struct device *devices, int max, struct error *err)
{
    if (max < 1) return error_set(err, "no room");
    struct compiler *compiler = compiler_find(false, NULL);
    describe(devices, thread_count(), compiler);
    compiler_free(compiler);
    return 1;
}

// ---- the thread behind the queue ----

// If the system refuses, as it has a limit of mappings, accesses to a gap are not noticed.
static void protect_gaps(const struct launch_array *arrays, int protection)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (const struct launch_array *a = arrays; a < arrays + BACKEND_MAX_GUARDED; a++) {
        const uintptr_t behind = (uintptr_t)a->start + a->bytes;
        const uintptr_t from = guarded_round_up(behind, page),
                        to = (behind + a->gap_bytes) / page * page;
        if (to > from) (void)mprotect((void *)from, to - from, protection);
    }
}

// Closes the whole pages of the gaps behind these arrays and opens all others. They stay closed for
// a next launch with the same arrays, because a change takes as long as a small kernel.
static void close_gaps(struct cpu *c, const struct launch_array *arrays)
{
    if (!memcmp(c->guarded, arrays, sizeof c->guarded)) return;
    protect_gaps(c->guarded, PROT_READ | PROT_WRITE);
    protect_gaps(arrays, PROT_NONE);
    memcpy(c->guarded, arrays, sizeof c->guarded);
}

static void open_gaps(struct cpu *c)
{
    static const struct launch_array none[BACKEND_MAX_GUARDED];
    close_gaps(c, none);
}

static void do_launch(struct cpu *c, const struct op *op, bool is_dropped)
{
    const struct launch *l = &op->launch;
    const struct object *o = object_of(l->module);
    struct error why = {""};
    g_mutex_lock(&c->lock);
    GArray *memory = l->trace ? g_array_copy(c->memory) : NULL;
    g_mutex_unlock(&c->lock);
    const struct emulator_launch run = {
        .name = o->names[l->entry],
        .kernel = o->kernels[l->entry],
        .object = o,
        .what = l,
        .memory = memory,
    };
    const bool is_done = !is_dropped && emulator_run(c->emulator, &run, &c->cancel, &why);
    if (memory) g_array_unref(memory);
    if (is_done) return;
    g_mutex_lock(&c->lock);
    if (!is_dropped && !atomic_load(&c->cancel)) {
        c->has_failed = true;
        c->failure = why;
    } else if (l->is_cut && !c->has_hung) {
        // If the queue has hung, its caller may have given up and freed the flag.
        atomic_store(l->is_cut, true);
    }
    g_mutex_unlock(&c->lock);
}

static gpointer queue_main(gpointer data)
{
    struct cpu *c = data;
    g_mutex_lock(&c->lock);
    for (;;) {
        while (c->done == c->queued && !c->is_closing) g_cond_wait(&c->changed, &c->lock);
        if (c->done == c->queued) break;
        const bool is_dropped = c->done < c->cancelled || c->has_failed;
        const struct op *op = &c->ring[c->done % RING];
        if (!is_dropped) atomic_store(&c->cancel, false);
        c->is_launching = op->kind == OP_LAUNCH && !is_dropped;
        g_mutex_unlock(&c->lock);
        if (op->kind != OP_MARK && !is_dropped) close_gaps(c, op->guarded);
        switch (op->kind) {
        case OP_LAUNCH:
            do_launch(c, op, is_dropped);
            break;
        case OP_COPY:
            emulator_copy(c->emulator, op->to, op->from, op->bytes);
            break;
        case OP_FILL:
            memset(op->to, op->byte, op->bytes);
            break;
        case OP_MARK:
            g_mutex_lock(&c->lock);
            c->passed_ms[op->mark] = wall_ms();
            c->pending[op->mark]--;
            g_mutex_unlock(&c->lock);
            break;
        case OP_GIVE_WAY:
            emulator_give_way(c->emulator);
            break;
        }
        g_mutex_lock(&c->lock);
        c->is_launching = false;
        c->done++;
        g_cond_broadcast(&c->changed);
    }
    g_mutex_unlock(&c->lock);
    return NULL;
}

static bool refuse_if_failed(struct cpu *c, struct error *err)
{
    return !c->has_failed || error_set(err, "%s", c->failure.text);
}

// Interrupts a cancelled launch again if it still runs: the last signal may have come while it was
// outside of its kernel's code. After PATIENCE_MS of own time it must be waiting in a library. It
// is then frozen, because the caller takes back the memory that the launch borrowed. The own time
// is read before the signal, which wakes threads: a woken thread does not wait.
static void interrupt_cancelled(struct cpu *c)
{
    enum { EVERY_US = 1000, PATIENCE_MS = 1500 };
    const gint64 now = g_get_monotonic_time();
    if (c->done >= c->cancelled || c->has_hung || !c->is_launching) return;
    if (now - c->interrupted_us < EVERY_US) return;
    c->interrupted_us = now;
    const double own_ms = emulator_work(c->emulator).own_ms - c->cancelled_ms;
    emulator_interrupt(c->emulator);
    if (own_ms <= PATIENCE_MS) return;
    const struct launch *l = &c->ring[c->done % RING].launch;
    c->has_hung = c->has_failed = true;
    emulator_freeze(c->emulator);
    error_set(&c->failure, "%s cannot be stopped: it waits outside its own code",
              object_of(l->module)->names[l->entry]);
}

// Waits under the lock until work is queued or done, and interrupts cancelled work meanwhile.
static void wait_for_change(struct cpu *c)
{
    const gint64 MOMENT_US = 1000;
    if (c->done < c->cancelled)
        g_cond_wait_until(&c->changed, &c->lock, g_get_monotonic_time() + MOMENT_US);
    else
        g_cond_wait(&c->changed, &c->lock);
    interrupt_cancelled(c);
}

// Waits only when the ring is full.
static bool enqueue(struct cpu *c, const struct op *op, struct error *err)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    while (c->queued - c->done == RING && !c->has_hung) wait_for_change(c);
    const bool is_open = refuse_if_failed(c, err);
    if (is_open) {
        struct op *slot = &c->ring[c->queued % RING];
        *slot = *op;
        slot->launch.params = slot->params;
        if (slot->launch.arrays) slot->launch.arrays = slot->arrays;
        slot->launch.guarded = slot->guarded;
        if (op->kind == OP_MARK) c->pending[op->mark]++;
        c->queued++;
        g_cond_broadcast(&c->changed);
    }
    return is_open;
}

static bool cpu_wait(struct backend *b, struct error *err)
{
    struct cpu *c = cpu_of(b);
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    while (c->done != c->queued && !c->has_hung) wait_for_change(c);
    return refuse_if_failed(c, err);
}

static void cpu_rest(struct backend *b, int us)
{
    struct cpu *c = cpu_of(b);
    const gint64 end = g_get_monotonic_time() + us;
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    while (c->done != c->queued && !c->has_hung && g_cond_wait_until(&c->changed, &c->lock, end)) {
    }
}

static enum backend_state cpu_poll(struct backend *b, struct error *err)
{
    struct cpu *c = cpu_of(b);
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    const bool is_well = refuse_if_failed(c, err), is_idle = c->done == c->queued;
    interrupt_cancelled(c);
    return !is_well ? BACKEND_FAILED : is_idle ? BACKEND_IDLE : BACKEND_BUSY;
}

// ---- queued work ----

static bool cpu_launch(struct backend *b, const struct launch *l, struct error *err)
{
    struct op op = {.kind = OP_LAUNCH, .launch = *l};
    memcpy(op.params, l->params, l->params_bytes);
    if (l->arrays) memcpy(op.arrays, l->arrays, l->arrays_bytes);
    for (int i = 0; i < l->guarded_count; i++) op.guarded[i] = l->guarded[i];
    return enqueue(cpu_of(b), &op, err);
}

static bool cpu_copy(struct backend *b, void *to, const void *from, size_t bytes, struct error *err)
{
    return enqueue(cpu_of(b), &(struct op){.kind = OP_COPY, .to = to, .from = from, .bytes = bytes},
                   err);
}

static bool cpu_fill(struct backend *b, void *memory, int byte, size_t bytes, struct error *err)
{
    return enqueue(cpu_of(b),
                   &(struct op){.kind = OP_FILL, .to = memory, .byte = byte, .bytes = bytes}, err);
}

static bool cpu_mark(struct backend *b, int mark, struct error *err)
{
    return enqueue(cpu_of(b), &(struct op){.kind = OP_MARK, .mark = mark}, err);
}

static void cpu_give_way(struct backend *b)
{
    enqueue(cpu_of(b), &(struct op){.kind = OP_GIVE_WAY}, NULL);
}

static bool cpu_elapsed(struct backend *b, int from, int to, double *ms, struct error *err)
{
    struct cpu *c = cpu_of(b);
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    const bool is_passed = c->pending[from] == 0 && c->pending[to] == 0;
    if (is_passed) *ms = c->passed_ms[to] - c->passed_ms[from];
    return is_passed ||
           error_set(err, "cannot read the time between marks %d and %d: not passed", from, to);
}

static struct backend_work cpu_work(struct backend *b)
{
    return emulator_work(cpu_of(b)->emulator);
}

static void cpu_cancel(struct backend *b)
{
    struct cpu *c = cpu_of(b);
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    if (c->done >= c->cancelled) c->cancelled_ms = emulator_work(c->emulator).own_ms;
    c->cancelled = c->queued;
    c->interrupted_us = 0;
    atomic_store(&c->cancel, true);
    interrupt_cancelled(c);
}

// ---- memory ----

enum { AROUND_BYTES = 1 << 20 };  // of address space, where an index that went wrong faults

static bool cpu_alloc(struct backend *b, size_t bytes, void **memory, struct error *err)
{
    void *made = guarded_alloc(bytes, AROUND_BYTES);
    if (!made) return error_set(err, "cannot allocate %zu B of memory", bytes);
    const struct emulator_range range = {
        .start = (uintptr_t)made, .bytes = bytes, .as = (uintptr_t)made, .space = TRACE_GLOBAL};
    struct cpu *c = cpu_of(b);
    g_mutex_lock(&c->lock);
    g_array_append_val(c->memory, range);
    g_mutex_unlock(&c->lock);
    *memory = made;
    return true;
}

static void cpu_free(struct backend *b, void *memory)
{
    struct cpu *c = cpu_of(b);
    cpu_wait(b, NULL);
    if (c->has_hung) return;
    open_gaps(c);
    g_mutex_lock(&c->lock);
    for (guint i = c->memory->len; i-- > 0;)
        if (g_array_index(c->memory, struct emulator_range, i).start == (uintptr_t)memory)
            g_array_remove_index_fast(c->memory, i);
    g_mutex_unlock(&c->lock);
    guarded_free(memory);
}

static bool cpu_move(struct backend *b, void *to, const void *from, size_t bytes, struct error *err)
{
    if (!cpu_wait(b, err)) return false;
    open_gaps(cpu_of(b));
    memcpy(to, from, bytes);
    return true;
}

// ---- kernels ----

static char **cpu_compiler_files(struct error *err)
{
    struct compiler *compiler = compiler_find(true, err);
    char **files = compiler ? compiler_files(compiler, err) : NULL;
    compiler_free(compiler);
    return files;
}

static char *cpu_rewrite(const struct build *build, const struct headers *headers, char ***kept,
                         char ***where)
{
    OWNED(rewritten_finish) struct rewritten w;
    g_autofree char *own = device_text(build->source, build->calls, headers);
    rewrite(&w, own, build->calls, headers);
    rewritten_tell_refusal(&w, own);
    *kept = g_steal_pointer(&w.kept);
    if (where && *w.names) *where = g_steal_pointer(&w.where);
    return g_strconcat(w.text, w.calls, NULL);
}

static struct module *cpu_compile(struct backend *b, const struct build *build,
                                  const struct headers *headers, struct error *err)
{
    struct cpu *c = cpu_of(b);
    struct build_code code;
    if (!c->compiler && !build->is_traced) {
        error_set(err, "%s", c->no_compiler.text);
        return NULL;
    }
    if (build->is_traced && !c->tracing && !(c->tracing = compiler_find(true, err))) return NULL;
    bool is_fast = build->is_fast && !build->is_traced && build->calls;
    // The rewritten text may not compile.
    if (is_fast && !compiler_make(c->compiler, build, headers, &code, NULL)) is_fast = false;
    struct build plain = *build;
    plain.is_fast = false;
    if (!is_fast &&
        !compiler_make(build->is_traced ? c->tracing : c->compiler, &plain, headers, &code, err))
        return NULL;
    struct object *o = object_load(&code, build, err);
    g_free(code.bytes);
    if (!o) return NULL;
    o->module.is_fast = is_fast;
    return &o->module;
}

static bool is_queued(const struct cpu *c, const struct module *m)
{
    for (guint64 n = c->done; n < c->queued; n++) {
        const struct op *op = &c->ring[n % RING];
        if (op->kind == OP_LAUNCH && op->launch.module == m) return true;
    }
    return false;
}

// Does not wait for launches of other modules, which may take long.
static void cpu_unload(struct backend *b, struct module *m)
{
    struct cpu *c = cpu_of(b);
    g_mutex_lock(&c->lock);
    while (is_queued(c, m) && !c->has_hung) wait_for_change(c);
    const bool is_free = !is_queued(c, m);
    g_mutex_unlock(&c->lock);
    if (is_free) object_free((struct object *)m);
}

// ---- life ----

static void cpu_close(struct backend *b)
{
    struct cpu *c = cpu_of(b);
    g_mutex_lock(&c->lock);
    c->is_closing = true;
    g_cond_broadcast(&c->changed);
    g_mutex_unlock(&c->lock);
    if (c->has_hung) return;
    if (c->thread) g_thread_join(c->thread);
    emulator_destroy(c->emulator);
    compiler_free(c->compiler);
    compiler_free(c->tracing);
    g_array_unref(c->memory);
    g_mutex_clear(&c->lock);
    g_cond_clear(&c->changed);
    g_free(c);
}

static struct backend *cpu_open(int ordinal, struct error *err)
{
    if (ordinal > 0 && !error_set(err, "there is only one")) return NULL;
    struct cpu *c = g_new0(struct cpu, 1);
    c->backend.impl = &backend_cpu;
    g_mutex_init(&c->lock);
    g_cond_init(&c->changed);
    c->memory = g_array_new(FALSE, FALSE, sizeof(struct emulator_range));
    c->compiler = compiler_find(false, &c->no_compiler);
    c->emulator = emulator_create(thread_count());
    if (c->emulator) c->thread = g_thread_try_new("cpu queue", queue_main, c, NULL);
    if (!c->thread) {
        error_set(err, "no memory for its threads");
        cpu_close(&c->backend);
        return NULL;
    }
    describe(&c->backend.device, emulator_threads(c->emulator), c->compiler);
    return &c->backend;
}

const struct backend_impl backend_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .list = cpu_list,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .upload = cpu_move,
    .download = cpu_move,
    .fill = cpu_fill,
    .compiler_files = cpu_compiler_files,
    .rewrite = cpu_rewrite,
    .compile = cpu_compile,
    .unload = cpu_unload,
    .find_constant = object_find_constant,
    .function = object_function,
    .call = host_call_run,
    .find_lines = object_find_lines,
    .launch = cpu_launch,
    .copy = cpu_copy,
    .mark = cpu_mark,
    .poll = cpu_poll,
    .wait = cpu_wait,
    .rest = cpu_rest,
    .elapsed = cpu_elapsed,
    .work = cpu_work,
    .cancel = cpu_cancel,
    .give_way = cpu_give_way,
};

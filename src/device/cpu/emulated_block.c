// A strand is a stack that runs threads of the block one after the other: it calls the kernel,
// whose loop takes thread after thread. No strand is the CPU thread's own stack, so that a local
// array's end does not lie before the program's variables. A thread that must wait parks its
// strand. The next strand then takes the threads that have not begun; when all have begun, a strand
// that need no longer wait continues:
//
//     strand 0  t0 ─ barrier ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ t0 ─ end
//     strand 1       └ t1 ─ barrier ┄┄┄┄┄┄┄┄┄┄┄┄┄┄ └ t1 ─ end
//     strand 2              └ t2 ─ barrier ─ t2 ─ end ┘         (the last to arrive goes on)
//
// This file is long because whatever parks a strand must be able to abandon all of them.
#include "device/cpu/emulated_block.h"

#include <glib.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "device/build_log.h"
#include "device/cpu/fault.h"
#include "device/cpu/fiber.h"
#include "device/cpu/guarded.h"

#if FIBER_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum {
    WARPS = EMULATOR_MAX_THREADS / 32,
    GUARD_BYTES = 4096,
    STACK_BYTES = 256 * 1024,  // of address space; a page or two are touched
    STRIDE_BYTES = GUARD_BYTES + STACK_BYTES,
    STACKS_BYTES = STRIDE_BYTES * EMULATOR_MAX_THREADS + GUARD_BYTES,
    SIGNAL_STACK_BYTES = 64 * 1024,
    SHARED_ALIGNMENT = 16,  // for the widest access
    FIXED_STEP_BYTES = 4096,
    AROUND_BYTES = 4 << 20,  // bytes around static shared memory that nobody may touch
    UNDEFINED_BYTE = 0xa5,   // lies behind a launch's shared memory
};

// A lane that reads from a missing lane gets this. CUDA leaves it undefined; this value is easy to
// see.
static const unsigned long long UNDEFINED = 0xa5a5a5a5a5a5a5a5u;

enum strand_state { READY, AT_BARRIER, AT_WARP, DONE };

struct strand {
    struct fiber fiber;
    enum strand_state state;
    struct uint3 thread;        // threadIdx, while parked
    int line;                   // where it waits
    unsigned long long result;  // of its warp's operation
};

// The lanes that have reached a shuffle, a vote or __syncwarp and wait for the rest of their mask.
struct warp {
    unsigned arrived;
    unsigned asking;  // lanes that wait in emulator_active()
    unsigned mask[32];
    int source[32];
    unsigned long long value[32];
    struct strand *strand[32];
};

struct emulated_block {
    const struct emulator_launch *launch;
    struct emulated_trace trace;
    struct emulator_args args;
    const atomic_bool *cancel;
    unsigned char *shared;  // dynamic, of the largest size; nobody may touch as much behind it
    size_t rounding_bytes;  // behind the launch's own; nobody may write to them
    unsigned char *fixed;   // static, as large as any launch so far needed; NULL: none did
    unsigned char *placed;  // the launch's part, at the end of fixed
    size_t fixed_bytes;
    unsigned char *stacks;  // NULL: not yet needed

    struct fiber home;      // the CPU thread's own stack, outside the kernel
    atomic_bool is_inside;  // inside the kernel, or a function that it called
    atomic_bool is_frozen;
    bool has_failed;
    bool has_faulted;   // the processor stopped a thread
    bool is_unnamed;    // the error does not name the thread
    unsigned int site;  // of the access to a gap that the error names; 0: it names none
    stack_t previous;   // the CPU thread's signal stack, while ours is in use
    struct error *err;

    struct strand *running;
    int begun;    // strands in use
    int live;     // strands that have not ended
    int arrived;  // live strands at the barrier
    int line;     // of the barrier
    int count;    // how many arrived with a true predicate
    int result;   // count of the last barrier that was passed

    int made;  // strands that have a fiber; it is kept for the next block
    struct strand strands[EMULATOR_MAX_THREADS];
    struct warp warps[WARPS];
    _Alignas(16) unsigned char signal_stack[SIGNAL_STACK_BYTES];  // a full one may be the cause
};

_Thread_local struct uint3 threadIdx, blockIdx;
_Thread_local struct dim3 blockDim, gridDim;
_Thread_local unsigned char *emulator_tile;
_Thread_local struct emulator_turn emulator_turn;
static _Thread_local struct emulated_block *current;

// ---- a block fails ----

// Notes why, abandons all strands and goes home: the kernel ends for good.
static _Noreturn __attribute__((format(printf, 2, 3))) void abandon(struct emulated_block *b,
                                                                    const char *format, ...)
{
    char why[512];
    va_list args;
    va_start(args, format);
    g_vsnprintf(why, sizeof why, format, args);
    va_end(args);
    error_set(b->err, "%s: %s", b->launch->name, why);
    b->has_failed = true;
    fiber_switch(&b->running->fiber, &b->home);
    g_assert_not_reached();  // nobody comes back to an abandoned strand
}

struct place {
    char text[40];
};

// "(1, 2)", with a layer where the launch has several.
static struct place place_of(struct uint3 at)
{
    struct place p;
    g_snprintf(p.text, sizeof p.text, gridDim.z * blockDim.z > 1 ? "(%u, %u, %u)" : "(%u, %u)",
               at.x, at.y, at.z);
    return p;
}

_Noreturn void emulated_block_abandon(const char *why)
{
    abandon(current, "block %s %s", place_of(blockIdx).text, why);
}

// A rewritten kernel does not tell its threads apart.
static _Noreturn void abandon_thread(struct emulated_block *b, const char *why)
{
    const struct object *const o = b->launch->object;
    b->is_unnamed = o && o->module.is_fast && !emulator_turn.is_strict;
    if (b->is_unnamed && emulator_turn.done > 1) {
        const struct uint3 last = {blockIdx.x + emulator_turn.done - 1, blockIdx.y, blockIdx.z};
        abandon(b, "a thread of blocks %s to %s %s", place_of(blockIdx).text, place_of(last).text,
                why);
    }
    if (b->is_unnamed) abandon(b, "a thread of block %s %s", place_of(blockIdx).text, why);
    abandon(b, "thread %s of block %s %s", place_of(threadIdx).text, place_of(blockIdx).text, why);
}

_Noreturn void emulator_assert(const char *condition, const char *file, int line)
{
    char why[256];
    g_snprintf(why, sizeof why, "fails in %s:%d: assert(%s)", build_log_name(file), line,
               condition);
    host_call_fail(why);
    g_assert(current && current->is_inside);  // else a constructor would call it, but none runs
    abandon_thread(current, why);
}

static _Noreturn void abandon_at(struct emulated_block *b, const char *why, int first, int second)
{
    abandon(b, "%s, in line %d and in line %d", why, MIN(first, second), MAX(first, second));
}

// ---- strands ----

static void end_strand(struct emulated_block *b);

static void strand_main(void)
{
    fiber_begin();
    for (;;) {
        struct emulated_block *b = current;
        b->launch->kernel(&b->args);
        end_strand(b);
    }
}

static void switch_to(struct emulated_block *b, struct strand *to)
{
    struct strand *from = b->running;
    if (from == to) return;
    b->running = to;
    fiber_switch(&from->fiber, &to->fiber);
}

// A guard page that the system refuses does no harm: they may be more mappings than it allows.
static void make_strand(struct emulated_block *b, int i)
{
    unsigned char *guard = b->stacks + (size_t)STRIDE_BYTES * (size_t)i;
    (void)mprotect(guard + STRIDE_BYTES, GUARD_BYTES, PROT_NONE);  // the next one's
    // The tops have different offsets. Otherwise all stacks would share a few sets of the L1 cache,
    // which costs a kernel that is mostly barriers 15 %.
    fiber_make(&b->strands[i].fiber, guard + GUARD_BYTES, STACK_BYTES - (size_t)(i % 16) * 256,
               strand_main);
    b->made = i + 1;
}

static void resolve_standstill(struct emulated_block *b);

// Chooses the strand that runs next, now that the running one must wait; it may be the same one.
static struct strand *next_strand(struct emulated_block *b)
{
    if (emulator_turn.left) {
        const int i = b->begun;
        if (i >= b->made) make_strand(b, i);
        b->begun++;
        b->live++;
        b->strands[i].state = READY;
        return &b->strands[i];
    }
    for (;;) {
        struct strand *s = b->running, *const end = b->strands + b->begun;
        for (int i = 0; i < b->begun; i++) {
            if (++s == end) s = b->strands;
            if (s->state == READY) return s;
        }
        resolve_standstill(b);
    }
}

long long emulator_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// Most likely it runs soon, and what it needs has left the caches.
static void prefetch(const struct emulated_block *b, const struct strand *s)
{
    if (s >= b->strands + b->begun) return;
#if FIBER_HAS_ASM
    for (int i = 0; i < 3; i++) __builtin_prefetch((const char *)s->fiber.sp + i * 64);
#endif
}

static void park(struct emulated_block *b, enum strand_state state, int line)
{
    struct strand *s = b->running;
    emulator_end_log();
    s->state = state;
    s->line = line;
    s->thread = threadIdx;
    struct strand *const next = next_strand(b);
    prefetch(b, next + 1);
    switch_to(b, next);
    threadIdx = s->thread;
    s->state = READY;
    emulator_begin_log();
}

// ---- the block's barrier ----

static void pass_barrier(struct emulated_block *b)
{
    b->result = b->count;
    b->arrived = b->count = 0;
    for (int i = 0; i < b->begun; i++)
        if (b->strands[i].state == AT_BARRIER) b->strands[i].state = READY;
}

// Threads that have ended do not hold the barrier up.
static bool is_barrier_full(const struct emulated_block *b)
{
    return b->arrived == b->live && emulator_turn.left == 0;
}

int emulator_syncthreads(int predicate, int line)
{
    struct emulated_block *b = current;
    if (b->arrived == 0) b->line = line;
    if (b->line != line)
        abandon(b, "not all threads reach line %d, some wait in line %d", MIN(b->line, line),
                MAX(b->line, line));
    b->arrived++;
    b->count += predicate;
    if (is_barrier_full(b))
        pass_barrier(b);
    else
        park(b, AT_BARRIER, line);
    emulator_log_flow(TRACE_BLOCK_BARRIER, __builtin_return_address(0));
    return b->result;
}

static void end_strand(struct emulated_block *b)
{
    b->running->state = DONE;
    b->live--;
    if (b->live && is_barrier_full(b)) pass_barrier(b);
    if (b->live)
        switch_to(b, next_strand(b));
    else
        fiber_switch(&b->running->fiber, &b->home);
}

// ---- operations of a warp ----

static unsigned thread_of(struct uint3 at)
{
    return (at.z * blockDim.y + at.y) * blockDim.x + at.x;
}

// Gives every lane its result and lets it continue.
static void complete_warp(struct emulated_block *b, struct warp *p, unsigned lanes)
{
    const int one = __builtin_ctz(lanes), line_of_one = p->strand[one]->line;
    unsigned ballot = 0;
    for (int i = one; i < 32; i++) {
        if (!(lanes >> i & 1)) continue;
        const int line = p->strand[i]->line;
        if (p->mask[i] != p->mask[one])
            abandon_at(b, "lanes of one warp meet with different masks", line_of_one, line);
        const bool are_syncs = p->source[i] == EMULATOR_SYNC && p->source[one] == EMULATOR_SYNC;
        if (line != line_of_one && !are_syncs)
            abandon_at(b, "lanes of one warp meet in different operations", line_of_one, line);
        if (p->value[i]) ballot |= 1u << i;
    }
    for (int i = 0; i < 32; i++) {
        if (!(lanes >> i & 1)) continue;
        const int source = p->source[i];
        const bool is_there = source >= 0 && lanes >> source & 1;
        p->strand[i]->result = source == EMULATOR_BALLOT ? ballot
                               : is_there                ? p->value[source]
                                                         : UNDEFINED;
        p->strand[i]->state = READY;
    }
    p->arrived &= ~lanes;
}

unsigned long long emulator_warp(unsigned mask, unsigned long long value, int source, int line)
{
    struct emulated_block *b = current;
    const unsigned thread = thread_of(threadIdx), lane = thread % 32;
    struct warp *p = &b->warps[thread / 32];
    if (!(mask >> lane & 1))
        abandon(b, "lane %u is not in the mask 0x%08x that it passes, in line %d", lane, mask,
                line);
    const unsigned there =
        blockDim.x * blockDim.y * blockDim.z - thread / 32 * 32;  // lanes, if below 32
    p->arrived |= 1u << lane;
    p->mask[lane] = mask & (there >= 32 ? ~0u : (1u << there) - 1);
    p->source[lane] = source;
    p->value[lane] = value;
    p->strand[lane] = b->running;
    b->running->line = line;
    if ((p->arrived & p->mask[lane]) == p->mask[lane])
        complete_warp(b, p, p->mask[lane]);
    else
        park(b, AT_WARP, line);
    if (source == EMULATOR_SYNC) emulator_log_flow(TRACE_WARP_BARRIER, __builtin_return_address(0));
    return b->running->result;
}

// A GPU may answer with any of the lanes that come here. This answers with all of them, so it waits
// until no thread can go on.
unsigned emulator_active(int line)
{
    struct emulated_block *b = current;
    const unsigned thread = thread_of(threadIdx), lane = thread % 32;
    struct warp *p = &b->warps[thread / 32];
    p->asking |= 1u << lane;
    p->strand[lane] = b->running;
    park(b, AT_WARP, line);
    return (unsigned)b->running->result;
}

// ---- nobody can go on ----

// Answers the lanes that ask: those that ask in the same line are there together.
static bool answer(struct warp *p)
{
    const bool is_asked = p->asking != 0;
    while (p->asking) {
        unsigned lanes = 0;
        const int line = p->strand[__builtin_ctz(p->asking)]->line;
        for (int i = 0; i < 32; i++)
            if (p->asking >> i & 1 && p->strand[i]->line == line) lanes |= 1u << i;
        for (int i = 0; i < 32; i++) {
            if (!(lanes >> i & 1)) continue;
            p->strand[i]->result = lanes;
            p->strand[i]->state = READY;
        }
        p->asking &= ~lanes;
    }
    return is_asked;
}

// Lanes that have ended do not hold their warp up: if only those are missing, the others continue.
// Otherwise the kernel is stuck for good.
static void resolve_standstill(struct emulated_block *b)
{
    unsigned living[WARPS] = {0};
    int first = G_MAXINT, last = 0;
    for (int i = 0; i < b->begun; i++) {
        const struct strand *s = &b->strands[i];
        if (s->state == DONE) continue;
        const unsigned thread = thread_of(s->thread);
        living[thread / 32] |= 1u << thread % 32;
        first = MIN(first, s->line);
        last = MAX(last, s->line);
    }
    bool is_resolved = false;
    for (unsigned i = 0; i < WARPS; i++) is_resolved |= answer(&b->warps[i]);
    for (unsigned i = 0; i < WARPS && !is_resolved; i++) {
        struct warp *const p = &b->warps[i];
        for (int lane = 0; lane < 32; lane++) {
            const unsigned mask = p->mask[lane];
            if (!(p->arrived >> lane & 1) || mask & ~p->arrived & living[i]) continue;
            complete_warp(b, p, mask & p->arrived);
            is_resolved = true;
        }
    }
    if (is_resolved) return;
    abandon_at(b, "threads of one block wait for each other for ever", first, last);
}

// ---- the block ----

struct emulated_block *emulated_block_create(int worker)
{
    struct emulated_block *b = g_try_new0(struct emulated_block, 1);
    if (!b) return NULL;
    b->trace.worker = worker;
    b->shared = guarded_alloc(EMULATOR_MAX_SHARED_BYTES, EMULATOR_MAX_SHARED_BYTES);
    if (b->shared) return b;
    emulated_block_destroy(b);
    return NULL;
}

void emulated_block_destroy(struct emulated_block *b)
{
    if (!b) return;
    if (b->stacks) munmap(b->stacks, STACKS_BYTES);
    emulated_trace_forget(&b->trace);
    guarded_free(b->fixed);
    guarded_free(b->shared);
    g_free(b);
}

void emulated_block_enter(struct emulated_block *b, const struct emulator_launch *l,
                          const atomic_bool *cancel)
{
    const struct launch *const what = l->what;
    const struct launch_config *config = &what->config;
    b->launch = l;
    b->cancel = cancel;
    b->args = (struct emulator_args){&what->out,    &what->in,    what->scratch,
                                     what->weights, what->params, what->arrays};
    // Static shared memory ends where the untouchable pages begin. Without memory for this it stays
    // where the loader puts it.
    const struct object *const o = l->object;
    const size_t own = o ? o->shared_bytes : 0,
                 fixed = guarded_round_up(own, o ? MAX(o->shared_alignment, 1) : 1);
    if (fixed > b->fixed_bytes) {
        guarded_free(b->fixed);
        b->fixed_bytes = guarded_round_up(fixed, FIXED_STEP_BYTES);
        b->fixed = guarded_alloc(b->fixed_bytes, AROUND_BYTES);
        if (!b->fixed) b->fixed_bytes = 0;
    }
    b->placed = own && b->fixed ? b->fixed + b->fixed_bytes - fixed : NULL;
    if (b->placed) memset(b->placed, 0, own);
    object_place_shared(b->placed);
    if (!b->stacks) {
        void *const stacks = mmap(NULL, STACKS_BYTES, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        b->stacks = stacks == MAP_FAILED ? NULL : stacks;
        if (b->stacks) (void)mprotect(stacks, GUARD_BYTES, PROT_NONE);
        // The guard pages split it into thousands of mappings, which each fork would copy.
        if (b->stacks) (void)madvise(stacks, STACKS_BYTES, MADV_DONTFORK);
    }
    emulated_trace_enter(&b->trace, l, b->shared, &b->args, b->stacks, STACKS_BYTES);
    // Dynamic shared memory lies at the end of `shared`, so that an access behind it faults. In a
    // traced launch it lies at the start, so that the log shows an access behind it.
    const size_t bytes = config->shared_bytes, all = guarded_round_up(bytes, SHARED_ALIGNMENT);
    const bool is_first = what->trace || FIBER_HAS_ASAN;
    emulator_tile = is_first ? b->shared : b->shared + EMULATOR_MAX_SHARED_BYTES - all;
    b->rounding_bytes = is_first ? 0 : all - bytes;
    memset(emulator_tile + bytes, UNDEFINED_BYTE, b->rounding_bytes);
#if FIBER_HAS_ASAN
    __asan_poison_memory_region(b->shared + bytes, EMULATOR_MAX_SHARED_BYTES - bytes);
#endif
    b->home = (struct fiber){0};  // the caller's thread may be another one now
    const unsigned layers = (unsigned)MAX(config->block_depth, 1);
    blockDim = (struct dim3){(unsigned)config->block_width, (unsigned)config->block_height / layers,
                             layers};
    gridDim = (struct dim3){(unsigned)config->grid_width, (unsigned)config->grid_height,
                            (unsigned)MAX(config->grid_depth, 1)};
    sigaltstack(&(stack_t){.ss_sp = b->signal_stack, .ss_size = SIGNAL_STACK_BYTES}, &b->previous);
    atomic_signal_fence(memory_order_seq_cst);
    current = b;
}

// An interrupt may come between any two steps; it must find a whole launch or none.
void emulated_block_leave(struct emulated_block *b)
{
    current = NULL;
    atomic_signal_fence(memory_order_seq_cst);
#if FIBER_HAS_ASAN
    __asan_unpoison_memory_region(b->shared, EMULATOR_MAX_SHARED_BYTES);
#endif
    sigaltstack(&b->previous, NULL);
    object_place_shared(NULL);
    emulated_trace_leave(&b->trace);
    b->launch = NULL;
}

// Abandoned strands are made again when they are needed.
static bool clean_up(struct emulated_block *b)
{
    memset(b->warps, 0, sizeof b->warps);
    if (b->has_faulted) emulated_trace_end_block(&b->trace, true);
    b->is_inside = b->has_failed = b->has_faulted = false;
    b->made = 0;
    return false;
}

static bool run_threads(struct emulated_block *b, bool is_strict, size_t most)
{
    if (!b->made) make_strand(b, 0);
    b->running = b->strands;
    b->strands->state = READY;
    b->begun = b->live = 1;
    b->arrived = b->count = 0;
    b->is_unnamed = false;
    emulator_turn = (struct emulator_turn){.left = blockDim.x * blockDim.y * blockDim.z,
                                           .is_strict = is_strict,
                                           .most = (unsigned)most,
                                           .done = 1};
    b->is_inside = true;
    fiber_switch(&b->home, &b->strands->fiber);  // returns when all have ended
    if (b->has_failed) return clean_up(b);
    b->is_inside = false;
    return true;
}

// Begins an error "k.cu: kernel: thread …" with the line of the access, as a compiler's log does.
static void name_line(struct emulated_block *b)
{
    struct trace_chain chain = {.count = 0};
    const char *const behind = strstr(b->err->text, ": ");
    if (!b->site || !behind || !b->launch->object->has_lines ||
        !object_find_lines(&b->launch->object->module, &b->site, 1, &chain, &(struct error){""}) ||
        !chain.count)
        return;
    g_autofree char *what = g_strdup(behind);
    error_set(b->err, "%s:%d%s", chain.places[0].file, chain.places[0].line, what);
}

bool emulated_block_run(struct emulated_block *b, size_t index, size_t *count, bool *is_last,
                        struct error *err)
{
    blockIdx.x = (unsigned)(index % gridDim.x);
    blockIdx.y = (unsigned)(index / gridDim.x % gridDim.y);
    blockIdx.z = (unsigned)(index / gridDim.x / gridDim.y);
    b->err = err;
    b->site = 0;
    if (!b->stacks)
        return error_set(err, "%s: no memory for the stacks of a block's threads", b->launch->name);
    emulated_trace_begin_block(&b->trace);
    if (!run_threads(b, b->launch->what->is_strict, MIN(*count, gridDim.x - blockIdx.x))) {
        // The kernel as it stands most likely fails again, and then names the thread.
        const unsigned end = blockIdx.x + (b->is_unnamed ? emulator_turn.done : 0);
        while (blockIdx.x < end && run_threads(b, true, 1)) blockIdx.x++;
        name_line(b);
        return false;
    }
    *count = emulator_turn.done;
    const size_t bytes = b->launch->what->config.shared_bytes;
    for (size_t i = 0; i < b->rounding_bytes; i++)
        if (emulator_tile[bytes + i] != UNDEFINED_BYTE) {  // too near to fault
            error_set(err,
                      "%s: a thread of block %s writes byte %zu of tile, whose shared= gives "
                      "it %zu; the memory lens names the line",
                      b->launch->name, place_of(blockIdx).text, bytes + i, bytes);
            return clean_up(b);
        }
    *is_last = !emulated_trace_end_block(&b->trace, false);
    return true;
}

// ---- stopped in the middle ----

// In the kernel's own code, and in the hooks that it calls while it is traced, no library is in the
// middle of anything, and every strand but the running one is parked. So any function may be
// called, and the block may be left.
void emulated_block_interrupt(int number, siginfo_t *info, void *context)
{
    (void)number;
    struct emulated_block *b = current;
    host_call_interrupt(context);
    if (!b || !b->cancel || !atomic_load_explicit(b->cancel, memory_order_relaxed)) return;
    const struct object *o = b->launch->object;
    if (o && object_holds(o, fault_locate(context).instruction)) abandon(b, "cancelled");
    const bool is_final = info->si_code == SI_QUEUE && info->si_value.sival_int == EMULATED_FREEZE;
    if (!is_final || !b->is_inside || b->is_frozen) return;
    atomic_store(&b->is_frozen, true);
    for (;;) pause();
}

bool emulated_block_is_frozen(const struct emulated_block *b)
{
    return atomic_load(&b->is_frozen);
}

bool emulated_block_is_at_rest(const struct emulated_block *b)
{
    return !atomic_load(&b->is_inside) || atomic_load(&b->is_frozen);
}

// The guarded array of the launch that is nearest to the address; NULL: none is near. An index is
// more often too large than below 0.
static const struct launch_array *find_guarded(const struct launch *l, uintptr_t address)
{
    size_t least = 1 << 30;  // an index that went wrong leads so far
    const struct launch_array *nearest = NULL;
    for (const struct launch_array *a = l->guarded; a < l->guarded + l->guarded_count; a++) {
        const uintptr_t start = (uintptr_t)a->start, end = start + a->bytes;
        const size_t distance =
            address < start ? 8 * (start - address) : address - MIN(address, end);
        if (a->bytes && distance < least) least = distance, nearest = a;
    }
    return nearest;
}

// The kernel may have damaged the program's memory, but only a program that goes on can say so.
void emulated_block_fault(int number, siginfo_t *info, void *context)
{
    struct emulated_block *b = current;
    host_call_fault(number, info, context);
    if (!b || !b->is_inside || b->has_failed || !fault_is_own(info)) {
        fault_end_process(number, info);
        return;
    }
    const uintptr_t address = (uintptr_t)info->si_addr;
    const size_t at = address - (uintptr_t)emulator_tile,
                 bytes = b->launch->what->config.shared_bytes;
    const bool is_behind_tile = number == SIGSEGV && fault_has_address(info) && at >= bytes &&
                                at - bytes < EMULATOR_MAX_SHARED_BYTES;
    const uintptr_t lowest = (uintptr_t)b->running->fiber.stack;
    const bool is_stack_full = address < lowest && lowest - address <= GUARD_BYTES;
    const bool is_beside_fixed = number == SIGSEGV && fault_has_address(info) && b->placed &&
                                 address - (uintptr_t)b->placed + AROUND_BYTES < 2 * AROUND_BYTES;
    const struct launch_array *const missed = number == SIGSEGV && fault_has_address(info)
                                                  ? find_guarded(b->launch->what, address)
                                                  : NULL;
    char why[160];
    if (is_behind_tile)
        g_snprintf(
            why, sizeof why,
            "reaches byte %zu of tile, whose shared= gives it %zu; the memory lens names the line",
            at, bytes);
    else if (is_beside_fixed)
        g_strlcpy(why,
                  "reads or writes outside its __shared__ arrays; the memory lens names the line",
                  sizeof why);
    else if (missed) {
        const struct fault_place place = fault_locate(context);
        const long long to = (long long)(address - (uintptr_t)missed->start),
                        step = (long long)missed->element_bytes;
        g_snprintf(why, sizeof why, "%s %s[%lld]; %s has %zu elements", place.access, missed->name,
                   (to < 0 ? to - step + 1 : to) / step, missed->name,
                   missed->bytes / missed->element_bytes);
        b->site = object_holds(b->launch->object, place.instruction)
                      ? (unsigned)(place.instruction - (uintptr_t)b->launch->object->base)
                      : 0;
    } else
        g_strlcpy(why, fault_words(info, is_stack_full), sizeof why);
    b->has_faulted = true;
    abandon_thread(b, why);
}

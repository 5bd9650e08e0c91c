#include "device/cpu/emulated_block.h"

#include <glib.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/guarded.h"

enum { FIRST_EVENTS = 64, BANKS_BYTES = 128 };
enum { TILE, FIXED, MORE_RANGES = 17 };  // two indices; how many ranges every launch has
enum { LARGE_ROOM = 1 << 19 };           // events, 8 MB

_Thread_local struct emulator_log *emulator_log;
static _Thread_local struct emulated_trace *current;  // NULL: the running launch is not traced

void emulated_trace_forget(struct emulated_trace *t)
{
    for (int i = 0; i < EMULATOR_MAX_THREADS; i++) free(t->threads[i].events);
    memset(t->threads, 0, sizeof t->threads);
    t->room = 0;
    g_clear_pointer(&t->ranges, g_free);
}

// ---- a launch ----

static struct emulator_range own(const void *start, size_t bytes)
{
    return (struct emulator_range){(uintptr_t)start, start ? bytes : 0, 0, EMULATOR_OWN};
}

void emulated_trace_enter(struct emulated_trace *t, const struct emulator_launch *l,
                          const void *shared, const struct emulator_args *args, const void *stacks,
                          size_t stacks_bytes)
{
    if (!l->what->trace) return;
    // Shared memory is this CPU thread's own. The dynamic part is listed up to its limit, so that
    // the log shows an access behind the block's. The first range that holds an address counts,
    // because a thread's own ranges may enclose device memory, and the object's image its
    // variables.
    enum { BELOW = 8 << 20, ABOVE = 1 << 16 };
    const struct object *o = l->object;
    const size_t before_tile = guarded_round_up(o->shared_bytes, BANKS_BYTES);
    const int count = (int)(l->memory ? l->memory->len : 0) + l->object->range_count + MORE_RANGES;
    struct emulator_range *r = g_renew(struct emulator_range, t->ranges, count);
    t->ranges = r;
    t->static_bytes = before_tile;
    t->shared_bytes = before_tile + l->what->config.shared_bytes;
    *r++ = (struct emulator_range){(uintptr_t)shared, EMULATOR_MAX_SHARED_BYTES, before_tile,
                                   TRACE_SHARED};
    *r++ = (struct emulator_range){(uintptr_t)object_shared(o), o->shared_bytes, 0, TRACE_SHARED};
    *r++ = own(stacks, stacks_bytes);
    for (guint i = 0; l->memory && i < l->memory->len; i++)
        *r++ = g_array_index(l->memory, struct emulator_range, i);
    for (int i = 0; i < o->range_count; i++) *r++ = o->ranges[i];
    // The CPU thread's stack: kernels run below this frame, and hardly above it.
    *r++ = own((const char *)__builtin_frame_address(0) - BELOW, BELOW + ABOVE);
    *r++ = own(&threadIdx, sizeof threadIdx);
    *r++ = own(&blockIdx, sizeof blockIdx);
    *r++ = own(&blockDim, sizeof blockDim);
    *r++ = own(&gridDim, sizeof gridDim);
    *r++ = own(&emulator_tile, sizeof emulator_tile);
    *r++ = own(&emulator_turn, sizeof emulator_turn);
    *r++ = own(args, sizeof *args);
    *r++ = own(args->out, sizeof(struct planes));
    *r++ = own(args->in, sizeof(struct planes));
    *r++ = own(args->params, BACKEND_MAX_ARGUMENT_BYTES);
    *r++ = own(args->arrays, BACKEND_MAX_ARGUMENT_BYTES);
    *r++ = own(o->base, o->image_bytes);
    *r = (struct emulator_range){.space = EMULATOR_WILD};
    g_assert(r + 1 == t->ranges + count);
    current = t;
    t->trace = l->what->trace;
    t->log = (struct emulator_log){
        .ranges = t->ranges, .recent = t->ranges, .code = (uintptr_t)l->object->base};
}

void emulated_trace_leave(struct emulated_trace *t)
{
    if (!t->trace) return;
    const bool is_large = t->room > LARGE_ROOM;
    // After a launch of one block, another such launch usually follows.
    if (t->worker || t->trace->only_x < 0 || t->room > t->trace->max_events / 4)
        emulated_trace_forget(t);
    if (is_large && !t->room) malloc_trim(0);  // logs are pieces that glibc keeps
    t->trace = NULL;
    current = NULL;
    emulator_log = NULL;  // an abandoned thread may have left its log
}

// ---- a block ----

void emulated_trace_begin_block(struct emulated_trace *t)
{
    enum { SPOILT = 0xff };  // every float is a NaN
    if (!t->trace) return;
    // A block must not find what another one has left in shared memory.
    const struct emulator_range *tile_range = &t->ranges[TILE], *fixed = &t->ranges[FIXED];
    memset((void *)tile_range->start, SPOILT, t->shared_bytes - t->static_bytes);
    if (fixed->bytes) memset((void *)fixed->start, SPOILT, fixed->bytes);
    for (int i = 0; i < EMULATOR_MAX_THREADS; i++) t->threads[i].count = 0;
    t->events = 0;
}

// ---- a thread ----

static unsigned int present_thread(void)
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

static void open_log(struct emulated_trace *t, unsigned int thread)
{
    const struct thread_log *one = &t->threads[thread];
    t->running = thread;
    t->log.next = one->room ? one->events + one->count : NULL;
    t->log.end = one->room ? one->events + one->room : NULL;
    emulator_log = &t->log;
}

void emulator_begin_log(void)
{
    if (current) open_log(current, present_thread());
}

static void close_log(struct emulated_trace *t)
{
    struct thread_log *one = &t->threads[t->running];
    const size_t count = one->room ? (size_t)(t->log.next - one->events) : 0;
    t->events += count - one->count;
    one->count = count;
    emulator_log = NULL;
}

void emulator_end_log(void)
{
    struct emulated_trace *t = current;
    if (!t || !emulator_log) return;
    close_log(t);
    if (present_thread() != t->running)
        emulated_block_abandon("changes threadIdx, which is only to be read");
}

void emulated_trace_add_barrier(int barrier, const void *after)
{
    struct emulator_log *const log = emulator_log;
    if (!log) return;
    if (log->next == log->end) emulator_grow_log();
    *log->next++ = (struct trace_event){.site = (unsigned int)((uintptr_t)after - 1 - log->code),
                                        .kind = TRACE_FLOW,
                                        .bytes = (unsigned char)barrier};
}

bool emulated_trace_end_block(struct emulated_trace *t, bool is_cut)
{
    if (!t->trace) return true;
    if (emulator_log) close_log(t);
    for (int i = 0; i < EMULATOR_MAX_THREADS; i++)
        t->handed[i] = (struct trace_thread){t->threads[i].events, t->threads[i].count};
    const struct trace_block block = {
        .x = (int)blockIdx.x,
        .y = (int)blockIdx.y,
        .z = (int)blockIdx.z,
        .width = (int)blockDim.x,
        .height = (int)(blockDim.y * blockDim.z),
        .layers = (int)blockDim.z,
        .grid_layers = (int)gridDim.z,
        .threads = t->handed,
        .shared_bytes = t->shared_bytes,
        .static_bytes = t->static_bytes,
        .is_cut = is_cut,
    };
    return t->trace->block(t->trace->data, t->worker, &block);
}

void emulator_grow_log(void)
{
    struct emulated_trace *t = current;
    struct thread_log *one = &t->threads[t->running];
    emulator_end_log();
    if (t->events >= t->trace->max_events) {
        char why[96];
        g_snprintf(why, sizeof why, "is too long to be traced: it was stopped after %zu steps",
                   t->events);
        emulated_block_abandon(why);
    }
    const size_t room = MAX(FIRST_EVENTS, one->room + one->room / 2);
    // All logs together may have room for one and a half times max_events.
    const bool is_full = t->room + room - one->room > t->trace->max_events / 2 * 3;
    // Threads that logged much in earlier blocks keep room that others need.
    for (int i = 0; i < EMULATOR_MAX_THREADS && is_full; i++) {
        struct thread_log *const other = &t->threads[i];
        if (other == one || other->room == other->count) continue;
        struct trace_event *const less =
            other->count ? realloc(other->events, other->count * sizeof *less) : NULL;
        if (other->count && !less) continue;
        if (!other->count) free(other->events);
        t->room -= other->room - other->count;
        other->events = less;
        other->room = other->count;
    }
    struct trace_event *events = realloc(one->events, room * sizeof *events);
    if (!events) emulated_block_abandon("is traced, and there is no memory for it");
    t->room += room - one->room;
    one->events = events;
    one->room = room;
    open_log(t, t->running);
}

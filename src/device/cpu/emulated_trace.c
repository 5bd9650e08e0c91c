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

// It is no address, and no distance between two.
static const unsigned long long UNKNOWN_SHIFT = 1ull << 63;

_Thread_local struct emulator_log *emulator_log;
static _Thread_local struct emulated_trace *current;  // NULL: the running launch is not traced

// A thread's turn on the CPU: all that it logs from where it continues to where it waits.
struct turn {
    unsigned int thread, end;  // end: of its log, behind the turn
};

static void drop_tape(struct emulated_trace *t)
{
    free(t->tape.events);
    t->tape = (struct tape){.count = 0};
}

void emulated_trace_forget(struct emulated_trace *t)
{
    for (int i = 0; i < EMULATOR_MAX_THREADS; i++) free(t->threads[i].events);
    memset(t->threads, 0, sizeof t->threads);
    t->room = 0;
    drop_tape(t);
    g_clear_pointer(&t->turns, g_array_unref);
    g_clear_pointer(&t->ranges, g_free);
}

// ---- a launch ----

static void forget_recent(struct emulated_trace *t)
{
    for (int i = 0; i < EMULATOR_RECENT; i++) t->log.recent[i] = t->ranges;
}

static struct emulator_range own(const void *start, size_t bytes)
{
    return (struct emulator_range){
        .start = (uintptr_t)start, .bytes = start ? bytes : 0, .space = EMULATOR_OWN};
}

static void set_key(struct emulator_range *range)
{
    const bool is_wild = range->space == EMULATOR_WILD;
    const struct trace_event common = {
        .space = (unsigned char)(is_wild ? TRACE_GLOBAL : range->space), .is_wild = is_wild};
    memcpy(&range->key, &common.site, sizeof range->key);
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
    const int pieces = l->what->trace->piece_count;
    const int memory = l->memory && !pieces ? (int)l->memory->len : 0;
    const int count = pieces + memory + l->object->range_count + MORE_RANGES;
    struct emulator_range *r = g_renew(struct emulator_range, t->ranges, count);
    t->ranges = r;
    t->static_bytes = before_tile;
    t->shared_bytes = before_tile + l->what->config.shared_bytes;
    *r++ = (struct emulator_range){.start = (uintptr_t)shared,
                                   .bytes = EMULATOR_MAX_SHARED_BYTES,
                                   .as = before_tile,
                                   .space = TRACE_SHARED};
    *r++ = (struct emulator_range){
        .start = (uintptr_t)object_shared(o), .bytes = o->shared_bytes, .space = TRACE_SHARED};
    *r++ = own(stacks, stacks_bytes);
    t->pieces = r;
    for (int i = 0; i < pieces; i++) {
        const struct trace_piece *const p = &l->what->trace->pieces[i];
        *r++ = (struct emulator_range){
            .start = p->address, .bytes = p->bytes, .as = p->address, .space = TRACE_GLOBAL};
    }
    for (int i = 0; i < memory; i++) *r++ = g_array_index(l->memory, struct emulator_range, i);
    t->tape.count = 0;
    if (l->what->trace->same && !t->turns)
        t->turns = g_array_new(FALSE, FALSE, sizeof(struct turn));
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
    for (int i = 0; i < count; i++) set_key(&t->ranges[i]);
    const int word = t->trace->struct_word;
    t->log = (struct emulator_log){.ranges = t->ranges,
                                   .code = (uintptr_t)l->object->base,
                                   .struct_word = word ? (unsigned long)word : 16};
    forget_recent(t);
}

void emulated_trace_leave(struct emulated_trace *t)
{
    if (!t->trace) return;
    const bool is_large = t->room > LARGE_ROOM;
    // After a launch of one block, another such launch usually follows.
    if (t->worker || t->trace->only_x < 0 || t->room > t->trace->max_events / 4)
        emulated_trace_forget(t);
    g_clear_pointer(&t->turns, g_array_unref);  // the next launch's blocks may not be followed
    if (is_large && !t->room) malloc_trim(0);   // logs are pieces that glibc keeps
    t->trace = NULL;
    current = NULL;
    emulator_log = NULL;  // an abandoned thread may have left its log
}

// ---- following ----
//
// A thread that follows what the last block did compares its events with that one's, which is much
// less work than to write them and to look at them later. Each piece of memory has a shift, which
// its first event tells. Ranges then show the addresses that the last block would have logged, so
// two events are the same if all their bytes are.
//
// The tape has all events of a block in the order in which it ran, with a mark where each turn
// begins, so that it is read from its beginning to its end.

enum { MARK = TRACE_ATOMIC + 1 };  // the kind of an event that no kernel logs

static struct trace_event mark_of(unsigned int thread)
{
    return (struct trace_event){.address = thread, .kind = MARK};
}

static void open_log(struct emulated_trace *t, unsigned int thread)
{
    const struct thread_log *one = &t->threads[thread];
    t->running = thread;
    t->log.next = one->room ? one->events + one->count : NULL;
    t->log.end = one->room ? one->events + one->room : NULL;
    emulator_log = &t->log;
}

static void close_log(struct emulated_trace *t)
{
    struct thread_log *one = &t->threads[t->running];
    const size_t count = one->room ? (size_t)(t->log.next - one->events) : 0;
    t->events += count - one->count;
    one->count = count;
    emulator_log = NULL;
}

static void add_turn(struct emulated_trace *t)
{
    const struct turn turn = {t->running, (unsigned int)t->threads[t->running].count};
    if (t->turns) g_array_append_val(t->turns, turn);
}

// Until its first event, nothing in a piece is the same.
static void set_following(struct emulated_trace *t, bool is_followed)
{
    const unsigned long long shift = is_followed ? UNKNOWN_SHIFT : 0;
    for (int i = 0; i < t->trace->piece_count; i++) {
        const struct trace_piece *const p = &t->trace->pieces[i];
        t->pieces[i].start = p->address;
        t->pieces[i].bytes = p->bytes;
        t->pieces[i].as = p->address - shift;
    }
    forget_recent(t);
    t->log.is_followed = is_followed;
}

// Makes the tape of the block that was handed over, if there is room for it besides its logs.
static void make_tape(struct emulated_trace *t)
{
    const size_t count = t->events + t->turns->len;
    size_t from[EMULATOR_MAX_THREADS] = {0};
    t->tape.count = 0;
    if (t->room + count + t->turns->len / 2 > t->trace->max_events / 2 * 3) return;
    if (count > t->tape.room) {
        drop_tape(t);
        t->tape.events = malloc(count * sizeof *t->tape.events);
        if (!t->tape.events) return;
        t->tape.room = count;
    }
    struct trace_event *to = t->tape.events;
    for (guint i = 0; i < t->turns->len; i++) {
        const struct turn *const turn = &g_array_index(t->turns, struct turn, i);
        const size_t begin = from[turn->thread], events = turn->end - begin;
        *to++ = mark_of(turn->thread);
        if (events) memcpy(to, t->threads[turn->thread].events + begin, events * sizeof *to);
        to += events;
        from[turn->thread] = turn->end;
    }
    t->tape.count = (size_t)(to - t->tape.events);
    g_assert(t->tape.count == count);
}

// Makes the logs of what the block has done so far. They have room for it, since the block before
// did the same.
static void stop_following(struct emulated_trace *t)
{
    const struct trace *const trace = t->trace;
    struct thread_log *one = NULL;
    g_array_set_size(t->turns, 0);
    for (const struct trace_event *e = t->tape.events; e < t->log.next; e++) {
        if (e->kind == MARK) {
            if (one) add_turn(t);
            t->running = (unsigned int)e->address;
            one = &t->threads[t->running];
            continue;
        }
        struct trace_event *const to = &one->events[one->count++];
        *to = *e;
        t->events++;
        if (e->kind == TRACE_FLOW || e->space == TRACE_SHARED || e->space == TRACE_CONSTANT)
            continue;
        for (int i = 0; i < trace->piece_count; i++)
            if (e->address - trace->pieces[i].address < trace->pieces[i].bytes)
                to->address = e->address + t->pieces[i].start - t->pieces[i].as;
    }
    set_following(t, false);
    if (emulator_log)
        open_log(t, t->running);
    else if (one)
        add_turn(t);
}

// True: this is the next event of the log that is followed. False: none is followed any more.
static bool goes_on(struct emulated_trace *t, const struct trace_event *event)
{
    struct emulator_log *const log = &t->log;
    if (!log->is_followed) return false;
    if (log->next != log->end && !memcmp(log->next, event, sizeof *event)) {
        log->next++;
        return true;
    }
    stop_following(t);
    return false;
}

// Lets a range hold the addresses that both blocks have in its piece, without those so near to its
// end that a wide access might pass it.
static void shift_range(struct emulator_range *r, const struct trace_piece *p,
                        unsigned long long shift)
{
    enum { WIDEST = 16 };
    const bool is_up = shift <= p->bytes;
    const size_t less = !shift ? 0 : is_up ? (size_t)shift + WIDEST - 1 : (size_t)-shift;
    r->start = p->address + (is_up ? shift : 0);
    r->bytes = less < p->bytes ? p->bytes - less : 0;
    r->as = r->start - shift;
}

// True: the event is that of the log that is followed, in a piece whose shift was not known, or so
// near to its end.
static bool is_shifted(struct emulated_trace *t, unsigned long long key, unsigned long long address)
{
    const struct trace *const trace = t->trace;
    const struct trace_event *const like = t->log.next;
    struct trace_event event = {.address = address};
    memcpy(&event.site, &key, sizeof key);
    event.is_wild = false;  // a shifted range may not hold it, but its piece does
    if (like == t->log.end || memcmp(&like->site, &event.site, sizeof key) ||
        like->kind == TRACE_FLOW || like->space == TRACE_SHARED || like->space == TRACE_CONSTANT)
        return false;
    for (int i = 0; i < trace->piece_count; i++) {
        const struct trace_piece *const p = &trace->pieces[i];
        struct emulator_range *const r = &t->pieces[i];
        const size_t at = (size_t)(address - p->address);
        const unsigned long long shift = address - like->address, known = r->start - r->as;
        if (at >= p->bytes) continue;
        if (like->address - p->address >= p->bytes || like->bytes > p->bytes - at ||
            shift % TRACE_SHIFT_BYTES || (known != shift && known != UNKNOWN_SHIFT))
            return false;
        if (known != shift) shift_range(r, p, shift);
        return true;
    }
    return false;
}

int emulator_leave_log(unsigned long long key, unsigned long long address)
{
    const bool is_same = is_shifted(current, key, address);
    if (is_same) {
        current->log.next++;
        forget_recent(current);  // a shifted range may be the address's now
    } else {
        stop_following(current);
    }
    return is_same;
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
    if (t->turns) g_array_set_size(t->turns, 0);
    set_following(t, t->tape.count);
    t->log.next = t->log.end = t->tape.events;
    if (t->tape.count) t->log.end += t->tape.count;
}

// ---- a thread ----

static unsigned int present_thread(void)
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

void emulator_begin_log(void)
{
    struct emulated_trace *const t = current;
    if (!t) return;
    const unsigned int thread = present_thread();
    const struct trace_event mark = mark_of(thread);
    if (goes_on(t, &mark)) {
        t->running = thread;
        emulator_log = &t->log;
    } else {
        open_log(t, thread);
    }
}

// Ends the running thread's turn.
static void end_turn(struct emulated_trace *t)
{
    if (t->log.is_followed) {
        emulator_log = NULL;
        return;
    }
    close_log(t);
    add_turn(t);
}

void emulator_end_log(void)
{
    struct emulated_trace *t = current;
    if (!t || !emulator_log) return;
    end_turn(t);
    if (present_thread() != t->running)
        emulated_block_abandon("changes threadIdx, which is only to be read");
}

void emulated_trace_add_barrier(int barrier, const void *after)
{
    struct emulator_log *const log = emulator_log;
    if (!log) return;
    const struct trace_event event = {.site = (unsigned int)((uintptr_t)after - 1 - log->code),
                                      .kind = TRACE_FLOW,
                                      .bytes = (unsigned char)barrier};
    if (goes_on(current, &event)) return;
    if (log->next == log->end) emulator_grow_log();
    *log->next++ = event;
}

bool emulated_trace_end_block(struct emulated_trace *t, bool is_cut)
{
    if (!t->trace) return true;
    if (emulator_log) end_turn(t);
    if (t->log.is_followed) {
        const bool is_same = !is_cut && t->log.next == t->log.end;
        if (is_same && t->trace->same(t->trace->data, t->worker)) return true;
        stop_following(t);
    }
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
    const bool is_wanted = t->trace->block(t->trace->data, t->worker, &block);
    if (t->turns && is_wanted && !is_cut) make_tape(t);
    return is_wanted;
}

void emulator_grow_log(void)
{
    struct emulated_trace *t = current;
    struct thread_log *one = &t->threads[t->running];
    close_log(t);
    if (t->events >= t->trace->max_events) {
        char why[96];
        if (t->trace->is_too_long) __atomic_store_n(t->trace->is_too_long, true, __ATOMIC_RELAXED);
        g_snprintf(why, sizeof why, "is too long to be traced: it was stopped after %zu steps",
                   t->events);
        emulated_block_abandon(why);
    }
    const size_t room = MAX(FIRST_EVENTS, one->room + one->room / 2);
    // All logs together may have room for one and a half times max_events.
    const size_t other_room = room - one->room + t->tape.room + (t->turns ? t->turns->len / 2 : 0);
    const bool is_full = t->room + other_room > t->trace->max_events / 2 * 3;
    if (is_full) drop_tape(t);
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

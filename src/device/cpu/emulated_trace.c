// This file is long because a block that follows a tape may need its logs at any event.
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
enum { MAX_PIECES = 128 };               // else nothing is followed
// Steps: of the longest period; of two such periods; of the window, which stays in a processor's
// second cache; of a new tape. Keys whose last step a packer knows.
enum { MAX_PERIOD = 1024, PAST = 2048, WINDOW = 8000, FIRST_STEPS = 1024, LAST_KEYS = 1024 };
// After so many tapes in vain, one is made for every so many blocks.
enum { MOST_IN_VAIN = 4, PAUSE = 16 };

// It is no address, and no distance between two.
static const unsigned long long UNKNOWN_SHIFT = 1ull << 63;

// It stands behind the steps that are known; no event has this key.
static const struct emulator_step nothing = {.key = ~0ull};

_Thread_local struct emulator_log *emulator_log;
_Thread_local const struct emulator_step *emulator_step = &nothing;
static _Thread_local struct emulated_trace *current;  // NULL: the running launch is not traced

// Of a piece of memory: what the block of the tape touched, and how far the running block is from
// there. The first one stands for all else, which is not shifted.
struct tape_piece {
    unsigned long long low, high, shift;
};

// A thread's turn on the CPU: all that it logs from where it continues to where it waits.
struct turn {
    unsigned int thread, end;  // end: of its log, behind the turn
};

static void drop_tape(struct emulated_trace *t)
{
    free(t->tape.steps);
    t->tape.steps = NULL;
    t->tape.count = t->tape.room = 0;
}

void emulated_trace_forget(struct emulated_trace *t)
{
    for (int i = 0; i < EMULATOR_MAX_THREADS; i++) free(t->threads[i].events);
    memset(t->threads, 0, sizeof t->threads);
    t->room = 0;
    drop_tape(t);
    g_clear_pointer(&t->tape.window, g_free);
    g_clear_pointer(&t->tape.pieces, g_free);
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
    if (l->what->trace->same && pieces < MAX_PIECES) {
        if (!t->turns) t->turns = g_array_new(FALSE, FALSE, sizeof(struct turn));
        if (!t->tape.window) t->tape.window = g_new(struct emulator_step, WINDOW + 1);
        t->tape.pieces = g_renew(struct tape_piece, t->tape.pieces, pieces + 1);
    }
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
    t->tape.in_vain = t->tape.pause = 0;
    t->trace = NULL;
    current = NULL;
    emulator_step = &nothing;
    emulator_log = NULL;  // an abandoned thread may have left its log
}

// ---- following ----
//
// A thread that follows what the last block did compares its events with that one's, which is much
// less work than to write them and to look at them later. Each piece of memory has a shift, which
// its first event tells. Two events are the same if their steps are: the hook and the place that
// called it, and the pointer, now that it is shifted.
//
// The tape has the steps of all events in the order in which the block ran, with a mark where each
// turn begins. Most kernels do the same in each round of a loop, some bytes farther on. So a tape
// is packed: where steps follow from two periods before them, as keys repeat and pointers go on by
// equal distances, it only says how many they are:
//
//     A 100, B 500, A 104, B 600, A 108, B 700, A 112, B 800
//     A 100, B 500, A 104, B 600, 4 more with a period of 2
//
// The window has some of the steps, unpacked, with the shifts of the running block.

enum { MARK = TRACE_ATOMIC + 1, MORE };  // kinds that no hook knows
// In a key. In the tape it also has the number of the pointer's piece, from 1 on; 0: it has none.
enum { KIND_SHIFT = 48, PIECE_SHIFT = KIND_SHIFT + 9 };
static const unsigned long long MARK_KEY = EMULATOR_STEP(0, MARK, 0, 0);
static const unsigned long long MORE_KEY = EMULATOR_STEP(0, MORE, 0, 0);  // and the period

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

static void rewind_tape(struct emulated_trace *t)
{
    struct tape *const p = &t->tape;
    p->at = p->left = p->passed = 0;
    p->window_end = p->window;
    p->window->key = nothing.key;
    emulator_step = p->window;
}

// A step as a vector. Keys that are equal stay so.
typedef unsigned long long words __attribute__((vector_size(16), aligned(8), may_alias));

// Extrapolates so many steps.
static void extrapolate(struct emulator_step *steps, size_t period, size_t count)
{
    words *const to = (words *)steps;
    const words *const one = to - period, *const other = one - period;
    for (size_t i = 0; i < count; i++) to[i] = 2 * one[i] - other[i];
}

// Unpacks steps behind those in the window, of which it keeps what later ones are told from. It
// ends before one whose shift is not known.
static void unpack(struct emulated_trace *t)
{
    struct tape *const p = &t->tape;
    const size_t count = (size_t)(p->window_end - p->window), kept = MIN(count, PAST);
    memmove(p->window, p->window_end - kept, kept * sizeof *p->window);
    p->passed += count - kept;
    struct emulator_step *to = p->window + kept, *const end = p->window + WINDOW;
    emulator_step = p->next = to;  // a thread may be about to begin
    while (to < end && (p->left || p->at < p->count)) {
        if (p->left) {
            const size_t more = MIN(MIN(p->left, 2 * p->period), (size_t)(end - to));
            extrapolate(to, p->period, more);
            to += more;
            p->left -= more;
            // Two periods are one, too, and a long one need not wait for what was just written.
            if (more == 2 * p->period && p->period <= MAX_PERIOD / 2) p->period *= 2;
            continue;
        }
        const struct emulator_step step = p->steps[p->at];
        const unsigned long long shift = p->pieces[step.key >> PIECE_SHIFT].shift;
        if (shift == UNKNOWN_SHIFT) break;
        p->at++;
        if (step.key >> KIND_SHIFT == MORE) {
            p->left = step.pointer;
            p->period = step.key - MORE_KEY;
        } else {
            *to++ = (struct emulator_step){step.pointer + shift,
                                           step.key & ((1ull << PIECE_SHIFT) - 1)};
        }
    }
    p->window_end = to;
    *to = nothing;
}

// ---- making a tape ----

// Where steps are packed. past: the last ones, those of pieces with the piece's number.
struct packer {
    struct emulated_trace *t;
    struct emulator_step *past;
    size_t most, count;      // steps that the tape may have; that were packed
    size_t left, period;     // the last ones that go on with a period
    size_t last[LAST_KEYS];  // behind the last step with a key of that number
};

static bool add_to_tape(struct packer *p, struct emulator_step step)
{
    struct tape *const tape = &p->t->tape;
    if (tape->count == tape->room) {
        const size_t room = MIN(MAX(FIRST_STEPS, 2 * tape->room), p->most);
        struct emulator_step *const steps =
            room > tape->room ? realloc(tape->steps, room * sizeof *steps) : NULL;
        if (!steps) return false;
        tape->steps = steps;
        tape->room = room;
    }
    tape->steps[tape->count++] = step;
    return true;
}

static bool end_period(struct packer *p)
{
    const struct emulator_step more = {p->left, p->period + MORE_KEY};
    const bool is_there = !p->left || add_to_tape(p, more);
    p->left = 0;
    return is_there;
}

static bool goes_on(const struct packer *p, size_t period, struct emulator_step step)
{
    const struct emulator_step one = p->past[(p->count - period) % PAST],
                               other = p->past[(p->count - 2 * period) % PAST];
    return step.key == one.key && step.key == other.key &&
           step.pointer - one.pointer == one.pointer - other.pointer;
}

static bool pack(struct packer *p, struct emulator_step step)
{
    size_t *const last = &p->last[(step.key ^ step.key >> 5 ^ step.key >> 48) % LAST_KEYS];
    if (!p->left || !goes_on(p, p->period, step)) {
        if (!end_period(p)) return false;
        p->period = p->count + 1 - *last;
        const bool is_known = p->period <= MAX_PERIOD && 2 * p->period <= p->count;
        if (is_known && goes_on(p, p->period, step))
            p->left = 1;
        else if (!add_to_tape(p, step))
            return false;
    } else {
        p->left++;
    }
    p->past[p->count++ % PAST] = step;
    *last = p->count;
    return true;
}

// Finds the step of an event, with the number of its piece. False: it passes the end of memory, or
// is wild.
static bool find_step(const struct emulated_trace *t, const struct trace_event *e,
                      struct emulator_step *step)
{
    const bool is_texture = e->space == TRACE_TEXTURE;
    *step = (struct emulator_step){
        .key = EMULATOR_STEP(t->log.code + e->site + 1, e->kind, e->bytes, is_texture)};
    if (e->kind == TRACE_FLOW) return true;
    const struct emulator_range *r = t->pieces;
    if (e->space == TRACE_SHARED)
        r = &t->ranges[e->address < t->static_bytes ? FIXED : TILE];
    else
        while (r->space != EMULATOR_WILD && e->address - r->as >= r->bytes) r++;
    const unsigned long long at = e->address - r->as;
    if (at >= r->bytes || r->bytes - at < e->bytes || r->space == EMULATOR_OWN) return false;
    step->pointer = r->start + at;
    const size_t piece = (size_t)(r - t->pieces);
    if (r < t->pieces || piece >= (size_t)t->trace->piece_count) return true;
    step->key |= (piece + 1ull) << PIECE_SHIFT;
    struct tape_piece *const touched = &t->tape.pieces[piece + 1];
    touched->low = MIN(touched->low, step->pointer);
    touched->high = MAX(touched->high, step->pointer + e->bytes);
    return true;
}

// Makes the tape of the block that was handed over, if there is room for it besides its logs. Where
// blocks differ it costs more than it saves.
static void make_tape(struct emulated_trace *t)
{
    t->tape.count = 0;
    if (t->tape.in_vain >= MOST_IN_VAIN && ++t->tape.pause < PAUSE) return;
    t->tape.in_vain++;
    t->tape.pause = 0;
    const size_t all = t->trace->max_events / 2 * 3, taken = t->room + t->turns->len / 2;
    struct packer p = {.t = t, .past = t->tape.window, .most = all > taken ? all - taken : 0};
    size_t from[EMULATOR_MAX_THREADS] = {0};
    bool is_there = p.most >= t->tape.room;
    for (int i = 0; i <= t->trace->piece_count; i++)
        t->tape.pieces[i] = (struct tape_piece){.low = ~0ull};
    for (guint i = 0; i < t->turns->len && is_there; i++) {
        const struct turn *const turn = &g_array_index(t->turns, struct turn, i);
        const struct trace_event *const events = t->threads[turn->thread].events;
        struct emulator_step step = {turn->thread, MARK_KEY};
        is_there = pack(&p, step);
        for (size_t k = from[turn->thread]; k < turn->end && is_there; k++)
            is_there = find_step(t, &events[k], &step) && pack(&p, step);
        from[turn->thread] = turn->end;
    }
    if (!is_there || !end_period(&p)) t->tape.count = 0;
}

// ---- following it ----

static void set_following(struct emulated_trace *t, bool is_followed)
{
    for (int i = 1; i <= t->trace->piece_count && is_followed; i++)
        t->tape.pieces[i].shift = UNKNOWN_SHIFT;
    t->log.is_followed = is_followed;
    emulator_step = &nothing;
    if (is_followed) rewind_tape(t);
}

static struct trace_event event_of(const struct emulated_trace *t, struct emulator_step step)
{
    const unsigned int kind = (unsigned int)(step.key >> KIND_SHIFT);
    const unsigned long long after = step.key & ((1ull << KIND_SHIFT) - 1);
    struct trace_event event = {
        .site = (unsigned int)(after - 1 - t->log.code), .kind = kind & 7, .bytes = kind >> 3 & 31};
    if (event.kind == TRACE_FLOW) return event;
    const struct emulator_range *r = t->ranges;
    while (r->space != EMULATOR_WILD && step.pointer - r->start >= r->bytes) r++;
    event.address = step.pointer - r->start + r->as;
    event.space = kind >> 8 & 1 ? TRACE_TEXTURE : (unsigned char)r->space;
    return event;
}

// Makes the logs of what the block has done so far. They have room for it, since the block before
// did the same.
static void stop_following(struct emulated_trace *t)
{
    struct thread_log *one = NULL;
    const struct emulator_step *step = emulator_log ? emulator_step : t->tape.next;
    size_t left = t->tape.passed + (size_t)(step - t->tape.window);
    g_array_set_size(t->turns, 0);
    for (rewind_tape(t); left; left--) {
        if (emulator_step->key == nothing.key) unpack(t);
        step = emulator_step++;
        if (step->key != MARK_KEY) {
            one->events[one->count++] = event_of(t, *step);
            t->events++;
            continue;
        }
        if (one) add_turn(t);
        t->running = (unsigned int)step->pointer;
        one = &t->threads[t->running];
    }
    set_following(t, false);
    if (emulator_log)
        open_log(t, t->running);
    else if (one)
        add_turn(t);
}

// Finds the shift of the piece of the next step on the tape, which is the event at the pointer.
// False: there is none, or the block would not stay inside of the piece.
static bool find_shift(struct emulated_trace *t, unsigned long long pointer)
{
    if (t->tape.at == t->tape.count) return false;
    const struct emulator_step step = t->tape.steps[t->tape.at];
    const size_t i = step.key >> PIECE_SHIFT;
    const struct trace_piece *const p = &t->trace->pieces[i - 1];
    struct tape_piece *const known = &t->tape.pieces[i];
    const unsigned long long shift = pointer - step.pointer;
    if (shift % TRACE_SHIFT_BYTES || known->low + shift - p->address > p->bytes ||
        known->high + shift - p->address > p->bytes)
        return false;
    known->shift = shift;
    return true;
}

int emulator_follow(unsigned long long pointer, unsigned long long key)
{
    struct emulated_trace *const t = current;
    if (emulator_step->key == nothing.key) unpack(t);
    if (emulator_step->key == nothing.key && find_shift(t, pointer)) unpack(t);
    if (emulator_step->pointer == pointer && emulator_step->key == key) {
        emulator_step++;
        return true;
    }
    stop_following(t);
    return false;
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
    t->tape.next = emulator_step;
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
    emulator_step = t->tape.next;
    if (t->log.is_followed && emulator_follow(thread, MARK_KEY)) {
        t->running = thread;
        emulator_log = &t->log;
    } else {
        open_log(t, thread);
    }
}

// Ends the running thread's turn.
static void end_turn(struct emulated_trace *t)
{
    t->tape.next = emulator_step;
    emulator_step = &nothing;
    emulator_log = NULL;
    if (t->log.is_followed) return;
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

bool emulated_trace_end_block(struct emulated_trace *t, bool is_cut)
{
    if (!t->trace) return true;
    if (emulator_log) end_turn(t);
    if (t->log.is_followed) {
        const bool is_same = !is_cut && t->tape.next->key == nothing.key && !t->tape.left &&
                             t->tape.at == t->tape.count;
        if (is_same && t->trace->same(t->trace->data, t->worker)) {
            t->tape.in_vain = 0;
            return true;
        }
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

#include "lens/races.h"

#include <glib.h>
#include <string.h>

enum { LANES = 32, MAX_THREADS = 1024, SHARED_BYTES = 256 << 10 };

struct access {
    unsigned int block;       // counted from 1 over all launches; 0: there was none
    unsigned int phase;       // block barriers before it
    unsigned int warp_waits;  // warp barriers of its thread before it
    unsigned int site;
    unsigned short thread;
    unsigned char kind;
};

// The history of a byte.
struct cell {
    struct access writer, readers[2];
};

struct piece {
    unsigned long long address;
    size_t bytes;
    struct cell *cells;
};

struct races {
    GArray *pieces;       // struct piece, of global memory
    struct cell *shared;  // of the first bytes of shared memory
    size_t shared_bytes;
    unsigned int block, first_block;  // the present one, and the first of the launch
    GArray *found;                    // struct race
    guint found_before;               // of launches before
    bool has_fence;
    size_t static_bytes;  // of the present block
};

struct races *races_create(void)
{
    struct races *r = g_new0(struct races, 1);
    r->pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
    r->found = g_array_new(FALSE, FALSE, sizeof(struct race));
    r->first_block = 1;
    return r;
}

void races_destroy(struct races *r)
{
    if (!r) return;
    for (guint i = 0; i < r->pieces->len; i++)
        g_free(g_array_index(r->pieces, struct piece, i).cells);
    g_array_unref(r->pieces);
    g_array_unref(r->found);
    g_free(r->shared);
    g_free(r);
}

void races_watch(struct races *r, unsigned long long address, size_t bytes)
{
    const struct piece piece = {address, bytes, g_new0(struct cell, bytes)};
    g_array_append_val(r->pieces, piece);
}

// Drops races between blocks of a launch with a fence: they may have agreed on something.
static void drop_races_of_blocks(struct races *r)
{
    for (guint i = r->found->len; r->has_fence && i > r->found_before; i--)
        if (!g_array_index(r->found, struct race, i - 1).is_one_block)
            g_array_remove_index(r->found, i - 1);
}

void races_begin_launch(struct races *r)
{
    drop_races_of_blocks(r);
    r->found_before = r->found->len;
    r->has_fence = false;
    r->first_block = r->block + 1;
}

const struct race *races_found(struct races *r, int *count)
{
    drop_races_of_blocks(r);
    *count = (int)r->found->len;
    return (const struct race *)(const void *)r->found->data;
}

// ---- two accesses ----

static bool is_of_launch(const struct races *r, const struct access *a)
{
    return a->block >= r->first_block;
}

static bool is_ordered(const struct access *a, const struct access *b)
{
    if (a->block != b->block) return false;
    if (a->thread == b->thread || a->phase != b->phase) return true;
    return a->thread / LANES == b->thread / LANES && a->warp_waits != b->warp_waits;
}

// Takes each pair of sites once, whichever of the two comes first.
static void add_race(struct races *r, const struct race *race)
{
    for (guint i = 0; i < r->found->len; i++) {
        const struct race *other = &g_array_index(r->found, struct race, i);
        const int swapped = race->site[0] != other->site[0];
        if (race->site[0] == other->site[swapped] && race->site[1] == other->site[1 - swapped] &&
            other->is_one_block == race->is_one_block)
            return;
    }
    if (r->found->len < RACES_MAX) g_array_append_vals(r->found, race, 1);
}

static void compare(struct races *r, const struct access *before, const struct access *now,
                    const struct trace_event *e)
{
    if (!is_of_launch(r, before) || is_ordered(before, now)) return;
    if (before->kind == TRACE_ATOMIC && now->kind == TRACE_ATOMIC) return;
    const struct race race = {.space = (enum trace_space)e->space,
                              .address = e->address,
                              .site = {before->site, now->site},
                              .kind = {(enum trace_kind)before->kind, (enum trace_kind)now->kind},
                              .thread = {before->thread, now->thread},
                              .bytes = e->bytes,
                              .static_bytes = r->static_bytes,
                              .is_one_block = before->block == now->block};
    add_race(r, &race);
}

static void touch(struct races *r, struct cell *cell, const struct access *now,
                  const struct trace_event *e)
{
    compare(r, &cell->writer, now, e);
    for (size_t i = 0; i < G_N_ELEMENTS(cell->readers); i++) {
        struct access *reader = &cell->readers[i];
        if (now->kind != TRACE_LOAD) {
            compare(r, reader, now, e);
        } else if (!is_of_launch(r, reader) || is_ordered(reader, now)) {
            *reader = *now;  // the new one is ordered behind it and takes its place
            return;
        }
    }
    if (now->kind != TRACE_LOAD) cell->writer = *now;
}

// ---- a block ----

static void reserve_shared(struct races *r, size_t bytes)
{
    const size_t before = r->shared_bytes;
    if (bytes <= before) return;
    r->shared = g_renew(struct cell, r->shared, bytes);
    memset(r->shared + before, 0, (bytes - before) * sizeof *r->shared);
    r->shared_bytes = bytes;
}

// The cells of an access; NULL: it is to memory that is not watched.
static struct cell *find_cells(struct races *r, const struct trace_event *e)
{
    if (e->space == TRACE_SHARED) {
        if (e->address > (unsigned long long)SHARED_BYTES - e->bytes) return NULL;
        reserve_shared(r, e->address + e->bytes);  // an access behind the block's own
        return r->shared + e->address;
    }
    for (guint i = 0; e->space == TRACE_GLOBAL && i < r->pieces->len; i++) {
        const struct piece *p = &g_array_index(r->pieces, struct piece, i);
        const unsigned long long at = e->address - p->address;
        if (at < p->bytes && e->bytes <= p->bytes - at) return p->cells + at;
    }
    return NULL;
}

// Goes through a thread's events up to its next block barrier. Returns the next event; end: none.
static size_t run_phase(struct races *r, const struct trace_thread *t, size_t at,
                        struct access *now)
{
    for (; at < t->count; at++) {
        const struct trace_event *e = &t->events[at];
        if (e->kind != TRACE_FLOW) {
            struct cell *cells = find_cells(r, e);
            now->site = e->site;
            now->kind = e->kind;
            for (int i = 0; cells && i < e->bytes; i++) {
                // Another block's shared memory is other memory.
                if (e->space == TRACE_SHARED && cells[i].writer.block != r->block &&
                    cells[i].readers[0].block != r->block)
                    cells[i] = (struct cell){.writer = {.block = 0}};
                touch(r, &cells[i], now, e);
            }
            continue;
        }
        if (e->bytes == TRACE_NO_BARRIER) continue;
        if (e->bytes == TRACE_BLOCK_BARRIER) return at + 1;
        now->warp_waits += e->bytes == TRACE_WARP_BARRIER;
        r->has_fence |= e->bytes == TRACE_FENCE;
    }
    return at;
}

// ---- a barrier that not all threads reach ----

// Returns how many barriers the thread has passed. Sets *site to that of number `barrier`, if it
// has passed it.
static int count_barriers(const struct trace_thread *t, int barrier, unsigned int *site)
{
    int count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct trace_event *e = &t->events[i];
        if (e->kind != TRACE_FLOW || e->bytes != TRACE_BLOCK_BARRIER) continue;
        if (count++ == barrier) *site = e->site;
    }
    return count;
}

void races_add_block(struct races *r, const struct trace_block *block)
{
    const guint found_before = r->found->len;
    const int threads = MIN(block->width * block->height, MAX_THREADS);
    size_t at[MAX_THREADS] = {0};
    unsigned int warp_waits[MAX_THREADS] = {0};
    bool is_going_on = true;
    r->block++;
    r->static_bytes = block->static_bytes;
    reserve_shared(r, MIN(block->shared_bytes, SHARED_BYTES));
    for (unsigned int phase = 0; is_going_on; phase++) {
        is_going_on = false;
        for (int i = 0; i < threads; i++) {
            struct access now = {.block = r->block,
                                 .phase = phase,
                                 .thread = (unsigned short)i,
                                 .warp_waits = warp_waits[i]};
            at[i] = run_phase(r, &block->threads[i], at[i], &now);
            warp_waits[i] = now.warp_waits;
            is_going_on |= at[i] < block->threads[i].count;
        }
    }
    for (guint i = found_before; i < r->found->len; i++) {
        struct race *race = &g_array_index(r->found, struct race, i);
        if (!race->is_one_block) continue;
        struct race_barrier *b = &race->barrier;  // the first that only one of the two has passed
        const int one = count_barriers(&block->threads[race->thread[0]], -1, &b->site);
        const int other = count_barriers(&block->threads[race->thread[1]], -1, &b->site);
        for (int k = threads; one != other && k-- > 0;) {
            const int first = MIN(one, other);
            const bool waits = count_barriers(&block->threads[k], first, &b->site) > first;
            *(waits ? &b->first_waiting : &b->first_missing) = k;
            *(waits ? &b->waiting : &b->missing) += 1;
        }
    }
}

void races_merge(struct races *r, struct races *other)
{
    int count;
    const struct race *found = races_found(other, &count);
    for (int i = 0; i < count; i++) add_race(r, &found[i]);
}

int races_place(const struct race *race, bool *is_tile)
{
    *is_tile = race->address >= race->static_bytes;
    return (int)(race->address - (*is_tile ? race->static_bytes : 0));
}

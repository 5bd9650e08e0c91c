#include "lens/alike.h"

#include "lens/replay.h"

// For each piece of memory, the offset that a block touched first, down to a multiple of 128.
struct places {
    const struct lens_memory *memory;
    int count;
    size_t shared_bytes;
    bool is_known[LENS_RESULT_MAX_MEMORY];
    guint64 begin[LENS_RESULT_MAX_MEMORY];
};

__extension__ typedef unsigned __int128 product;

// Mixes two words into the hash: a product of 64 by 64 bits, both halves of which are kept. The
// constants are the fractions of the square roots of 2 and 3.
static inline void mix(struct alike *h, guint64 a, guint64 b)
{
    const product all =
        (product)(h->low ^ a ^ 0x6a09e667f3bcc908u) * (h->high ^ b ^ 0xbb67ae8584caa73bu);
    const guint64 low = h->low;
    h->low = (guint64)all ^ h->high;
    h->high = (guint64)(all >> 64) + low;
}

// Makes of an address what repeats: its distance from where the block began in its piece. The
// highest byte is the piece's number. False: it is in no piece, or passes its end.
static inline bool place(struct places *p, const struct trace_event *e, guint64 *at)
{
    for (int i = 0; i < p->count; i++) {
        const struct lens_memory *const m = &p->memory[i];
        const guint64 offset = e->address - m->address;
        if (offset >= m->bytes) continue;
        if (!p->is_known[i]) p->begin[i] = offset & ~(guint64)(MODEL_LINE_BYTES - 1);
        p->is_known[i] = true;
        *at = (offset - p->begin[i]) ^ (guint64)(i + 1) << 56;
        return e->bytes <= m->bytes - offset;
    }
    return false;
}

static inline bool add(struct places *p, struct alike *hash, const struct trace_event *e)
{
    guint64 at = e->kind == TRACE_FLOW ? 0 : e->address;
    if (e->kind != TRACE_FLOW && e->space == TRACE_SHARED) {
        if (at + e->bytes > p->shared_bytes) return false;
    } else if (e->kind != TRACE_FLOW && !place(p, e, &at) && e->space != TRACE_CONSTANT) {
        return false;
    }
    mix(hash, at, replay_key(e));
    return true;
}

// Hashes two threads at a time, since a product must wait for the one before it.
bool alike_find(const struct trace_block *block, const struct lens_memory *memory, int count,
                struct alike *found)
{
    struct places places = {.memory = memory, .count = count, .shared_bytes = block->shared_bytes};
    const struct trace_thread nothing = {.count = 0};
    struct alike even = {0, 0}, odd = {0, 0};
    for (int t = 0, threads = block->width * block->height; t < threads; t += 2) {
        const struct trace_thread one = block->threads[t];
        const struct trace_thread other = t + 1 < threads ? block->threads[t + 1] : nothing;
        for (size_t i = 0; i < MAX(one.count, other.count); i++)
            if ((i < one.count && !add(&places, &even, &one.events[i])) ||
                (i < other.count && !add(&places, &odd, &other.events[i])))
                return false;
        mix(&even, one.count, other.count);
    }
    mix(&even, odd.low, odd.high);
    *found = even;
    return true;
}

#include "lens/alike.h"

#include <string.h>

#include "lens/replay.h"

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
// highest byte is the piece's number. Returns the bit of that piece; 0: it is in none, or passes
// its end.
static inline unsigned int place(struct alike_block *b, const struct trace_event *e, guint64 *at)
{
    for (int i = 0; i < b->count; i++) {
        const struct lens_memory *const m = &b->memory[i];
        const guint64 offset = e->address - m->address;
        if (offset >= m->bytes) continue;
        if (!b->is_known[i]) b->begin[i] = offset & ~(guint64)(MODEL_LINE_BYTES - 1);
        b->is_known[i] = true;
        *at = (offset - b->begin[i]) ^ (guint64)(i + 1) << 56;
        return e->bytes <= m->bytes - offset ? 1u << i : 0;
    }
    return 0;
}

void alike_begin(struct alike_block *b, const struct lens_memory *memory, int count)
{
    *b = (struct alike_block){.memory = memory, .count = count};
}

// A product must wait for the one before it, so two hashes take turns.
void alike_add(struct alike_block *b, int thread, const struct trace_event *events, size_t count)
{
    struct alike_thread *const t = &b->threads[thread];
    struct alike next = t->next, other = t->other;
    unsigned int touched[TRACE_ATOMIC + 1] = {0};
    guint64 shared_end = b->shared_end;
    for (const struct trace_event *e = events; e < events + count; e++) {
        guint64 at = e->address;
        if (e->kind == TRACE_FLOW) {
            at = 0;
        } else if (e->space == TRACE_SHARED) {
            shared_end = MAX(shared_end, at + e->bytes);
        } else {
            const unsigned int piece = place(b, e, &at);
            touched[e->kind] |= piece;
            if (!piece && e->space != TRACE_CONSTANT) b->is_outside = true;
        }
        mix(&next, at, replay_key(e));
        const struct alike mixed = next;
        next = other;
        other = mixed;
    }
    b->shared_end = shared_end;
    b->loaded |= touched[TRACE_LOAD] | touched[TRACE_ATOMIC];
    b->stored |= touched[TRACE_STORE] | touched[TRACE_ATOMIC];
    t->count += count;
    t->next = next;
    t->other = other;
}

bool alike_end(struct alike_block *b, const struct trace_block *block, struct alike *found)
{
    const bool is_inside = !b->is_outside && b->shared_end <= block->shared_bytes;
    *found = (struct alike){0, 0};
    for (int i = 0; i < block->width * block->height; i++) {
        const struct alike_thread *const t = &b->threads[i];
        mix(found, t->next.low, t->next.high);
        mix(found, t->other.low, t->other.high);
        mix(found, t->count, 0);
    }
    memset(b->threads, 0, sizeof *b->threads * (size_t)(block->width * block->height));
    memset(b->is_known, 0, sizeof b->is_known);
    b->shared_end = b->loaded = b->stored = b->is_outside = false;
    return is_inside;
}

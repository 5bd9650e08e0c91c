#include "lens/bounds.h"

#include <glib.h>
#include <string.h>

enum { NEAR_BYTES = 4096 };  // and more lies between any two pieces of a trial (trials.h)

static bool is_inside(unsigned long long at, int bytes, size_t all)
{
    return at <= all && (unsigned)bytes <= all - at;
}

// Behind the piece that begins before it, or else just before the next one. Of a variable of the
// file nothing is said, and of a wild access that is near no piece, only the address.
static bool find_global(const struct lens_memory *memory, int count, const struct trace_event *e,
                        struct lens_outside *o)
{
    const struct lens_memory *before = NULL, *next = NULL;
    for (int i = 0; i < count; i++) {
        const struct lens_memory *m = &memory[i];
        if (m->address > e->address) {
            if (!next || m->address < next->address) next = m;
            continue;
        }
        if (is_inside(e->address - m->address, e->bytes, m->bytes)) return false;
        if (!before || m->address > before->address) before = m;
    }
    if (before && e->address - before->address >= before->bytes + NEAR_BYTES) before = NULL;
    if (next && next->address - e->address > NEAR_BYTES) next = NULL;
    const struct lens_memory *const near = before ? before : next;
    *o = (struct lens_outside){.at = (long long)e->address, .element_bytes = e->bytes};
    if (!near) return e->is_wild;
    *o = (struct lens_outside){.at = (long long)(e->address - near->address),
                               .array_bytes = near->bytes,
                               .element_bytes = near->element_bytes};
    memcpy(o->array, near->name, sizeof o->array);
    return true;
}

bool bounds_look(const struct trace_block *block, int thread, const struct trace_event *e,
                 const struct lens_memory *memory, int memory_count, struct lens_outside *o)
{
    if (e->kind == TRACE_FLOW) return false;
    if (e->space == TRACE_SHARED) {
        if (is_inside(e->address, e->bytes, block->shared_bytes)) return false;
        *o = (struct lens_outside){.array = "tile",
                                   .at = (long long)(e->address - block->static_bytes),
                                   .array_bytes = block->shared_bytes - block->static_bytes,
                                   .element_bytes = e->bytes};
    } else if (e->space != TRACE_GLOBAL || !find_global(memory, memory_count, e, o)) {
        return false;
    }
    o->site = e->site;
    o->kind = (enum trace_kind)e->kind;
    o->thread_x = thread % block->width;
    o->thread_y = thread / block->width;
    o->block_x = block->x;
    o->block_y = block->y;
    return true;
}

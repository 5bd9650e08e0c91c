#include "lens/memory_list.h"

#include <glib.h>
#include <string.h>

void memory_list_fill(struct lens_result *r, const struct frame *frame,
                      const struct frame_memory *memory)
{
    for (int i = 0; i < frame->arrays.count; i++) {
        const struct array *a = &frame->choice.filter->arrays[i];
        const struct planes p = frame_planes(frame, memory, i);
        const size_t packed = (size_t)p.pitch * (size_t)p.height;
        if (!p.pixels) continue;
        struct lens_memory *m = &r->memory[r->memory_count++];
        *m = (struct lens_memory){.address = (unsigned long long)p.pixels,
                                  .bytes =
                                      p.plane_bytes == 1 ? packed : frame->arrays.places[i].bytes,
                                  .element_bytes = (int)array_type_bytes(a->type),
                                  .shape = planes_at(p, NULL)};
        g_strlcpy(m->name, a->name, sizeof m->name);
    }
}

bool memory_list_is_given(const struct lens_memory *m)
{
    return !strcmp(m->name, "in") || !strcmp(m->name, "weights");
}

// The pieces of memory that a pass reads or writes, as bits.
static unsigned int memory_of(const struct lens_result *r, const struct lens_pass *p,
                              bool is_written)
{
    unsigned int found = 0;
    for (int i = 0; i < p->step_count; i++) {
        const struct lens_request *q = &p->steps[i].request;
        const bool writes = q->kind != TRACE_LOAD;
        if (writes != is_written && q->kind != TRACE_ATOMIC) continue;
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            const struct lens_memory *m = lens_result_memory_at(r, q, lane);
            if (m) found |= 1u << (m - r->memory);
        }
    }
    return found;
}

bool memory_list_is_written_once(const struct lens_result *r)
{
    for (int i = 0; i < r->pass_count; i++)
        for (int later = i; later < r->pass_count; later++)
            if (memory_of(r, &r->passes[i], false) & memory_of(r, &r->passes[later], true))
                return false;
    return true;
}

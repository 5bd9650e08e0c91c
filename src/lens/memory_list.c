#include "lens/memory_list.h"

#include <glib.h>
#include <string.h>

static void add_memory(struct lens_result *r, const char *name, const void *start, size_t bytes,
                       int element_bytes)
{
    struct lens_memory *m = &r->memory[r->memory_count++];
    *m = (struct lens_memory){
        .address = (unsigned long long)start, .bytes = bytes, .element_bytes = element_bytes};
    g_strlcpy(m->name, name, sizeof m->name);
}

static void add_picture(struct lens_result *r, const char *name, struct planes picture)
{
    const bool is_packed = picture.plane_bytes == 1;
    const size_t bytes =
        is_packed ? (size_t)picture.pitch * (size_t)picture.height : planes_bytes(picture);
    add_memory(r, name, picture.pixels, bytes, 1);
    r->memory[r->memory_count - 1].shape = planes_at(picture, NULL);
}

void memory_list_fill(struct lens_result *r, const struct frame *frame,
                      const struct frame_memory *memory)
{
    const struct filter *f = frame->choice.filter;
    const struct planes shape = frame->picture;
    for (int i = 0; i < frame->arrays.count; i++)
        add_memory(r, f->arrays[i].name,
                   (unsigned char *)memory->arrays + frame->arrays.places[i].offset,
                   frame->arrays.places[i].bytes, (int)array_type_bytes(f->arrays[i].type));
    if (f->is_lab) return;
    add_picture(r, "in", frame_in(frame, memory));
    add_picture(r, "out", frame_out(frame, memory));
    if (memory->scratch)
        add_memory(r, "scratch", memory->scratch,
                   4 * (size_t)shape.width * (size_t)shape.height * (size_t)shape.count, 4);
    if (f->weights) add_memory(r, "weights", memory->weights, FRAME_WEIGHTS_BYTES, 4);
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

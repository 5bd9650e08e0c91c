#include "frame/agreement.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"

bool agreement_may_lack(const struct frame *frame)
{
    const struct filter *const f = frame->choice.filter;
    return !backend_device(frame->backend)->is_gpu && !filter_has_reference(f) &&
           !strstr(f->source, "atomic");
}

bool agreement_is_due(const struct frame *frame)
{
    return frame->module && backend_is_fast(frame->module) && agreement_may_lack(frame);
}

// Takes in some elements, and makes their NaNs alike before.
static uint64_t take_in(uint64_t print, const struct array *a, void *elements, size_t bytes)
{
    const size_t step = array_step(a);
    const bool is_real = !a->record.count && array_types[a->type].is_real;
    for (size_t i = 0; is_real && i < bytes / step; i++)
        if (isnan(array_value(a->type, elements, (long long)i)))
            memset((unsigned char *)elements + i * step, 0xff, step);
    return hash_bytes(print, elements, bytes);
}

bool agreement_print(const struct frame *frame, const struct frame_memory *memory, uint64_t *print,
                     struct error *err)
{
    enum { PIECES = 1024 };  // of an array: 16 MB
    double piece[2048];      // holds whole numbers of every type
    *print = 0;
    for (int i = 0; i < frame->arrays.count; i++) {
        const struct array *const a = &frame->choice.filter->arrays[i];
        const unsigned char *const start = frame_array(frame, memory, i);
        const size_t bytes = a->kind == ARRAY_OUT ? frame->arrays.places[i].bytes : 0;
        const size_t step = (bytes / sizeof piece / PIECES + 1) * sizeof piece;
        for (size_t at = 0; start && at < bytes; at += step) {
            const size_t part = MIN(sizeof piece, bytes - at);
            if (!backend_read(frame->backend, piece, start + at, part, err)) return false;
            *print = take_in(*print, a, piece, part);
        }
    }
    return true;
}

bool agreement_test(const struct frame *frame, agreement_launch *launch, void *data, bool *agrees,
                    struct error *err)
{
    uint64_t fast, fibers, again;
    struct frame_memory memory;
    struct frame strict = *frame;
    strict.is_strict = true;
    *agrees = true;
    if (!agreement_is_due(frame)) return true;
    if (!launch(data, frame, &memory, err) || !agreement_print(frame, &memory, &fast, err) ||
        !launch(data, &strict, &memory, err) || !agreement_print(frame, &memory, &fibers, err))
        return false;
    if (fast == fibers) return true;
    if (!launch(data, &strict, &memory, err) || !agreement_print(frame, &memory, &again, err))
        return false;
    *agrees = again != fibers;
    return true;
}

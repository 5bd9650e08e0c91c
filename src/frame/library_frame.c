#include "frame/library_frame.h"

#include <assert.h>

int library_frame_functions(const struct filter *f,
                            const struct library_function *functions[BACKEND_MAX_FUNCTIONS])
{
    int count = 0;
    for (int i = 0; i < f->variant_count; i++)
        if (f->variants[i].library.function) functions[count++] = f->variants[i].library.function;
    return count;
}

// Its place among the functions of the module.
static int index_of(const struct choice *c)
{
    int index = 0;
    for (const struct variant *v = c->filter->variants; v != c->variant; v++)
        index += v->library.function != NULL;
    return index;
}

bool library_frame_can_run(const struct frame *frame, struct error *err)
{
    if (!frame->choice.variant->library.function) return true;
    return backend_has_function(frame->module, index_of(&frame->choice), err) ||
           error_prefix(err, "%s ", frame->choice.variant->name);
}

static union library_value value_of(const struct frame *frame, const struct frame_memory *memory,
                                    int argument)
{
    const struct variant_library *l = &frame->choice.variant->library;
    const int index = l->arguments[argument];
    if (l->function->arguments[argument] == 'n')
        return (union library_value){.whole = (int)frame->choice.settings.params.v[index]};
    return (union library_value){.array = frame_array(frame, memory, index)};
}

bool library_frame_run(const struct frame *frame, const struct frame_memory *memory,
                       struct error *err)
{
    const struct library_function *f = frame->choice.variant->library.function;
    struct library_call call = {.module = frame->module, .function = index_of(&frame->choice)};
    struct library_arguments *a = &call.arguments;
    for (int i = 0; f->arguments[i]; i++) a->values[i] = value_of(frame, memory, i);
    if (f->is_of_pictures) {
        const float *const weights = frame_array(frame, memory, ARRAYS_WEIGHTS);
        a->out = frame_planes(frame, memory, ARRAYS_OUT);
        a->in = frame_planes(frame, memory, ARRAYS_IN);
        a->weights = weights ? weights + WEIGHTS_MAX + 1 : NULL;
    }
    return backend_call_library(frame->backend, &call, err);
}

bool library_frame_warm_up(const struct frame *frame, const struct frame_memory *memory,
                           struct error *err)
{
    const struct choice *c = &frame->choice;
    if (!c->variant || !c->variant->library.function) return true;
    return backend_has_called(frame->backend, frame->module, index_of(c)) ||
           (library_frame_run(frame, memory, err) && backend_wait(frame->backend, err));
}

#include "frame/lab.h"

#include <glib.h>

enum { FILL_THREADS = 256, PAINT_WIDTH = 32, PAINT_HEIGHT = 8 };

const char *const lab_kernels[LAB_KERNELS] = {[LAB_FILL] = "lab_fill", [LAB_PAINT] = "lab_paint"};

_Static_assert(sizeof(struct lab_task) <= BACKEND_MAX_ARGUMENT_BYTES, "it is a kernel's argument");

static bool run_own(const struct frame *frame, const struct frame_memory *memory,
                    enum lab_kernel kernel, const struct lab_task *task,
                    const struct launch_config *config, struct error *err)
{
    const struct filter *f = frame->choice.filter;
    const struct launch l = {
        .module = frame->module,
        .entry = frame_entry(f, f->variants + f->variant_count) + f->untimed_count + (int)kernel,
        .config = *config,
        .is_cut = memory->is_cut,
        .arrays = &task->array,  // unused: the task says all
        .arrays_bytes = sizeof(void *),
        .params = task,
        .params_bytes = sizeof *task,
    };
    return backend_launch(frame->backend, &l, err);
}

bool lab_fill(const struct frame *frame, const struct frame_memory *memory, int index,
              struct error *err)
{
    const struct array *a = &frame->choice.filter->arrays[index];
    const struct array_place *place = &frame->arrays.places[index];
    const struct lab_task task = {
        .array = frame_array(frame, memory, index),
        .count = place->count,
        .type = (int)a->type,
        .fill = (int)a->fill,
        .low = (int)place->low,
        .high = (int)place->high,
        .seed = (unsigned int)index,
    };
    const struct launch_config config = {
        .grid_width = (int)((place->count - 1) / FILL_THREADS) + 1,
        .grid_height = 1,
        .block_width = FILL_THREADS,
        .block_height = 1,
    };
    return run_own(frame, memory, LAB_FILL, &task, &config, err);
}

bool lab_paint(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    const struct array *a = &frame->choice.filter->arrays[frame->shown_array];
    const struct array_place *place = &frame->arrays.places[frame->shown_array];
    const struct planes to = memory->target;
    struct lab_task task = {
        .array = frame_array(frame, memory, frame->shown_array),
        .count = place->count,
        .type = (int)a->type,
        .low = (int)frame->scale.low,
        .high = (int)frame->scale.high,
        .pixels = to.pixels,
        .width = to.width,
        .height = to.height,
        .pitch = to.pitch,
    };
    array_picture(a, place, &task.columns, &task.step);
    const struct launch_config config = {
        .grid_width = (to.width - 1) / PAINT_WIDTH + 1,
        .grid_height = (to.height - 1) / PAINT_HEIGHT + 1,
        .block_width = PAINT_WIDTH,
        .block_height = PAINT_HEIGHT,
    };
    return run_own(frame, memory, LAB_PAINT, &task, &config, err);
}

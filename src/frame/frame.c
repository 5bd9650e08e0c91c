// frame.c -- one frame, from the picture to the window. Read this first.
//
//   image.c         frame.c                            interop.c        display.c      window.c
//   file ──load──▶  source ──pass──▶ … ──pass──▶ target = PBO (mapped) ──▶ texture ──▶ quad
//                   planes      scratch               lent for the frame          + overlay, swap
//                                            headless: plain memory ──▶ image_save
//
// A filter is a file in kernels/; a variant is one way to compute it; a pass is one kernel launch.
// A single pass reads the source and writes the target. Variants of several passes hand their
// intermediate results on in scratch; each pass still sees the source and the target. A variant
// with prepare= and finish= sees two pictures of its own instead: these two kernels convert.
//
// frame_plan turns a choice into grids, blocks, shared bytes and packed params, once. frame_run is
// what happens for every picture: it fills in the pointers and launches each pass.
#include "frame/frame.h"

#include <assert.h>
#include <glib.h>

#include "frame/lab.h"
#include "frame/library_frame.h"

enum half { SOURCE, RESULT };  // of a frame's own pictures

// ---- once for a choice ----

int frame_entry(const struct filter *f, const struct variant *v)
{
    int entry = 0;
    for (const struct variant *before = f->variants; before != v; before++)
        entry += before->pass_count;
    return entry;
}

int frame_untimed_entry(const struct filter *f, const char *name)
{
    return frame_entry(f, f->variants + f->variant_count) + filter_untimed(f, name);
}

struct planes frame_picture(const struct frame *frame)
{
    int columns, step;
    const struct filter *f = frame->choice.filter;
    if (!f->is_lab) return frame->picture;
    return lab_picture(&f->arrays[frame->shown_array], &frame->arrays.places[frame->shown_array],
                       &columns, &step);
}

void frame_show(struct frame *frame, int array, const struct array_scale *scale)
{
    assert(array >= 0 && array < frame->arrays.count);
    const struct array_place *place = &frame->arrays.places[array];
    frame->shown_array = array;
    frame->scale = scale ? *scale : (struct array_scale){place->low, place->high};
}

bool frame_plan(struct frame *frame, struct planes picture, struct error *err)
{
    const struct choice *c = &frame->choice;
    struct arrays_layout arrays = {.count = 0};
    if (c->filter->is_lab && !arrays_plan(&arrays, c->filter, &c->settings.params, err))
        return false;
    if (!c->variant) {
        frame->arrays = arrays;
        return true;
    }
    struct device device = *backend_device(frame->backend);
    if (frame->multiprocessors) device.multiprocessors = frame->multiprocessors;
    const int entry = frame_entry(c->filter, c->variant);
    if (!launch_plan(&frame->plan, c, picture, &device, backend_facts(frame->module) + entry,
                     err) ||
        !library_frame_can_run(frame, err))
        return false;
    frame->picture = planes_at(picture, NULL);
    frame->first_entry = entry;
    frame->params_bytes = filter_pack(c->filter, &c->settings.params, frame->params);
    frame->arrays = arrays;
    if (c->filter->is_lab) frame_show(frame, arrays_first_out(c->filter), NULL);
    return true;
}

// ---- every frame ----

static bool has_own(const struct frame *frame)
{
    return *frame->choice.variant->prepare;
}

// One of the variant's own pictures, all planes of it.
static struct planes own(const struct frame *frame, const struct frame_memory *memory,
                         enum half half)
{
    struct planes v = memory->source;
    assert(memory->own);
    v.pixels = (unsigned char *)memory->own + half * planes_bytes(memory->source);
    if (!frame->plan.pitch) return v;
    v.pitch = frame->plan.pitch;
    v.plane_bytes = 1;
    return v;
}

// As many bytes as the pixels have, in whole lines, which copies move fastest.
static bool copy_source(const struct frame *frame, const struct frame_memory *memory,
                        struct error *err)
{
    if (memory->arrays)
        return backend_copy(frame->backend,
                            (unsigned char *)memory->arrays + frame->arrays.copy_offset,
                            memory->arrays, frame->arrays.copy_bytes, err);
    enum { LINE_BYTES = 128 };
    const struct planes from = memory->source;  // perhaps not all rows of it
    const size_t bytes = (size_t)from.width * (size_t)from.height * (size_t)from.count;
    const size_t lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;
    return backend_copy(frame->backend, memory->target.pixels, from.pixels, lines * LINE_BYTES,
                        err);
}

struct planes frame_in(const struct frame *frame, const struct frame_memory *memory)
{
    return has_own(frame) ? own(frame, memory, SOURCE) : memory->source;
}

struct planes frame_out(const struct frame *frame, const struct frame_memory *memory)
{
    return has_own(frame) ? own(frame, memory, RESULT) : memory->target;
}

// Interleaved planes are one plane to a kernel.
static struct planes seen(const struct frame *frame, struct planes v)
{
    if (frame->plan.pitch) v.count = 1;
    return v;
}

bool frame_run_pass(const struct frame *frame, const struct frame_memory *memory, int pass,
                    const struct trace *trace, struct error *err)
{
    assert(pass >= 0 && pass < frame->plan.pass_count);
    if (frame->choice.filter->is_lab) return lab_run_pass(frame, memory, pass, trace, err);
    assert(planes_is_same_shape(memory->source, frame->picture));
    const struct launch launch = {
        .module = frame->module,
        .entry = frame->first_entry + pass,
        .config = frame->plan.passes[pass],
        .out = seen(frame, frame_out(frame, memory)),
        .in = seen(frame, frame_in(frame, memory)),
        .is_packed = frame->plan.pitch > 0,
        .scratch = memory->scratch,
        .weights = memory->weights,
        .params = frame->params,
        .params_bytes = frame->params_bytes,
        .trace = trace,
    };
    return backend_launch(frame->backend, &launch, err);
}

bool frame_run(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    if (!frame->choice.variant) return copy_source(frame, memory, err);
    if (frame->choice.variant->library.function) return library_frame_run(frame, memory, err);
    for (int pass = 0; pass < frame->plan.pass_count; pass++)
        if (!frame_run_pass(frame, memory, pass, NULL, err)) return false;
    return true;
}

// ---- before and after ----

static bool bring_weights(const struct frame *frame, void *memory, struct error *err)
{
    const struct filter *f = frame->choice.filter;
    if (!f->weights) return true;
    struct {
        int whole[WEIGHTS_MAX];
        float before, parts[WEIGHTS_MAX], after;
    } weights = {.before = 0};
    _Static_assert(sizeof weights == FRAME_WEIGHTS_BYTES, "weights in memory");
    filter_fill_weights(f, &frame->choice.settings.params, weights.whole);
    for (int i = 0; i < WEIGHTS_MAX; i++) weights.parts[i] = (float)weights.whole[i] / WEIGHTS_SUM;
    return backend_write(frame->backend, memory, &weights, sizeof weights, err) &&
           backend_set_constant(frame->backend, frame->module, "constant_weights", weights.whole,
                                sizeof weights.whole, err);
}

// Runs an untimed kernel from one picture to another.
static bool convert(const struct frame *frame, const struct frame_memory *memory, const char *name,
                    const struct launch_config *config, struct planes to, struct planes from,
                    struct error *err)
{
    const struct launch launch = {
        .module = frame->module,
        .entry = frame_untimed_entry(frame->choice.filter, name),
        .config = *config,
        .out = to,
        .in = from,
        .is_packed = frame->plan.pitch > 0,
        .is_cut = memory->is_cut,
        .scratch = memory->scratch,
        .weights = memory->weights,
        .params = frame->params,
        .params_bytes = frame->params_bytes,
    };
    return backend_launch(frame->backend, &launch, err);
}

bool frame_prepare(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    if (frame->choice.filter->is_lab) return lab_prepare(frame, memory, err);
    if (!bring_weights(frame, memory->weights, err)) return false;
    return !has_own(frame) ||
           convert(frame, memory, frame->choice.variant->prepare, &frame->plan.prepare,
                   own(frame, memory, SOURCE), memory->source, err);
}

bool frame_fill(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    return !frame->choice.filter->is_lab || lab_fill(frame, memory, err);
}

bool frame_poison(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    if (frame->choice.filter->is_lab) return lab_poison(frame, memory, err);
    void *const to = has_own(frame) ? own(frame, memory, RESULT).pixels : memory->target.pixels;
    return backend_fill(frame->backend, to, FRAME_POISON, planes_bytes(memory->target), err);
}

bool frame_finish(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    if (frame->choice.filter->is_lab) return lab_finish(frame, memory, err);
    return !has_own(frame) ||
           convert(frame, memory, frame->choice.variant->finish, &frame->plan.finish,
                   memory->target, own(frame, memory, RESULT), err);
}

// ---- compiling ----

static struct module *compile(struct backend *b, const struct filter *f, struct build *build,
                              struct error *err)
{
    const char *entries[FILTER_MAX_VARIANTS * FILTER_MAX_PASSES + FILTER_MAX_UNTIMED + LAB_KERNELS];
    _Static_assert(G_N_ELEMENTS(entries) <= BACKEND_MAX_ENTRIES, "a module has room for all");
    const struct library_function *functions[BACKEND_MAX_FUNCTIONS];
    int count = 0;
    for (int i = 0; i < f->variant_count; i++)
        for (int pass = 0; pass < f->variants[i].pass_count; pass++)
            entries[count++] = f->variants[i].passes[pass].entry;
    for (int i = 0; i < f->untimed_count; i++) entries[count++] = f->untimed[i].entry;
    for (int i = 0; f->is_lab && i < LAB_KERNELS; i++) entries[count++] = lab_kernels[i];
    build->path = f->path;
    build->source = f->source;
    build->entries = entries;
    build->entry_count = count;
    build->functions = functions;
    build->function_count = library_frame_functions(f, functions);
    return backend_compile(b, build, err);
}

struct module *frame_compile_until(struct backend *b, const struct filter *f, const char *params,
                                   const atomic_bool *cancel, struct error *err)
{
    struct build build = {.params = *params ? params : NULL, .cancel = cancel};
    return compile(b, f, &build, err);
}

struct module *frame_compile(struct backend *b, const struct filter *f, const char *params,
                             struct error *err)
{
    return frame_compile_until(b, f, params, NULL, err);
}

struct module *frame_compile_traced(struct backend *b, const struct filter *f,
                                    const atomic_bool *cancel, struct error *err)
{
    struct build build = {.is_traced = true, .cancel = cancel};
    return compile(b, f, &build, err);
}

struct module *frame_compile_guarded(struct backend *b, const struct filter *f,
                                     const struct build_guard *guard, struct error *err)
{
    struct build build = {.is_traced = guard->before_load != NULL, .guard = guard};
    return compile(b, f, &build, err);
}

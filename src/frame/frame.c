// frame.c -- one frame, from the picture to the window. Read this first.
//
//   image.c         frame.c                            interop.c        display.c      window.c
//   file ──load──▶  source ──pass──▶ … ──pass──▶ target = PBO (mapped) ──▶ texture ──▶ quad
//                   planes      scratch               lent for the frame          + overlay, swap
//                                            headless: plain memory ──▶ image_save
//
// A filter is a file in kernels/; a variant is one way to compute it; a pass is one kernel launch.
// A single pass reads the source and writes the target. Variants of several passes hand their
// intermediate results on in scratch; each pass still sees the source and the target. A variant of
// packed pixels sees packed pictures instead: frame_prepare and frame_finish convert.
#include "frame/frame.h"

#include <assert.h>

// Kernels of rgb24.h, behind the filter's own among the module's entries.
static const char *const conversions[] = {"rgb24_pack", "rgb24_unpack"};
enum conversion { PACK, UNPACK, CONVERSIONS };
enum half { SOURCE, RESULT };  // of a frame's packed memory

// A packed picture, as three planes that lie a byte apart.
static struct planes packed(const struct frame *frame, enum half half)
{
    struct planes v = frame->source;
    assert(frame->packed);
    v.pixels = (unsigned char *)frame->packed + half * planes_bytes(frame->source);
    v.pitch = (3 * v.width + 3) / 4 * 4;
    v.plane_bytes = 1;
    return v;
}

// The same as a packed variant sees it: one plane of pixels of three bytes.
static struct planes whole(struct planes v)
{
    v.count = 1;
    return v;
}

bool frame_run(const struct frame *frame, struct planes target, struct error *err)
{
    struct launch_plan plan;
    if (!frame_plan(frame, &plan, err)) return false;

    unsigned char params[4 * FILTER_MAX_PARAMS];
    const size_t params_bytes = filter_pack(frame->filter, &frame->settings.params, params);

    const bool is_packed = filter_is_rgb24(frame->variant);
    for (int pass = 0; pass < plan.pass_count; pass++) {
        const struct launch launch = {
            .module = frame->module,
            .entry = frame_entry(frame->filter, frame->variant, pass),
            .shape = plan.passes[pass],
            .out = is_packed ? whole(packed(frame, RESULT)) : target,
            .in = is_packed ? whole(packed(frame, SOURCE)) : frame->source,
            .is_packed = is_packed,
            .scratch = frame->scratch,
            .weights = frame->weights,
            .params = params,
            .params_bytes = params_bytes,
        };
        if (!backend_launch(frame->backend, &launch, err)) return false;
    }
    return true;
}

static bool bring_weights(const struct frame *frame, struct error *err)
{
    const struct filter *f = frame->filter;
    if (!f->weights) return true;
    if (!filter_check(f, &frame->settings.params, err)) return false;
    double values[WEIGHTS_MAX_PARAMS] = {0};
    for (int i = 0; i < WEIGHTS_MAX_PARAMS && f->weights->params[i]; i++)
        values[i] = frame->settings.params.v[filter_param(f, f->weights->params[i])];
    int weights[WEIGHTS_MAX] = {0};
    f->weights->fill(weights, values);
    return backend_write(frame->backend, frame->weights, weights, sizeof weights, err) &&
           backend_set_constant(frame->backend, frame->module, "constant_weights", weights,
                                sizeof weights, err);
}

static bool convert(const struct frame *frame, enum conversion conversion, struct planes to,
                    struct planes from, struct error *err)
{
    static const unsigned char no_params[4 * FILTER_MAX_PARAMS];
    const struct filter *f = frame->filter;
    const struct launch launch = {
        .module = frame->module,
        .entry = frame_entry(f, f->variants + f->variant_count, conversion),
        .shape = {.grid_width = (from.width - 1) / 32 + 1,
                  .grid_height = (from.height - 1) / 8 + 1,
                  .block_width = 32,
                  .block_height = 8},
        .out = to,
        .in = from,
        .is_packed = true,
        .params = no_params,
        .params_bytes = sizeof no_params,
    };
    return backend_launch(frame->backend, &launch, err);
}

bool frame_prepare(const struct frame *frame, struct error *err)
{
    struct launch_plan plan;
    if (!bring_weights(frame, err)) return false;
    if (!filter_is_rgb24(frame->variant)) return true;
    return frame_plan(frame, &plan, err) &&
           convert(frame, PACK, packed(frame, SOURCE), frame->source, err);
}

bool frame_finish(const struct frame *frame, struct planes target, struct error *err)
{
    if (!filter_is_rgb24(frame->variant)) return true;
    return convert(frame, UNPACK, target, packed(frame, RESULT), err);
}

bool frame_plan(const struct frame *frame, struct launch_plan *plan, struct error *err)
{
    struct kernel_facts facts[FILTER_MAX_PASSES];
    for (int pass = 0; pass < frame->variant->pass_count; pass++)
        facts[pass] =
            backend_facts(frame->module)[frame_entry(frame->filter, frame->variant, pass)];
    return launch_plan(plan, frame->filter, frame->variant, &frame->settings, frame->source,
                       backend_device(frame->backend), facts, err);
}

size_t frame_packed_bytes(const struct variant *v, struct planes picture)
{
    return filter_is_rgb24(v) && picture.count == 3 ? 2 * planes_bytes(picture) : 0;
}

size_t frame_scratch_bytes(const struct variant *v, struct planes picture)
{
    if (v->pass_count < 2) return 0;
    return 4 * (size_t)picture.width * (size_t)picture.height * (size_t)picture.count;
}

int frame_entry(const struct filter *f, const struct variant *v, int pass)
{
    int entry = pass;
    for (const struct variant *before = f->variants; before != v; before++)
        entry += before->pass_count;
    return entry;
}

struct module *frame_compile(struct backend *b, const struct filter *f, int radius,
                             struct error *err)
{
    const char *entries[FILTER_MAX_VARIANTS * FILTER_MAX_PASSES + CONVERSIONS];
    int count = 0;
    bool is_converted = false;
    for (int i = 0; i < f->variant_count; i++) {
        is_converted |= filter_is_rgb24(&f->variants[i]);
        for (int pass = 0; pass < f->variants[i].pass_count; pass++)
            entries[count++] = f->variants[i].passes[pass].entry;
    }
    for (int i = 0; is_converted && i < CONVERSIONS; i++) entries[count++] = conversions[i];
    const struct build build = {.path = f->path,
                                .source = f->source,
                                .entries = entries,
                                .entry_count = count,
                                .radius = radius};
    return backend_compile(b, &build, err);
}

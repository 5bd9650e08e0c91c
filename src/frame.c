// frame.c -- one frame, from the picture to the window. Read this first.
//
//   image.c        frame.c                          interop.c        display.c           window.c
//   file ──load──▶ source ──pass──▶ … ──pass──▶ target = PBO (mapped) ──▶ texture ──▶ quad +
//   overlay
//                  planes      scratch                lent for the frame                   ──▶ swap
//                                               headless: plain memory ──▶ image_save
//
// A filter is a file in kernels/; a variant is one way to compute it; a pass is one kernel launch.
// A single pass reads the source and writes the target. Variants of several passes hand their
// intermediate results on in scratch; each pass still sees the source and the target.
#include "frame.h"

bool frame_run(const struct frame *frame, struct view target, struct error *err)
{
    struct launch_plan plan;
    if (!frame_plan(frame, &plan, err)) return false;

    unsigned char params[4 * FILTER_MAX_PARAMS];
    const size_t params_bytes = filter_pack(frame->filter, &frame->settings.params, params);

    for (int pass = 0; pass < plan.pass_count; pass++) {
        const struct launch launch = {
            .module = frame->module,
            .entry = frame_entry(frame->filter, frame->variant, pass),
            .shape = plan.passes[pass],
            .out = target,
            .in = frame->source,
            .scratch = frame->scratch,
            .weights = frame->weights,
            .params = params,
            .params_bytes = params_bytes,
        };
        if (!backend_launch(frame->backend, &launch, err)) return false;
    }
    return true;
}

bool frame_prepare(const struct frame *frame, struct error *err)
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

bool frame_plan(const struct frame *frame, struct launch_plan *plan, struct error *err)
{
    struct kernel_facts facts[FILTER_MAX_PASSES];
    for (int pass = 0; pass < frame->variant->pass_count; pass++)
        facts[pass] =
            backend_facts(frame->module)[frame_entry(frame->filter, frame->variant, pass)];
    return launch_plan(plan, frame->filter, frame->variant, &frame->settings, frame->source,
                       backend_device(frame->backend), facts, err);
}

size_t frame_scratch_bytes(const struct variant *v, struct view picture)
{
    if (v->pass_count < 2) return 0;
    return 4 * (size_t)picture.width * (size_t)picture.height * (size_t)picture.planes;
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
    const char *entries[FILTER_MAX_VARIANTS * FILTER_MAX_PASSES];
    int count = 0;
    for (int i = 0; i < f->variant_count; i++)
        for (int pass = 0; pass < f->variants[i].pass_count; pass++)
            entries[count++] = f->variants[i].passes[pass].entry;
    const struct build build = {.path = f->path,
                                .source = f->source,
                                .entries = entries,
                                .entry_count = count,
                                .radius = radius};
    return backend_compile(b, &build, err);
}

// render.c -- `tilescope render`: one picture through one variant, without a window.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "commands.h"
#include "frame.h"
#include "image.h"

// What one rendering holds, released as a whole.
struct work {
    struct filter_list filters;
    struct selection selection;
    struct image picture, result;
    struct backend *backend;
    struct module *module;
    void *source, *target, *scratch, *weights;
    double kernel_ms;
};

static bool load(struct work *w, const struct options *o, const char *path, enum outcome *outcome,
                 struct error *err)
{
    char *folder = options_kernel_folder(o);
    const bool is_loaded = filter_list_load(&w->filters, folder, err);
    g_free(folder);
    *outcome = OUTCOME_REFUSED;
    if (!is_loaded) return false;
    *outcome = OUTCOME_USAGE;
    if (!options_select(o, &w->filters, &w->selection, err)) return false;
    *outcome = OUTCOME_REFUSED;
    return image_load(&w->picture, path, o->is_grey, err);
}

static bool open_device(struct work *w, const struct options *o, struct error *err)
{
    char reasons[2048];
    const char *device = o->device ? o->device : "auto";
    w->backend = backend_open(device, reasons, sizeof reasons, err);
    if (!w->backend) return false;
    char *include = options_include_folder(o);
    backend_set_include(w->backend, include);
    g_free(include);
    const struct selection *s = &w->selection;
    const int radius = launch_compiled_radius(s->filter, &s->settings);
    w->module = frame_compile(w->backend, s->filter, radius, err);
    return w->module != NULL;
}

static bool reserve(struct work *w, struct error *err)
{
    const struct view shape = w->picture.view;
    const size_t scratch = frame_scratch_bytes(w->selection.variant, shape);
    return image_init(&w->result, shape.width, shape.height, shape.planes, err) &&
           backend_alloc(w->backend, view_bytes(shape), &w->source, err) &&
           backend_alloc(w->backend, view_bytes(shape), &w->target, err) &&
           (!scratch || backend_alloc(w->backend, scratch, &w->scratch, err)) &&
           backend_alloc(w->backend, FRAME_WEIGHTS_BYTES, &w->weights, err) &&
           backend_upload(w->backend, view_at(shape, w->source), shape, err);
}

static bool run(struct work *w, struct error *err)
{
    const struct view shape = w->picture.view;
    const struct frame frame = {.backend = w->backend,
                                .filter = w->selection.filter,
                                .variant = w->selection.variant,
                                .module = w->module,
                                .settings = w->selection.settings,
                                .source = view_at(shape, w->source),
                                .scratch = w->scratch,
                                .weights = w->weights};
    return frame_prepare(&frame, err) && backend_mark(w->backend, 0, err) &&
           frame_run(&frame, view_at(shape, w->target), err) && backend_mark(w->backend, 1, err) &&
           backend_wait(w->backend, err) && backend_elapsed(w->backend, 0, 1, &w->kernel_ms, err) &&
           backend_download(w->backend, w->result.view, view_at(shape, w->target), err);
}

static bool save(const struct work *w, const char *output, struct error *err)
{
    const struct selection *s = &w->selection;
    int width, height;
    launch_block(s->variant, &s->settings, &width, &height);
    char block[32], values[FILTER_MAX_PARAMS][FILTER_VALUE];
    g_snprintf(block, sizeof block, "%dx%d", width, height);
    struct image_text texts[6 + FILTER_MAX_PARAMS] = {
        {"Software", "Tilescope " TILESCOPE_VERSION},
        {"filter", s->filter->name},
        {"variant", s->variant->name},
        {"block", block},
        {"unroll", s->settings.is_unrolled ? "on" : "off"},
        {"device", backend_device(w->backend)->name},
    };
    int count = 6;
    for (int i = 0; i < s->filter->param_count; i++) {
        filter_write_value(&s->filter->params[i], s->settings.params.v[i], values[i]);
        texts[count++] = (struct image_text){s->filter->params[i].name, values[i]};
    }
    return image_save(w->result.view, output, texts, count, err);
}

static void finish(struct work *w)
{
    if (w->backend) {
        backend_free(w->backend, w->source);
        backend_free(w->backend, w->target);
        backend_free(w->backend, w->scratch);
        backend_free(w->backend, w->weights);
        backend_unload(w->backend, w->module);
        backend_close(w->backend);
    }
    image_finish(&w->picture);
    image_finish(&w->result);
    filter_list_finish(&w->filters);
}

static enum outcome render_picture(const struct options *o, const char *path, const char *output)
{
    struct work w = {0};
    struct error err = {""};
    enum outcome outcome = OUTCOME_REFUSED;
    const bool is_good = load(&w, o, path, &outcome, &err) && open_device(&w, o, &err) &&
                         reserve(&w, &err) && run(&w, &err) && save(&w, output, &err);
    if (is_good) {
        printf("%s: %s %s, %d×%d, %.3f ms (one cold launch) on %s\n", output,
               w.selection.filter->name, w.selection.variant->name, w.picture.view.width,
               w.picture.view.height, w.kernel_ms, backend_device(w.backend)->name);
        outcome = OUTCOME_DONE;
    }
    finish(&w);
    return is_good ? outcome : command_fail(outcome, &err);
}

enum outcome render_headless(const struct options *o, const char *output)
{
    char *sample = options_sample("scene.png");
    const enum outcome outcome =
        render_picture(o, o->pictures[0] ? o->pictures[0] : sample, output);
    g_free(sample);
    return outcome;
}

static enum outcome render(const struct options *o)
{
    struct error err = {""};
    if (!o->pictures[0] || o->pictures[1]) {
        error_set(&err, "render wants one picture: tilescope render IMAGE -o OUT.png");
        return command_fail(OUTCOME_USAGE, &err);
    }
    if (!o->output) {
        error_set(&err, "render wants to know where to: -o OUT.png");
        return command_fail(OUTCOME_USAGE, &err);
    }
    return render_picture(o, o->pictures[0], o->output);
}

enum outcome command_render(int argc, char **argv)
{
    return command_run(OPTIONS_RENDER, argc, argv, "tilescope render IMAGE -o OUT.png [OPTION…]",
                       "Runs one variant once over a picture and writes the result as PNG:\n"
                       "grey for a grey picture, RGB for a colour one, of the same size.",
                       render);
}

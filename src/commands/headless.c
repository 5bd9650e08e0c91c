#include "commands/headless.h"

#include <glib.h>
#include <stdio.h>
#include <unistd.h>

#include "app/app.h"
#include "app/state.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "draw/legend.h"
#include "frame/workspace.h"
#include "viewer/caption.h"

// ---- what to run ----

enum outcome headless_open(struct headless *r, struct options *o, const struct filter **f,
                           struct error *err)
{
    if (!command_load_filters(&r->filters, o, NULL, err)) return OUTCOME_REFUSED;
    if (!command_take_name(&r->filters, o, err) ||
        !(*f = choice_read_filter(&r->filters, o->filter, err)))
        return OUTCOME_USAGE;
    const bool is_lab = !filter_has_picture(*f);
    if (o->pictures[0] && is_lab)
        return command_misuse(err, "%s is a lab, which has no picture: tilescope render %s",
                              (*f)->name, (*f)->name);
    if (o->pictures[0] && o->pictures[1])
        return command_misuse(err, "render wants one picture, or one lab");
    if (!is_lab && o->array) return command_misuse(err, "%s has no arrays", (*f)->name);
    r->array = o->array ? command_find_array(*f, o->array, err) : -1;
    if (o->array && r->array < 0) return OUTCOME_USAGE;
    return !is_lab || (r->backend = command_open_device(o, &r->filters, err)) ? OUTCOME_DONE
                                                                              : OUTCOME_REFUSED;
}

bool headless_load_picture(struct headless *r, const char *path, bool is_grey, struct error *err)
{
    r->picture_path = path ? g_strdup(path) : options_sample("scene.png");
    if (!image_load(&r->picture, r->picture_path, is_grey, err)) return false;
    r->picture_sha256 = image_checksum(r->picture_path);
    r->is_grey = is_grey;
    return true;
}

// ---- one run ----

bool headless_launch(const struct frame *frame, const struct frame_memory *memory, double *ms,
                     struct error *err)
{
    enum { LATE_S = 5 };
    struct backend *b = frame->backend;
    const gint64 begun_us = g_get_monotonic_time();
    bool is_told = isatty(STDERR_FILENO) != 1;
    const bool is_done = frame_poison(frame, memory, err) && backend_mark(b, 0, err) &&
                         frame_run(frame, memory, err) && backend_mark(b, 1, err) &&
                         frame_finish(frame, memory, err);
    bool is_stopped = false;
    while (is_done && !is_stopped && backend_poll(b, NULL) == BACKEND_BUSY) {
        const bool is_late = g_get_monotonic_time() - begun_us > LATE_S * G_USEC_PER_SEC;
        if (is_late && !is_told)
            terminal_print(stderr, "%s %s has not come back for %d s  (Ctrl-C stops)\n",
                           frame->choice.filter->name, frame->choice.variant->name, LATE_S);
        is_told |= is_late;
        is_stopped = backend_can_cancel(b) && signals_came();
        if (is_stopped)
            backend_cancel(b);
        else
            g_usleep(1000);
    }
    const bool is_timed = is_done && backend_wait(b, is_stopped ? NULL : err) && !is_stopped &&
                          backend_elapsed(b, 0, 1, ms, err);
    if (is_stopped) error_set(err, "stopped while a kernel ran");
    g_autofree char *printed = backend_take_prints(b, frame->module);
    if (printed) terminal_print(stderr, "%s", printed);
    return is_timed;
}

// The result takes the shape of what is shown: the picture, or that of an array.
bool headless_run(struct headless *r, const struct choice *c, struct error *err)
{
    struct workspace w = {0};
    void *target = NULL;
    const struct launch_build build = launch_build(c->filter, &c->settings);
    struct module *module = frame_build(
        r->backend, c->filter, (struct build){.params = build.params, .is_fast = true}, err);
    struct frame frame = {.backend = r->backend, .choice = *c, .module = module};
    bool is_done = module && frame_plan(&frame, r->picture.planes, err) &&
                   command_has_memory("the arrays", backend_device(r->backend),
                                      (double)workspace_bytes(&frame.arrays, 1), 0, err);
    if (is_done) {
        const struct planes picture = arrays_picture(c->filter, r->picture.planes);
        frame_show(&frame, arrays_shown(c, r->array), NULL);
        const struct planes shape = frame_picture(&frame);
        image_finish(&r->result);
        is_done = workspace_init(&w, r->backend, picture, 1, err) &&
                  workspace_prepare(&w, &frame, err) &&
                  image_init(&r->result, shape.width, shape.height, shape.count, err) &&
                  backend_alloc(r->backend, planes_bytes(shape), &target, err);
    }
    if (is_done) {
        struct frame_memory memory = workspace_of(&w, &frame);
        memory.target = planes_at(frame_picture(&frame), target);
        is_done = headless_launch(&frame, &memory, &r->kernel_ms, err) &&
                  backend_download(r->backend, r->result.planes, memory.target, err);
    }
    if (!is_done) backend_wait(r->backend, NULL);  // nothing may be in use when it goes
    backend_free(r->backend, target);
    workspace_finish(&w);
    backend_unload(r->backend, module);
    return is_done;
}

void headless_finish(struct headless *r)
{
    backend_close(r->backend);
    image_finish(&r->picture);
    image_finish(&r->result);
    g_free(r->picture_path);
    g_free(r->picture_sha256);
    filter_list_finish(&r->filters);
    *r = (struct headless){0};
}

// ---- what the file says ----

bool headless_picture(const struct headless *r, const struct choice *s, struct image *picture,
                      struct error *err)
{
    const struct planes from = r->result.planes;
    const enum color_map map = s->filter->arrays[arrays_shown(s, r->array)].map;
    const struct color_map_table table = color_map_table(map);
    const bool is_mapped = map != COLOR_MAP_GREY;
    if (!image_init(picture, from.width, from.height, is_mapped ? 3 : from.count, err))
        return false;
    if (!is_mapped) image_copy(picture->planes, from);
    for (int plane = 0; is_mapped && plane < 3; plane++)
        for (int y = 0; y < from.height; y++)
            for (int x = 0; x < from.width; x++)
                planes_row(picture->planes, plane, y)[x] =
                    table.colors[planes_row(from, 0, y)[x]][plane];
    return true;
}

void headless_describe(const struct headless *r, const struct choice *s, struct image_texts *texts)
{
    const struct planes shape = r->result.planes;
    const struct array *shown = &s->filter->arrays[arrays_shown(s, r->array)];
    const bool is_picture = filter_has_picture(s->filter);
    const struct legend legend = legend_of(s, r->array, NULL);
    const struct state_picture of = {r->picture_path, r->picture_sha256, r->is_grey, NULL};
    g_autofree struct app *a = g_new(struct app, 1);
    app_init(a, &r->filters, 1);
    app_take(a, APP_A, s);
    if (!is_picture) g_strlcpy(app_side_choice(a, APP_A)->array, shown->name, ARRAYS_NAME);
    g_autofree char *picture = is_picture ? g_path_get_basename(r->picture_path) : NULL;
    g_autofree char *state = state_write(a, &of);
    caption_add_choice(texts, s, backend_device(r->backend), picture, shown, &legend);
    caption_add(texts, "size", "%dx%d", shape.width, shape.height);
    image_texts_add(texts, STATE_KEY, state);
}

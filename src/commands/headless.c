#include "commands/headless.h"

#include <glib.h>
#include <stdio.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "frame/agreement.h"
#include "frame/workspace.h"

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

struct run {
    struct frame_memory memory;
    double ms[2];  // of the fast launch, and of the last strict one
};

static bool launch_into(void *run, const struct frame *frame, struct frame_memory *memory,
                        struct error *err)
{
    struct run *const r = run;
    *memory = r->memory;
    return headless_launch(frame, memory, &r->ms[frame->is_strict], err);
}

// Where nothing else tells if fast code is right, fibers are (agreement.h). What a kernel prints
// shall come once.
static bool launch(const struct frame *frame, struct run *r, double *ms, struct error *err)
{
    bool agrees = true;
    struct frame_memory memory;
    const bool is_alone =
        !agreement_is_due(frame) || backend_has_prints(frame->backend, frame->module);
    if (!(is_alone ? launch_into(r, frame, &memory, err)
                   : agreement_test(frame, launch_into, r, &agrees, err)))
        return false;
    *ms = r->ms[!agrees];
    if (!agrees)
        terminal_print(stderr, "%s %s: %s\n", frame->choice.filter->name,
                       frame->choice.variant->name, AGREEMENT_LACKS);
    return true;
}

// The result takes the shape of what is shown: the picture, or that of an array.
bool headless_run(struct headless *r, const struct choice *c, struct error *err)
{
    struct workspace w = {0};
    void *target = NULL;
    const struct launch_build build = launch_build(c);
    const struct build how = {.params = build.params, .is_fast = true, .lanes = build.lanes};
    struct module *module = r->is_once ? frame_build_one(r->backend, c, how, err)
                                       : frame_build(r->backend, c->filter, how, err);
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
        struct run run = {.memory = workspace_of(&w, &frame)};
        run.memory.target = planes_at(frame_picture(&frame), target);
        is_done = launch(&frame, &run, &r->kernel_ms, err) &&
                  backend_download(r->backend, r->result.planes, run.memory.target, err);
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

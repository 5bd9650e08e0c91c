#include "frame/edges.h"

#include <glib.h>

#include "base/text.h"
#include "frame/builder.h"
#include "frame/check.h"
#include "frame/reference.h"
#include "frame/trials.h"
#include "frame/workspace.h"

enum { MOMENT_US = 500 };
static const double PATIENCE_MS = 2000;  // of the device's own time, for a launch

// The device on which variants run. Zeroed: nothing is open.
struct runner {
    struct edges *edges;
    struct backend *backend;
    struct builder *builder;
    struct references references;
    struct checker *checker;
    const struct module *module;
};

struct edges *edges_create(const char *include, const struct choice *choice)
{
    struct edges *e = g_new0(struct edges, 1);
    e->include = g_strdup(include);
    e->filter = filter_copy(choice->filter);
    e->settings = (struct settings){.params = choice->settings.params};
    e->first = (int)(choice->variant - choice->filter->variants);
    return e;
}

void edges_destroy(struct edges *e)
{
    if (!e) return;
    filter_free(e->filter);
    g_free(e->include);
    g_free(e);
}

// ---- the device ----

static void close_device(struct runner *r)
{
    if (!r->backend) return;
    backend_wait(r->backend, NULL);
    checker_destroy(r->checker);
    references_close(&r->references);
    builder_destroy(r->builder);
    backend_close(r->backend);
    *r = (struct runner){.edges = r->edges};
}

// False: the file cannot be compiled here, or that was stopped.
static bool open_device(struct runner *r)
{
    enum builder_state built;
    if (r->backend) return true;
    r->backend = backend_open("cpu", NULL, 0, NULL);
    if (!r->backend) return false;
    backend_set_include(r->backend, r->edges->include);
    backend_give_way(r->backend);
    r->builder = builder_create(r->backend);
    r->checker = checker_create();
    references_open(&r->references, r->backend, r->builder);
    while ((built = builder_get_first(r->builder, r->edges->filter, NULL, &r->module, NULL)) ==
               BUILDER_BUILDING &&
           !atomic_load(&r->edges->stop))
        g_usleep(MOMENT_US);
    return built == BUILDER_READY;
}

// ---- one run ----

// Writes where the first wrong element is, in the order of memory. All are compared.
static void compare(struct runner *r, const struct frame *frame, const struct frame_memory *memory,
                    struct planes source, char *where, size_t size)
{
    const struct checker_task task = {.references = &r->references,
                                      .frame = frame,
                                      .memory = memory,
                                      .source = source,
                                      .samples = CHECK_MOST};
    struct image_difference found = {0};
    enum checker_state state = checker_begin_now(r->checker, &task, NULL);
    while (state == CHECKER_RUNNING && !atomic_load(&r->edges->stop)) {
        g_usleep(MOMENT_US);
        state = checker_result(r->checker, &found, NULL);
    }
    int count, width = frame->picture.width;
    const struct check_sample *first = NULL, *samples = checker_samples(r->checker, &count);
    const struct array *arrays = frame->choice.filter->arrays;
    for (int i = 0; i < count && state == CHECKER_DONE; i++)
        if (!samples[i].is_right &&
            (!first || samples[i].array < first->array ||
             (samples[i].array == first->array && samples[i].index < first->index)))
            first = &samples[i];
    if (state == CHECKER_DONE && found.is_outside)
        text_append(where, size, "writes behind %s", arrays[found.plane].name);
    else if (state == CHECKER_DONE && found.count && width)
        text_append(where, size, "first at (%d, %d)", (int)(first->index % width),
                    (int)(first->index / width));
    else if (state == CHECKER_DONE && found.count) {
        const struct array *const a = &arrays[first->array];
        char element[2 * ARRAYS_NAME + 32];
        array_write_element(a->name, &a->record, -1, first->index, element, sizeof element);
        text_append(where, size, "first at %s", element);
    }
    checker_forget(r->checker);
}

static void run(struct runner *r, struct frame *frame, struct planes source,
                struct edges_found *found)
{
    OWNED(workspace_finish) struct workspace w = {0};
    struct error err = {""};
    if (!frame_plan(frame, source, &err)) return;
    enum backend_state state = BACKEND_IDLE;
    bool is_queued =
        workspace_init(&w, r->backend, source, 1, &err) && workspace_prepare(&w, frame, &err);
    if (is_queued) {
        const struct frame_memory memory = workspace_of(&w, frame);
        is_queued = frame_poison(frame, &memory, &err) && frame_run(frame, &memory, &err) &&
                    frame_finish(frame, &memory, &err);
        const double begun_ms = backend_work(r->backend).own_ms;
        while ((state = backend_poll(r->backend, &err)) == BACKEND_BUSY &&
               !atomic_load(&r->edges->stop) &&
               backend_work(r->backend).own_ms - begun_ms <= PATIENCE_MS)
            g_usleep(MOMENT_US);
        if (state == BACKEND_BUSY) backend_cancel(r->backend);
        if (is_queued && state == BACKEND_IDLE)
            compare(r, frame, &memory, source, found->where, sizeof found->where);
    }
    if (backend_poll(r->backend, NULL) == BACKEND_FAILED && state != BACKEND_BUSY) {
        text_copy(found->where, sizeof found->where, "the kernel faults");
        text_copy_line(found->why, sizeof found->why, err.text);
    }
    backend_wait(r->backend, NULL);
}

// Runs a variant at one size. False: the file cannot be tried.
static bool try_size(struct runner *r, const struct choice *choice, const struct trial *trial,
                     struct edges_found *found)
{
    OWNED(image_finish) struct image picture = {0};
    struct planes source = trial_picture(trial);
    if (!open_device(r)) return false;
    struct frame frame = {.backend = r->backend, .choice = *choice, .module = r->module};
    frame.choice.settings.params = trial->params;
    if (source.width) {
        if (!image_init(&picture, source.width, source.height, source.count, NULL)) return false;
        image_fill_noise(picture.planes, trial->seed);
        source = picture.planes;
    }
    run(r, &frame, source, found);
    if (*found->where) {
        char place[sizeof found->where], size[sizeof found->where];
        text_copy(place, sizeof place, found->where);
        trial_write_size(trial, choice->filter, size, sizeof size);
        *found->where = '\0';
        text_append(found->where, sizeof found->where, "at %s: %s", size, place);
    }
    if (backend_poll(r->backend, NULL) == BACKEND_FAILED) close_device(r);
    return true;
}

void edges_run(void *data)
{
    struct edges *const e = data;
    struct runner r = {.edges = e};
    const int count = e->filter->variant_count;
    bool can_run = true;
    for (int i = 0; i < count && can_run && !atomic_load(&e->stop); i++) {
        const int at = (e->first + i) % count;
        const struct choice choice = {e->filter, &e->filter->variants[at], e->settings};
        struct trial trials[TRIALS_EDGES];
        trials_at_edges(trials, &choice);
        for (int k = 0; k < TRIALS_EDGES && can_run && !*e->found[at].where; k++)
            can_run = try_size(&r, &choice, &trials[k], &e->found[at]);
        atomic_store(&e->tried, i + 1);
    }
    close_device(&r);
}

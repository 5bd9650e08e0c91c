#include "measure/result_checker.h"

#include <glib.h>

void result_checker_init(struct result_checker *k, struct results *results)
{
    *k = (struct result_checker){.results = results, .checker = checker_create()};
}

void result_checker_finish(struct result_checker *k)
{
    checker_destroy(k->checker);
    lab_checker_forget(&k->labs);
}

void result_checker_forget(struct result_checker *k)
{
    checker_drain(k->checker);
    lab_checker_forget(&k->labs);
    k->is_running = false;
}

void result_checker_drop_arrays(struct result_checker *k)
{
    lab_checker_forget(&k->labs);
}

// ---- pictures ----

static struct planes row_of(struct planes v, int plane, int y)
{
    v.pixels = planes_row(v, plane, y);
    v.height = v.count = 1;
    v.plane_bytes = (size_t)v.pitch;
    return v;
}

static bool read_rows(struct backend *b, struct planes to, struct planes from,
                      const struct reference_rows *rows, struct error *err)
{
    for (int i = 0; i < REFERENCE_ROWS; i++)
        for (int plane = 0; plane < from.count; plane++)
            if (!backend_download(b, row_of(to, plane, rows->y[i]), row_of(from, plane, rows->y[i]),
                                  err))
                return false;
    return true;
}

static bool leave_unchecked(struct result_checker *k, const char *why)
{
    results_leave_unchecked(k->results, &k->choice, why);
    return true;
}

static bool begin_picture(struct result_checker *k, const struct frame *frame,
                          const struct frame_memory *memory, struct error *err)
{
    const struct planes from = memory->target;
    const struct reference_rows rows = reference_choose_rows(from.height, g_random_int());
    const struct reference_samples samples = checker_samples(&rows);
    struct reference reference;
    if (!k->references) return leave_unchecked(k, NULL);
    switch (
        reference_get(&reference, k->references, k->choice.filter, &k->choice.settings.params)) {
    case BUILDER_BUILDING:
        return true;
    case BUILDER_FAILED:
        return leave_unchecked(k, NULL);
    case BUILDER_READY:
        break;
    }
    const struct planes to = checker_buffer(k->checker, planes_at(from, NULL));
    if (!to.pixels) return leave_unchecked(k, "there is no memory to check it in");
    if (!read_rows(frame->backend, to, from, &rows, err)) return false;
    checker_begin(k->checker, &reference, k->picture, &samples);
    k->is_running = true;
    return true;
}

// ---- labs ----

static bool begin_lab(struct result_checker *k, const struct frame *frame,
                      const struct frame_memory *memory, double most_bytes, struct error *err)
{
    enum lab_checker_state state;
    k->labs.references = k->references;
    if (!lab_checker_begin(&k->labs, k->checker, frame, memory, most_bytes, &state, err))
        return false;
    if (state == LAB_CHECKER_IMPOSSIBLE) results_leave_unchecked(k->results, &k->choice, NULL);
    k->is_running = state == LAB_CHECKER_BEGUN;
    return true;
}

// ---- both ----

bool result_checker_begin(struct result_checker *k, const struct frame *frame,
                          const struct frame_memory *memory, const struct choice *choice,
                          double most_bytes, struct error *err)
{
    k->choice = *choice;
    k->is_running = false;
    return choice->filter->is_lab ? begin_lab(k, frame, memory, most_bytes, err)
                                  : begin_picture(k, frame, memory, err);
}

bool result_checker_tell(struct checker *checker, struct results *results,
                         const struct choice *choice)
{
    struct image_difference found;
    struct error why = {""};
    switch (checker_result(checker, &found, &why)) {
    case CHECKER_NONE:
    case CHECKER_RUNNING:
        return false;
    case CHECKER_DONE:
        results_check(results, choice, found);
        break;
    case CHECKER_FAILED:
        results_leave_unchecked(results, choice, why.text);
        break;
    }
    return true;
}

double result_checker_progress(const struct result_checker *k, const struct choice *choice)
{
    const bool is_of_it = k->is_running && choice_is_same(&k->choice, choice);
    return is_of_it ? checker_progress(k->checker) : 0;
}

void result_checker_poll(struct result_checker *k)
{
    if (k->is_running && result_checker_tell(k->checker, k->results, &k->choice))
        k->is_running = false;
}

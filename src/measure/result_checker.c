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
    k->is_running = k->wants_plain = false;
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

// What the rows are compared with. False: the device failed, which was asked.
static bool find_reference(const struct result_checker *k, const struct frame *frame,
                           const struct frame_memory *memory,
                           const struct reference_samples *samples, struct reference *reference,
                           enum builder_state *state, struct error *err)
{
    const struct choice *c = &k->choice;
    *state = BUILDER_FAILED;
    if (k->references)
        *state = reference_get(reference, k->references, c->filter, &c->settings.params);
    if (*state != BUILDER_FAILED || !reference_can_ask(c)) return true;
    *state = BUILDER_READY;
    return reference_ask(reference, frame, memory, samples, err);
}

static bool leave_without_memory(struct result_checker *k)
{
    results_leave_unchecked(k->results, &k->choice, "there is no memory to check it in");
    k->is_running = k->wants_plain = false;
    return true;
}

static bool begin_picture(struct result_checker *k, const struct frame *frame,
                          const struct frame_memory *memory, struct error *err)
{
    const struct planes from = memory->target;
    const struct reference_rows rows = reference_choose_rows(from.height, g_random_int());
    const struct reference_samples samples = checker_samples(&rows);
    struct reference reference;
    enum builder_state state;
    if (!find_reference(k, frame, memory, &samples, &reference, &state, err)) return false;
    if (state == BUILDER_FAILED) results_leave_unchecked(k->results, &k->choice, NULL);
    if (state != BUILDER_READY) return true;
    const struct planes to = checker_buffer(k->checker, planes_at(from, NULL));
    if (!to.pixels) return leave_without_memory(k);
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

// ---- files without a REFERENCE ----

// Keeps what the frame has left, before another one writes there.
static bool begin_plain(struct result_checker *k, const struct frame *frame,
                        const struct frame_memory *memory, struct error *err)
{
    const struct planes from = memory->target;
    if (frame->choice.filter->is_lab) {
        lab_check_init_plain(&k->plain, frame);
        if (!lab_check_read(&k->plain, frame, memory, g_random_int(), err)) return false;
    } else {
        k->rows = reference_choose_rows(from.height, g_random_int());
        k->samples = checker_samples(&k->rows);
        const struct planes to = checker_buffer(k->checker, planes_at(from, NULL));
        if (!to.pixels) return leave_without_memory(k);
        if (!read_rows(frame->backend, to, from, &k->rows, err)) return false;
    }
    k->is_running = k->wants_plain = true;
    return true;
}

bool result_checker_wants_plain(const struct result_checker *k)
{
    return k->wants_plain;
}

static bool take_picture(struct result_checker *k, const struct frame *plain,
                         const struct frame_memory *memory, struct error *err)
{
    struct reference reference;
    const struct planes to = checker_other(k->checker, planes_at(memory->target, NULL));
    if (!to.pixels) return leave_without_memory(k);
    if (!read_rows(plain->backend, to, memory->target, &k->rows, err)) return false;
    reference_take(&reference, to, &k->samples);
    checker_begin(k->checker, &reference, to, &k->samples);
    return true;
}

bool result_checker_take_plain(struct result_checker *k, const struct frame *plain,
                               const struct frame_memory *memory, struct error *err)
{
    k->wants_plain = false;
    if (!plain->choice.filter->is_lab) return take_picture(k, plain, memory, err);
    if (!lab_check_take_plain(&k->plain, plain, memory, err)) return false;
    checker_begin_lab(k->checker, &k->plain);
    return true;
}

void result_checker_give_up(struct result_checker *k, const char *why)
{
    if (!k->wants_plain) return;
    k->is_running = k->wants_plain = false;
    if (why) results_leave_unchecked(k->results, &k->choice, why);
}

// ---- both ----

bool result_checker_begin(struct result_checker *k, const struct frame *frame,
                          const struct frame_memory *memory, const struct choice *choice,
                          double most_bytes, struct error *err)
{
    k->choice = *choice;
    k->is_running = k->wants_plain = false;
    if (!filter_has_reference(choice->filter)) return begin_plain(k, frame, memory, err);
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
    if (k->is_running && !k->wants_plain && result_checker_tell(k->checker, k->results, &k->choice))
        k->is_running = false;
}

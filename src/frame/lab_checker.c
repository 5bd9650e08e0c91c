#include "frame/lab_checker.h"

#include <glib.h>

static enum builder_state find_references(const struct lab_checker *k, const struct frame *frame,
                                          const struct module **module)
{
    if (!k->references) return BUILDER_FAILED;
    return references_get(k->references, frame->choice.filter, module);
}

static bool bring_data(struct lab_checker *k, const struct frame *frame,
                       const struct frame_memory *memory, bool is_at_once, bool *is_complete,
                       struct error *err)
{
    *is_complete = false;
    do {
        if (!lab_data_step(&k->data, frame, memory, is_complete, err)) return false;
    } while (is_at_once && !*is_complete);
    return true;
}

bool lab_checker_begin(struct lab_checker *k, struct checker *checker, const struct frame *frame,
                       const struct frame_memory *memory, double most_bytes,
                       enum lab_checker_state *state, struct error *err)
{
    const struct module *references = NULL;
    struct lab_check check;
    bool is_complete;
    *state = LAB_CHECKER_IMPOSSIBLE;
    if (most_bytes > 0 && frame->arrays.in_bytes > most_bytes) return true;
    switch (find_references(k, frame, &references)) {
    case BUILDER_BUILDING:
        *state = LAB_CHECKER_WAITS;
        return true;
    case BUILDER_FAILED:
        return true;
    case BUILDER_READY:
        break;
    }
    if (!lab_data_is_of(&k->data, frame)) {
        checker_drain(checker);
        k->has_answers = false;
        if (!lab_data_begin(&k->data, frame, NULL)) return true;
    }
    if (!bring_data(k, frame, memory, most_bytes > 0, &is_complete, err)) return false;
    if (!is_complete) *state = LAB_CHECKER_WAITS;
    if (!is_complete || !lab_check_init(&check, frame, &k->data, k->references->host, references))
        return true;
    if (!lab_check_read(&check, frame, memory, k->keeps_answers ? 1 : g_random_int(), err))
        return false;
    if (k->keeps_answers) check.pairs = k->answers;
    check.has_answers = k->has_answers;
    checker_begin_lab(checker, &check);
    *state = LAB_CHECKER_BEGUN;
    return true;
}

void lab_checker_forget(struct lab_checker *k)
{
    lab_data_finish(&k->data);
    k->has_answers = false;
}

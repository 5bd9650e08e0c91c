#include "measure/result_checker.h"

bool result_checker_begin(struct result_checker *k, const struct choice *choice,
                          struct checker_task task, enum checker_begun *begun, struct error *err)
{
    task.references = k->references;
    task.source = k->picture;
    if (!checker_begin(k->checker, &task, begun, err)) return false;
    if (*begun == CHECKER_WAITS) return true;
    k->choice = *choice;
    k->is_running = *begun == CHECKER_BEGUN;
    k->is_done = false;
    if (!k->is_running) results_leave_unchecked(k->results, choice, NULL);
    return true;
}

void result_checker_poll(struct result_checker *k)
{
    struct image_difference found;
    struct error why = {""};
    if (!k->is_running) return;
    switch (checker_result(k->checker, &found, &why)) {
    case CHECKER_RUNNING:
        return;
    case CHECKER_NONE:
        break;
    case CHECKER_DONE:
        results_check(k->results, &k->choice, found);
        k->is_done = true;
        break;
    case CHECKER_FAILED:
        results_leave_unchecked(k->results, &k->choice, why.text);
        break;
    }
    k->is_running = false;
}

void result_checker_forget(struct result_checker *k)
{
    checker_forget(k->checker);
    k->is_running = k->is_done = false;
}

#include "measure/bench_wait.h"

#include <glib.h>

#include "base/number.h"

static const double PATIENCE_MS = 5;  // longer waits ask whether to give up

static bool give_up(struct bench_wait *w, struct error *err)
{
    char limit[32];
    w->is_caught = !backend_can_cancel(w->backend);
    if (!w->is_caught) {
        backend_cancel(w->backend);
        backend_wait(w->backend, NULL);
    }
    if (w->is_stopped) return error_set(err, "stopped");
    number_three(limit, sizeof limit, w->limit_ms * 1e-3);
    return error_set(err, "too slow: it has not come back for %s s%s", limit,
                     w->is_caught ? ", and a GPU cannot stop it" : "");
}

bool bench_wait(struct bench_wait *w, double expected_ms, struct error *err)
{
    const gint64 start = g_get_monotonic_time();
    w->is_late = false;
    if (expected_ms > 0 && expected_ms < PATIENCE_MS) return backend_wait(w->backend, err);
    for (;;) {
        const enum backend_state state = backend_poll(w->backend, err);
        if (state == BACKEND_FAILED) return false;
        if (state == BACKEND_IDLE) return backend_wait(w->backend, err);
        const double ms = (double)(g_get_monotonic_time() - start) * 1e-3;
        w->is_stopped = w->stop && w->stop(w->data);
        w->is_late = w->limit_ms > 0 && ms > w->limit_ms;
        if (w->is_stopped || w->is_late) return give_up(w, err);
        g_usleep(500);
    }
}

bool bench_wait_is_check_over(struct bench_wait *w)
{
    w->is_stopped = w->stop && w->stop(w->data);
    w->is_check_late = g_get_monotonic_time() > w->check_until_us;
    return w->is_stopped || w->is_check_late;
}

bool bench_wait_check(struct bench_wait *w, struct checker *checker, bool *is_checked,
                      struct image_difference *found, struct error *err)
{
    enum checker_state state;
    while ((state = checker_result(checker, found, err)) == CHECKER_RUNNING &&
           !bench_wait_is_check_over(w))
        g_usleep(500);
    *is_checked = state == CHECKER_DONE;
    return *is_checked || (state == CHECKER_RUNNING && w->is_check_late);
}

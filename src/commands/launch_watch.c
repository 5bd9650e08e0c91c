#include "commands/launch_watch.h"

#include <glib.h>
#include <stdio.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/terminal.h"
#include "base/watchdog.h"

enum { LATE_S = 5 };

static void tell(void *user)
{
    const struct choice *c = user;
    terminal_print(stderr, "%s %s has not come back for %d s  (Ctrl-C stops)\n", c->filter->name,
                   c->variant->name, LATE_S);
}

static bool wait_for(struct backend *b, struct error *err)
{
    enum { TICK_US = 1000 };
    const bool can_cancel = backend_can_cancel(b);
    while (can_cancel && backend_poll(b, NULL) == BACKEND_BUSY) {
        if (signals_came()) {
            backend_cancel(b);
            backend_wait(b, NULL);
            return error_set(err, "stopped while a kernel ran");
        }
        g_usleep(TICK_US);
    }
    return backend_wait(b, err);
}

bool launch_watch_run(const struct frame *frame, const struct frame_memory *memory, double *ms,
                      struct error *err)
{
    struct backend *b = frame->backend;
    struct watchdog *watch = NULL;  // there is none if no thread can be made
    if (isatty(STDERR_FILENO) == 1)
        watch = watchdog_create(1000 * LATE_S, tell, (void *)&frame->choice);
    watchdog_begin(watch);
    const bool is_done = frame_poison(frame, memory, err) && backend_mark(b, 0, err) &&
                         frame_run(frame, memory, err) && backend_mark(b, 1, err) &&
                         frame_finish(frame, memory, err) && wait_for(b, err) &&
                         backend_elapsed(b, 0, 1, ms, err);
    watchdog_end(watch);
    watchdog_destroy(watch);
    return is_done;
}

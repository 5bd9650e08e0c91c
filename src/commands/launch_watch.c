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
                   c->variant ? c->variant->name : "REFERENCE", LATE_S);
}

struct watchdog *launch_watch_begin(const struct choice *c)
{
    if (isatty(STDERR_FILENO) != 1) return NULL;
    struct watchdog *w = watchdog_create(1000 * LATE_S, tell, (void *)c);
    watchdog_begin(w);
    return w;
}

void launch_watch_end(struct watchdog *w)
{
    watchdog_end(w);
    watchdog_destroy(w);
}

bool launch_watch_wait(struct backend *b, struct error *err)
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

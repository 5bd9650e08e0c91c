// launch_watch.h -- tells a terminal that a kernel has not come back yet, where no window does.
#ifndef LAUNCH_WATCH_H
#define LAUNCH_WATCH_H

#include "filter/choice.h"

struct watchdog;

// From now on, seconds without an end are told of on stderr, once, if that is a terminal. NULL: it
// is none. The choice is borrowed.
struct watchdog *launch_watch_begin(const struct choice *c);
void launch_watch_end(struct watchdog *w);  // accepts NULL

#endif

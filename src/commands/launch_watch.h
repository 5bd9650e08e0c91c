// launch_watch.h -- tells a terminal that a kernel has not come back yet, where no window does, and
// waits for one until Ctrl-C.
#ifndef LAUNCH_WATCH_H
#define LAUNCH_WATCH_H

#include <stdbool.h>

#include "device/backend.h"
#include "filter/choice.h"

struct watchdog;

// Prints one line on stderr if launch_watch_end() is not called within 5 s. NULL: stderr is no
// terminal, or no thread can be made, and nothing is printed. The choice is borrowed until then;
// one without a variant stands for the filter's REFERENCE.
struct watchdog *launch_watch_begin(const struct choice *c);
void launch_watch_end(struct watchdog *w);  // accepts NULL

// Waits until all launches are done. A signal that ends the program cancels them where the device
// can; err says so.
bool launch_watch_wait(struct backend *b, struct error *err);

#endif

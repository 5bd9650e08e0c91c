// launch_watch.h -- runs a frame where no window does: it can be stopped, and a terminal is told
// when it takes long.
#ifndef LAUNCH_WATCH_H
#define LAUNCH_WATCH_H

#include "frame/frame.h"

// Poisons the target, launches, and waits; *ms is the time of the launches. If they take 5 s, it
// prints one line on stderr, if that is a terminal. A signal that ends the program cancels them
// where the device can; err says so.
bool launch_watch_run(const struct frame *frame, const struct frame_memory *memory, double *ms,
                      struct error *err);

#endif

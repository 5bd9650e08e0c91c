// path_times.h -- what frames took along each path to the screen, as long as nothing else changes.
//
// A tour compares the paths with it, of which one is taken at a time. Other settings, another size
// or vsync forget what was known. {0} is a valid nothing.
#ifndef PATH_TIMES_H
#define PATH_TIMES_H

#include "tour/tour_value.h"
#include "viewer/caption.h"

enum { PATH_TIMES_PATHS = INTEROP_CPU + 1 };

struct path_times {
    struct choice choice;
    struct planes picture;
    const char *vsync;                                 // NULL: nothing is known yet
    struct tour_screen_times times[PATH_TIMES_PATHS];  // counts 0: not taken, or not settled
};

// Call it every turn.
void path_times_note(struct path_times *p, const struct pane_facts *now);

#endif

// watch.h -- has a folder's source been saved since it was last asked about?
//
// Looks at names, sizes and times of its kernels, headers and shaders (*.cu, *.h, *.vert, *.frag);
// asking often costs little. A file that
// is still being written is waited for: a change is told once it has stood still for a moment. Does
// not read the files. One thread.
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

struct watch;

struct watch *watch_create(const char *folder);  // the folder may come and go
void watch_destroy(struct watch *w);             // accepts NULL

// True once for each change. Looks at most every 25 ms; a change is told 25 to 75 ms after it.
bool watch_has_changed(struct watch *w);

#endif

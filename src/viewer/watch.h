// watch.h -- notices that a file was saved, or a source file in a folder or in one of its folders.
//
// In a folder it looks at names, sizes and times of kernels, headers and shaders (*.cu, *.h, *.cuh,
// *.hpp, *.vert, *.frag) and does not read them. Of a *.cu file it looks at those beside it, too.
// Asking often costs little. A change is reported once the files have stayed the same for a moment,
// so that no half-written file is read. One thread uses it.
#pragma once

#include <stdbool.h>

struct watch;

struct watch *watch_create(const char *path);  // a folder, which may come and go, or a file
void watch_destroy(struct watch *w);           // accepts NULL

// True once for each change, 25 to 125 ms after it. It looks every 75 ms, or every 25 ms while
// files change.
bool watch_has_changed(struct watch *w);
// The same, but it looks now: true at the second look that finds the files as they are.
bool watch_look(struct watch *w);

// restart.h -- starts the program again along the path staged, when the driver keeps the window's
// buffer: a lecture goes on.
//
// After a kernel fault, the next process's first call of interop has been seen to spin in the
// driver for ever. Nothing in that process can end the call, so the process is replaced by a new
// one with the same arguments. It takes the state over from a file, which it removes.
#ifndef RESTART_H
#define RESTART_H

#include "app/app.h"
#include "base/error.h"

struct viewer;

enum { RESTART_LIMIT_MS = 4000 };  // for one call of the driver

// For a watchdog, whose user is the viewer: says so on stderr and starts again. It does not return.
void restart_staged(void *viewer);

// The arguments of the new process: those of argv, with --path staged and --size, with --resume
// state_path instead of what played keys, and without what these replace. The pictures that were
// dropped stand behind those of argv. NULL: not given. The caller frees them with g_strfreev().
char **restart_arguments(char *const *argv, const char *state_path, const char *size,
                         char *const *dropped);

// Reads what restart_staged() wrote for --resume, with the picture's index, over an app that has
// its filters and its number of pictures. The file is removed.
bool restart_read(struct app *a, const char *path, struct error *err);

#endif

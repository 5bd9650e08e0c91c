// restart.h -- starts the program again when the window's thread is caught: a lecture goes on.
//
// Two things catch it. After a kernel fault, the next process's first call of interop has been seen
// to spin in the driver for ever. And a GPU cannot stop an endless kernel, so that whoever waits
// for the queue waits for ever. Nothing in that process can end the wait, so the process is
// replaced by a new one with the same arguments. It takes the state over from a file, which it
// removes, and an open tour goes on at its step.
#pragma once

#include "base/error.h"

struct viewer;

enum { RESTART_LIMIT_MS = 4000 };  // for one call of the driver, or one wait

// These are for watchdogs, whose user is the viewer. They say on stderr what they do, and do not
// return.
void restart_staged(void *viewer);        // the driver keeps the window's buffer: along staged
void restart_from_endless(void *viewer);  // a kernel keeps the device; ends where the user quits

// Options that the new process gets in addition to the arguments of this one. NULL: not given.
struct restart {
    const char *path;        // for --path
    const char *size;        // for --size
    const char *file;        // for --file: the kernel file beside those of the folder
    const char *state_path;  // for --resume, in place of what played keys
    const char *script;      // for --script: the open tour,
    const char *from;        // and for --from, its step
    const char *times;       // for --times
    char *const *dropped;    // pictures, which stand behind those of argv
};

// The arguments of the new process: those of this one, and behind them what replaces them. The
// caller frees them with g_strfreev().
char **restart_arguments(char *const *argv, const struct restart *with);

// The first line of a file of --resume. The state follows it as JSON.
#define RESTART_MARK "tilescope restart\n"

// Reads what was written for --resume over a viewer whose app has its filters and its number of
// pictures, and removes the file: the state with the picture's index, the note that says why the
// program was started again, and the variants to avoid. A file without the mark is refused and
// kept: it may be the user's.
bool restart_read(struct viewer *v, const char *path, struct error *err);

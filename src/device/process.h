// process.h -- runs another program to its end, and stops one that does not end.
//
// The program speaks English and gets no input. It has a process group of its own, which is stopped
// as a whole. Any thread may call.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PROCESS_MAX_OUTPUT = 1 << 20 };  // bytes

struct process {
    char *const *command;          // the program and its first arguments
    const char *const *arguments;  // further ones; both are borrowed, and end with NULL
    const char *folder;            // for its temporary files; NULL: the system's
    char *const *environment;      // borrowed alike; NULL: this process's
    double limit_s;                // own time (own_time.h) after which it is stopped; 0: never
    const atomic_bool *cancel;     // when it becomes true, the program is stopped; NULL: never
    int cpu_s;                     // processor time of each process; 0: no limit
    size_t memory_bytes;           // address space of each process; 0: no limit
    size_t max_output;             // further bytes are dropped; 0: PROCESS_MAX_OUTPUT
};

// True: the program ended well. False with *output: it failed, and *output is what it wrote. False
// with *output NULL: it did not run or was stopped, and err says why. A signal that ends our
// program (signals.h) stops it, too. The caller frees *output, which is stdout and stderr together.
bool process_run(const struct process *p, char **output, struct error *err);

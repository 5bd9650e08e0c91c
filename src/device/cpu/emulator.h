// emulator.h -- runs one kernel launch on CPU threads with CUDA's meaning: blocks in any order, the
// threads of a block together up to each barrier. Kernels see the other half, cuda_words.h.
//
// One CPU thread runs a block from beginning to end. The block's threads run one after the other on
// that CPU thread's stack until one reaches a barrier or a shuffle; only then do they become
// fibers. A kernel without barriers therefore never switches stacks. Shared memory is thread-local
// storage. A thread lets others run only where it waits with CUDA's words, so threads that spin for
// one another hang.
//
// The emulator does not compile, queue or time anything; backend_cpu.c does. It starts its threads
// itself. One thread makes its calls; any thread may call emulator_interrupt.
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/backend.h"
#include "device/cpu/object.h"

enum {
    EMULATOR_MAX_THREADS = 1024,             // a block
    EMULATOR_MAX_SHARED_BYTES = 227 * 1024,  // a block, dynamic; Hopper's limit
};

struct emulator;

struct emulator_launch {
    const char *name;  // for messages
    emulator_kernel *kernel;
    const struct object *object;  // it may be stopped in this one's code; NULL: between blocks only
    const struct launch *what;    // its struct planes are laid out as kernel.h's
    int depth;                    // gridDim.z
    const GArray *memory;         // of struct emulator_range: the device's, which a trace logs as
                                  // global; NULL: none
};

// A pool of that many CPU threads, the caller's included; 0: one for each core. NULL: no memory.
struct emulator *emulator_create(int threads);
void emulator_destroy(struct emulator *e);  // accepts NULL
int emulator_threads(const struct emulator *e);

// Runs the whole grid. When *cancel becomes true, it lets the running blocks end and fails with
// "cancelled". It also refuses mistakes that CUDA leaves undefined, naming the kernel and the
// lines: threads of a block that wait at different barriers or for each other for ever, and lanes
// of a warp that meet with different masks or in different places. It fails, too, if the processor
// stops a thread (fault.h), or a block has written behind its dynamic shared memory. It then
// abandons the threads where they stand. The emulator stays usable unless the kernel has spoilt it.
// Threads that have ended hold nobody up. A lane that shuffles from a missing lane gets a5a5a5a5. A
// trace that wants no more blocks sets *cancel.
bool emulator_run(struct emulator *e, const struct emulator_launch *l, atomic_bool *cancel,
                  struct error *err);

// Stops the running blocks that are in their kernel's own code, where they hold no lock and are in
// no library: it sends SIGURG, which is ignored where nobody listens. Elsewhere it does nothing, so
// call it after *cancel is true, again and again until emulator_run returns.
void emulator_interrupt(struct emulator *e);

// What its threads have done so far for all launches and copies. own_ms grows with the own time
// (own_time.h) of the thread that has most of it, as far as it is looked at: call this now and then
// while a launch runs. Any thread may call.
struct backend_work emulator_work(struct emulator *e);

// Stops, after *cancel is true, for good what cannot be stopped otherwise: a thread of the running
// launch that waits in a library never leaves it. Nothing writes into the launch's memory any more;
// but emulator_run does not return, and the emulator must neither be used again nor destroyed. It
// takes half a second of own time at most.
void emulator_freeze(struct emulator *e);

// Copies bytes with all threads. This is the CPU's device copy.
void emulator_copy(struct emulator *e, void *to, const void *from, size_t bytes);

// Lowers for good the priority of all its threads and of the caller.
void emulator_give_way(struct emulator *e);

// emulator.h -- runs one kernel launch on CPU threads with CUDA's meaning: blocks in any order, the
// threads of a block together up to each barrier. Kernels see the other half, cuda_words.h.
//
// One CPU thread runs a block from beginning to end. The block's threads run one after the other on
// that CPU thread's stack until one reaches a barrier or a shuffle; only then do they become
// fibers. A kernel without barriers therefore never switches stacks. Shared memory is thread-local
// storage. A thread lets others run only while it waits in a CUDA function, so threads that spin
// until another one writes hang.
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
    EMULATOR_MAX_THREADS = 1024,             // of a block
    EMULATOR_MAX_SHARED_BYTES = 227 * 1024,  // of a block, dynamic; Hopper's limit
};

struct emulator;

struct emulator_launch {
    const char *name;  // for messages
    emulator_kernel *kernel;
    const struct object *object;  // a launch may be stopped in its code; NULL: only between blocks
    const struct launch *what;    // its struct planes are laid out as kernel.h's
    const GArray *memory;  // struct emulator_range: the device's memory, which a trace logs as
                           // global memory; NULL: none
};

// A pool of that many CPU threads, the caller's included; 0: one for each core. NULL: no memory.
struct emulator *emulator_create(int threads);
void emulator_destroy(struct emulator *e);  // accepts NULL
int emulator_threads(const struct emulator *e);

// Runs the whole grid. When *cancel becomes true, it lets the running blocks end and fails with
// "cancelled". It also fails at mistakes that CUDA leaves undefined, and names the kernel and the
// lines: threads of a block that wait at different barriers or for each other for ever, and lanes
// of a warp that meet with different masks or in different places. It also fails if the processor
// stops a thread (fault.h), or if a block has written behind its dynamic shared memory. It then
// abandons the threads where they stand; the emulator stays usable unless the kernel has
// overwritten its memory. Nobody waits for a thread that has ended. A lane that shuffles from a
// missing lane gets a5a5a5a5. When a trace wants no more blocks, *cancel becomes true.
bool emulator_run(struct emulator *e, const struct emulator_launch *l, atomic_bool *cancel,
                  struct error *err);

// Sends SIGURG to the threads, which stops those blocks that are in their kernel's own code, where
// they hold no lock and are in no library. It does not stop the others, so call it after *cancel is
// true, again and again until emulator_run returns.
void emulator_interrupt(struct emulator *e);

// What its threads have done so far for all launches and copies. From call to call, own_ms grows by
// the own time (own_time.h) of the thread that had most of it, so call this now and then while a
// launch runs. Any thread may call.
struct backend_work emulator_work(struct emulator *e);

// Stops for good, after *cancel is true, what cannot be stopped otherwise: a thread of the running
// launch that waits in a library never leaves it. Nothing writes into the launch's memory any more.
// But emulator_run does not return, and the emulator must not be used again or destroyed. This
// takes at most half a second of own time.
void emulator_freeze(struct emulator *e);

// Copies bytes with all threads. This is the CPU's device copy.
void emulator_copy(struct emulator *e, void *to, const void *from, size_t bytes);

// Lowers for good the priority of all its threads, the caller's included.
void emulator_give_way(struct emulator *e);

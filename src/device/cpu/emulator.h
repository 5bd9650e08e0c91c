// emulator.h -- runs one kernel launch on CPU threads with CUDA's meaning: blocks in any order, the
// threads of a block together up to each barrier. cuda_words.h is the half that kernels see.
//
// A block runs on one CPU thread from beginning to end. Its threads run back to back on that
// thread's own stack until one reaches a barrier (or a shuffle); only then do they become fibers.
// Kernels without barriers so never switch. Shared memory is thread-local storage.
//
// A thread gives way only where it waits with CUDA's words: threads that spin for one another hang.
//
// A kernel that never ends is stopped in the middle: a signal (SIGURG, which means nothing else
// here and is ignored where nobody listens) reaches the CPU threads that run it, and its handler
// abandons the block, provided that the thread was in the kernel's own code. There it holds no lock
// and no half-done work of a library; elsewhere the signal does nothing and must be sent again.
//
// Does not compile kernels, queue or time anything: backend_cpu.c does. An emulator's calls come
// from one thread, emulator_interrupt's from any; it starts the others itself.
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/backend.h"

enum {
    EMULATOR_MAX_THREADS = 1024,             // a block
    EMULATOR_MAX_SHARED_BYTES = 227 * 1024,  // a block, dynamic; Hopper's limit
};

struct emulator;
struct emulator_args;  // cuda_words.h

typedef void emulator_kernel(const struct emulator_args *args);

struct emulator_launch {
    const char *name;  // in messages
    emulator_kernel *kernel;
    const void *code;   // the kernel's machine code: where it may be stopped in the middle
    size_t code_bytes;  // 0: only between blocks
    struct launch_config shape;
    int depth;             // gridDim.z
    const void *out, *in;  // struct planes, laid out as kernel.h's struct planes
    void *scratch;
    const void *weights;
    const void *params;
};

// A pool of that many CPU threads, the caller's among them; 0: one a core. NULL when there is no
// memory.
struct emulator *emulator_create(int threads);
void emulator_destroy(struct emulator *e);  // accepts NULL
int emulator_threads(const struct emulator *e);

// Runs the whole grid and returns when it is done, or after *cancel becomes true (false,
// "cancelled"): when the blocks in hand have ended. Refuses, naming kernel and lines, what CUDA
// leaves undefined and students write: threads of one block that wait at different barriers or for
// each other for ever, lanes of one warp that meet with different masks or in different places. The
// threads are abandoned where they stand; the emulator stays usable. Threads that have ended hold
// nobody; a lane that shuffles from one that is not there gets a5a5a5a5.
bool emulator_run(struct emulator *e, const struct emulator_launch *l, atomic_bool *cancel,
                  struct error *err);

// After *cancel became true: stops the blocks of the running launch that are in their kernel's code
// just now. To be repeated until emulator_run returns.
void emulator_interrupt(struct emulator *e);

// Copies bytes on all threads: the CPU's "device copy".
void emulator_copy(struct emulator *e, void *to, const void *from, size_t bytes);

// For tests: the order in which a block's threads start. A result that changes with it misses a
// barrier.
void emulator_set_reversed(struct emulator *e, bool is_reversed);

#endif

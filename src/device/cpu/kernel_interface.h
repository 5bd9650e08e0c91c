// kernel_interface.h -- what the program and the objects of compiled kernels know of each other:
// how a kernel is called, how it waits, and how it writes its log.
//
// The program is C and reads this as such; kernels are C++ (cuda_words.h). Shared memory and the
// built-in variables are thread-local, because a block stays on one CPU thread.
#pragma once

#include "device/trace.h"

#ifdef __cplusplus
extern "C" {
struct uint3;  // both are in cuda_words.h
struct dim3;
#else
struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
};
#endif

// Not thread_local, which C++ reaches by a call.
#ifdef __wasm__  // there is one thread
#define __thread
#define EMULATOR_THREAD_LOCAL
#else
#define EMULATOR_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#endif
#define EMULATOR_LOCAL extern EMULATOR_THREAD_LOCAL

// ---- which thread ----

EMULATOR_LOCAL struct uint3 threadIdx, blockIdx;
EMULATOR_LOCAL struct dim3 blockDim, gridDim;

// The block's dynamic shared memory. It is behind a pointer, because so much thread-local storage
// in the program would leave no room for the threads that drivers start with small stacks.
EMULATOR_LOCAL unsigned char *emulator_tile;

// ---- waiting and failing ----

int emulator_syncthreads(int predicate, int line);  // how many threads came with a true one
unsigned long long emulator_warp(unsigned mask, unsigned long long value, int source, int line);
unsigned emulator_active(int line);                 // the lanes of the warp that are there together
enum { EMULATOR_BALLOT = -1, EMULATOR_SYNC = -2 };  // instead of a source lane

// Ends the launch, or the call of a host function, with one line.
__attribute__((noreturn)) void emulator_assert(const char *condition, const char *file, int line);

// ---- how emulator.c calls a kernel ----

struct emulator_args {
    const void *out, *in;  // struct planes
    void *scratch;
    const void *weights;
    const void *params;
    const void *arrays;  // struct arrays of a lab
};

// The threads of the block that have not begun yet.
struct emulator_turn {
    unsigned left;   // how many
    unsigned x, y;   // of the next one
    bool is_strict;  // a rewritten kernel runs as it stands
};
EMULATOR_LOCAL struct emulator_turn emulator_turn;

// ---- the log of a traced kernel ----

// Spaces of ranges; an event has the flag is_wild instead.
enum { EMULATOR_OWN = TRACE_TEXTURE + 1, EMULATOR_WILD };

// Addresses from start on; they are logged as those from `as` on.
struct emulator_range {
    unsigned long long start, bytes, as;
    int space;
};

// The log of the running thread.
struct emulator_log {
    struct trace_event *next, *end;
    const struct emulator_range *ranges;  // up to one that is WILD
    const struct emulator_range *recent;  // that was logged last; never one that is OWN, which may
                                          // lie around others
    unsigned long long code;              // the address that sites count from
};

EMULATOR_LOCAL struct emulator_log *emulator_log;  // NULL: nothing is logged
void emulator_grow_log(void);                      // makes room where next has reached end
// Between them threadIdx is one thread's. Both are opaque: no access moves past them.
void emulator_begin_log(void);
void emulator_end_log(void);

#ifdef __cplusplus
}
#endif

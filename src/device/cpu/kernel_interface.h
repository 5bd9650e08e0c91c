// kernel_interface.h -- the interface between the program and the objects of compiled kernels: how
// a kernel is called, how it waits, and how it writes its log.
//
// The program includes this as C, kernels as C++ (cuda_words.h). Shared memory and the built-in
// variables are thread-local, because a block stays on one CPU thread.
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

// __thread, because C++ reaches thread_local by a call.
#ifdef __wasm__  // there is one thread
#define __thread
#define EMULATOR_THREAD_LOCAL
#else
#define EMULATOR_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#endif
#define EMULATOR_LOCAL extern EMULATOR_THREAD_LOCAL

// ---- which thread ----

EMULATOR_LOCAL struct uint3 threadIdx, blockIdx;
#if defined(__cplusplus) && !defined(__wasm__)  // there, nothing but kernels is there to set them
EMULATOR_LOCAL const struct dim3 blockDim, gridDim;
#else
EMULATOR_LOCAL struct dim3 blockDim, gridDim;
#endif

// The block's dynamic shared memory. It is a pointer, because so much thread-local storage would
// not fit into the small stacks of threads that drivers start.
EMULATOR_LOCAL unsigned char *emulator_tile;

// ---- waiting and failing ----

int emulator_syncthreads(int predicate, int line);  // returns how many passed a true one
unsigned long long emulator_warp(unsigned mask, unsigned long long value, int source, int line);
long long emulator_clock(void);      // ns
unsigned emulator_active(int line);  // the mask of the warp's lanes that are here together
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
    unsigned left;     // how many
    unsigned x, y, z;  // threadIdx of the next one
    bool is_strict;    // a rewritten kernel runs as it stands
    // A rewritten kernel may run this block and those right of it in one call.
    unsigned most;  // how many at most
    unsigned done;  // how many it does; at first 1
};
EMULATOR_LOCAL struct emulator_turn emulator_turn;

// ---- the log of a traced kernel (trace_hooks.h) ----

// Log an access of the running thread, of enum trace_kind, by a call that returns to `after`. A
// struct is logged as words as large as its size allows; a fetch, as a byte read through a texture.
void emulator_log_access(const void *pointer, int kind, unsigned long bytes, const void *after);
void emulator_log_struct(const void *pointer, int kind, unsigned long bytes, const void *after);
void emulator_log_fetch(const void *pointer, const void *after);

// Between these two calls threadIdx is one thread's. The compiler moves no access past them.
void emulator_begin_log(void);
void emulator_end_log(void);

#ifdef __cplusplus
}
#endif

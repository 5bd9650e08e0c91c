// emulated_block.h -- runs one block of a launch on the calling CPU thread: all its threads up to a
// barrier, then on. It implements the words that kernels wait with: __syncthreads, shuffles, votes.
//
// It does not know the grid's other blocks; emulator.c hands them out. One CPU thread uses a struct
// emulated_block.
#pragma once

#include <signal.h>

#include "device/cpu/emulator.h"
#include "device/cpu/trace_hooks.h"

struct emulated_block;

struct emulated_block *emulated_block_create(int worker);  // its number; NULL: no memory
void emulated_block_destroy(struct emulated_block *b);     // accepts NULL

// Begin and end the blocks of one launch. When *cancel is true, emulated_block_interrupt stops the
// block; NULL: it never does.
void emulated_block_enter(struct emulated_block *b, const struct emulator_launch *l,
                          const atomic_bool *cancel);
void emulated_block_leave(struct emulated_block *b);

// index counts the grid's blocks along x, then y, then z. A rewritten kernel may run several blocks
// from there on, at most *count, which becomes how many it was. False: the kernel cannot go on, and
// its threads have been abandoned where they stood. *is_last becomes true when a trace wants no
// more blocks.
bool emulated_block_run(struct emulated_block *b, size_t index, size_t *count, bool *is_last,
                        struct error *err);

// Makes the block that runs on this thread fail, from inside its kernel.
_Noreturn void emulated_block_abandon(const char *why);

// A signal handler. The block on this thread fails ("cancelled") if *cancel is true and the thread
// is in the kernel's own code. If it is in a library that the kernel called, and the signal came
// with the value EMULATED_FREEZE (sigqueue), the thread stays in the handler for ever. Otherwise
// nothing happens.
enum { EMULATED_FREEZE = 1 };
void emulated_block_interrupt(int signal, siginfo_t *info, void *context);

// True if no kernel code runs on the block's thread, or the thread is frozen. Any thread may call.
bool emulated_block_is_at_rest(const struct emulated_block *b);
bool emulated_block_is_frozen(const struct emulated_block *b);

// A signal handler (fault.h). The block on this thread fails if its kernel has divided by zero, or
// has reached memory that is not there; its stack may be full.
void emulated_block_fault(int signal, siginfo_t *info, void *context);

// ---- emulated_trace.c: the logs of the block's threads, while it is traced ----
//
// A kernel that is compiled to be traced writes into the log of the running thread
// (trace_hooks.h). This module gives it a log for each thread, tells it which memory is whose, and
// hands all logs over when the block has ended. It keeps their memory for the next block. One CPU
// thread uses a struct emulated_trace.

// What the last block that was handed over did, in the order in which its threads ran, and how far
// the running block has followed it.
struct tape {
    struct emulator_step *steps;       // packed
    size_t count, room;                // count 0: there is no tape
    struct tape_piece *pieces;         // of the trace
    struct emulator_step *window;      // the steps unpacked last, as they are in the running block
    struct emulator_step *window_end;  // behind them
    size_t passed;                     // steps before the window
    size_t at, left, period;           // unpacked next: `left` with a period; then from `at` on
    const struct emulator_step *next;  // emulator_step, while no thread runs
    int in_vain, pause;                // the last tapes that no block kept to; blocks without one
};

struct emulated_trace {
    int worker;                 // the CPU thread's number
    const struct trace *trace;  // NULL: the launch is not traced
    struct emulator_log log;
    struct emulator_range *ranges;
    size_t shared_bytes;  // of a block, static and dynamic
    size_t static_bytes;
    struct emulator_range *pieces;  // those of the trace's pieces
    struct tape tape;
    GArray *turns;  // struct turn; NULL: nobody follows
    unsigned int running;
    size_t room;    // of all threads
    size_t events;  // of this block, without the running thread's newest
    // The log of one thread. While the thread runs, struct emulator_log has its end.
    struct thread_log {
        struct trace_event *events;
        size_t count, room;
    } threads[EMULATOR_MAX_THREADS];
    struct trace_thread handed[EMULATOR_MAX_THREADS];
};

void emulated_trace_forget(struct emulated_trace *t);  // frees what it keeps; accepts a zeroed one

// Begin and end a launch on the CPU thread that calls. Without a trace, all of this does nothing.
// shared is the CPU thread's dynamic shared memory, args are the kernel's arguments, and its
// threads run on the stacks besides the CPU thread's own.
void emulated_trace_enter(struct emulated_trace *t, const struct emulator_launch *l,
                          const void *shared, const struct emulator_args *args, const void *stacks,
                          size_t stacks_bytes);
void emulated_trace_leave(struct emulated_trace *t);

// Begin and end the logs of a block's threads. emulated_trace_end_block returns false if the trace
// wants no more blocks. is_cut: the processor has stopped the running thread.
void emulated_trace_begin_block(struct emulated_trace *t);
bool emulated_trace_end_block(struct emulated_trace *t, bool is_cut);

// emulated_trace.h -- the logs of the threads of one block, while it is traced.
//
// A kernel that is compiled to be traced writes into the log of the running thread
// (trace_words.h). This module gives it a log for each thread, tells it which memory is whose, and
// hands all logs over when the block has ended. It keeps their memory for the next block.
//
// It runs nothing; emulated_block.c does. One CPU thread uses a struct emulated_trace.
#ifndef EMULATED_TRACE_H
#define EMULATED_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "device/cpu/emulator.h"

struct emulated_trace;

struct emulated_trace *emulated_trace_create(int worker);  // NULL: no memory
void emulated_trace_destroy(struct emulated_trace *t);     // accepts NULL

// Stacks that threads of its blocks run on, besides the CPU thread's.
void emulated_trace_set_stacks(struct emulated_trace *t, const void *start, size_t bytes);

// Begin and end a launch on the CPU thread that calls. Without a trace, all of this does nothing.
// shared is the thread's dynamic shared memory, and args what the kernel is given.
void emulated_trace_enter(struct emulated_trace *t, const struct emulator_launch *l,
                          const void *shared, const struct emulator_args *args);
void emulated_trace_leave(struct emulated_trace *t);

// All threads of a block. emulated_trace_end_block returns false if the trace wants no more.
// is_cut: the processor has stopped the running thread.
void emulated_trace_begin_block(struct emulated_trace *t);
bool emulated_trace_end_block(struct emulated_trace *t, bool is_cut);

// The running thread goes on after a barrier (an enum trace_barrier), whose call returns there.
void emulated_trace_add_barrier(int barrier, const void *after);

#endif

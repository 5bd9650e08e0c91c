// fault.h -- the signals with which the processor says that a thread cannot go on, and those that a
// thread sends to itself to end: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT.
//
// It does not know kernels: the signal handler decides what to leave, and how. It also calls host
// code of a kernel file, such as a reference, so that this can neither end the program nor keep a
// thread for ever.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/backend.h"
#include "device/cpu/object.h"

// True if this process caused the signal, by a fault, abort() or raise(), and no other sent it.
bool fault_is_own(const siginfo_t *info);

// Lets the signal end the process, as if nobody listened. The handler then returns.
void fault_end_process(int number, const siginfo_t *info);

// True if it was a fault, so that the signal has the fault's address.
bool fault_has_address(const siginfo_t *info);

// Names the thread's mistake: "divides an integer by zero". is_stack_full: it reached below its
// stack.
const char *fault_words(const siginfo_t *info, bool is_stack_full);

// Where the thread was interrupted, and where its stack ended then; 0: not known on this machine.
struct fault_place {
    uintptr_t instruction, stack;
    const char *access;  // of a SIGSEGV: "reads", "writes", or both
};
struct fault_place fault_locate(const void *context);

// Implements backend_call(). The code runs on the caller's thread. A timer sends SIGURG to that
// thread now and then, and the handler looks at the processor time that a step has spent and at
// *stop. At a timer signal it abandons the call only in the object's own code; at a fault,
// anywhere. Several threads may call at the same time.
bool host_call_run(const struct module *m, const struct host_call *call, struct error *err);

// Ends the call on this thread, if there is one; why is "fails ...".
void host_call_fail(const char *why);

// Signal handlers call these first. They return if this thread has no call, or if its call may go
// on; the handler then looks for another cause.
void host_call_interrupt(const void *context);
void host_call_fault(int number, const siginfo_t *info, const void *context);

// fault.h -- the signals with which the processor says that a thread cannot go on, and those that a
// thread sends to itself to end: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT.
//
// It does not know kernels: the handler decides what to leave, and how. But it calls host code of a
// kernel file, a reference, without the risk that it ends the program or keeps a thread for ever.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/backend.h"
#include "device/cpu/object.h"

// True if this process caused the signal, by a fault or by abort() and raise(); no other sent it.
bool fault_is_own(const siginfo_t *info);

// Lets the signal end the process, as if nobody listened. The handler then returns.
void fault_end_process(int number, const siginfo_t *info);

// True if it was a fault, so that the signal's address is where.
bool fault_has_address(const siginfo_t *info);

// The thread's mistake: "divides an integer by zero". is_stack_full: it reached below its stack.
const char *fault_words(const siginfo_t *info, bool is_stack_full);

// Where the thread was interrupted, and where its stack ended then; 0: not known on this machine.
struct fault_place {
    uintptr_t instruction, stack;
};
struct fault_place fault_locate(const void *context);

// Does what backend_call() promises. The code runs on the caller's thread. A timer sends SIGURG to
// that thread now and then, and the handler looks at the processor time that a step has spent and
// at *stop. The code is left only where it is the object's own; a fault is left anywhere. Any
// thread may call, several at a time.
bool host_call_run(const struct module *m, const struct host_call *call, struct error *err);

// Ends the call on this thread, if there is one: it "fails ...".
void host_call_fail(const char *why);

// The signals' handlers ask these first. If they return, there is no call on this thread, or it
// stays where it is, and the signal is somebody else's.
void host_call_interrupt(const void *context);
void host_call_fault(int number, const siginfo_t *info, const void *context);

// host_call.h -- calls host code of a kernel file, a REFERENCE, without the risk that it ends the
// program or keeps a thread for ever.
//
// The code runs on the caller's thread. Another thread looks at the processor time that it spends,
// and sends SIGURG when a step takes too long or *stop becomes true. The handlers, which the
// emulator installs, ask this module first. They leave the code only where it is the object's own;
// a fault is left anywhere.
//
// Any thread may call, several at a time.
#ifndef HOST_CALL_H
#define HOST_CALL_H

#include <signal.h>
#include <stdbool.h>

#include "device/backend.h"
#include "device/cpu/object.h"

// Does what backend_call() promises.
bool host_call_run(const struct host_call *call, const struct object *object, struct error *err);

// From the signals' handlers. True: no call on this thread, or it stays where it is, so the signal
// is somebody else's. They do not return if they leave the call.
void host_call_interrupt(const void *context);
void host_call_fault(int number, const siginfo_t *info, const void *context);

#endif

// trace_hooks.h -- the log of a traced kernel: what the compiler's calls out of the kernel write
// (trace_hooks.c), and what emulated_trace.c makes of it.
//
// An event that is the next step of the block that is followed only needs to be compared with it.
// Any other access is looked up in the ranges that the emulator keeps for each CPU thread: buffers,
// shared memory, constants, and what is a thread's own (the stack, threadIdx, parameters), which is
// not logged. Whatever lies elsewhere is logged as wild.
//
// Nothing is counted here, and an aggregate that is copied as a whole is told by its size only: as
// words as large as its size allows.
#pragma once

#include <stdint.h>

#include "device/cpu/kernel_interface.h"

// No kernel sees it, so it is found without a look at a table.
#define EMULATOR_OWN_LOCAL extern _Thread_local __attribute__((visibility("hidden")))

enum { EMULATOR_RECENT = 16 };

// Spaces of ranges; an event has the flag is_wild instead.
enum { EMULATOR_OWN = TRACE_TEXTURE + 1, EMULATOR_WILD };

// Addresses from start on; the log shows them as addresses from `as` on.
struct emulator_range {
    unsigned long long start, bytes, as;
    int space;
    unsigned long long key;  // what its accesses have in common of an event from `site` on
};

// The log of the running thread.
struct emulator_log {
    struct trace_event *next, *end;
    const struct emulator_range *ranges;  // the last one is EMULATOR_WILD
    // The ranges logged last by sites of that number; never EMULATOR_OWN, which may lie around
    // others.
    const struct emulator_range *recent[EMULATOR_RECENT];
    unsigned long long code;    // the address that sites count from
    unsigned long struct_word;  // the bytes of the largest words in which structs are copied
    int is_followed;            // nothing is written, as long as all steps are those of the block
                                // that is followed
};

EMULATOR_OWN_LOCAL struct emulator_log *emulator_log;  // NULL: nothing is logged
void emulator_grow_log(void);                          // makes room where next has reached end

// An event that the running block will log next, if it does what the block did that it follows.
struct emulator_step {
    unsigned long long pointer;  // where the access begins; of TRACE_FLOW 0
    unsigned long long key;      // EMULATOR_STEP: all else that a hook knows
};
// after: where the call that reports the event returns to, an address of 48 bits.
#define EMULATOR_STEP(after, kind, bytes, is_texture) \
    ((unsigned long long)(after) | ((kind) | (bytes) << 3 | (is_texture) << 8) * (1ull << 48))

// Never NULL. Where nothing is followed, and behind the steps that are known, is one that no event
// has.
EMULATOR_OWN_LOCAL const struct emulator_step *emulator_step;
// The event is not that step. True: but the next one, now that more are known. False: the log is
// written from here on.
int emulator_follow(unsigned long long pointer, unsigned long long key);

// True if the instruction is one of a hook, which may be left at any of them, as a kernel's code.
bool emulator_is_hook(uintptr_t instruction);

// Logs that the running thread waits (an enum trace_barrier) in a call that returns to `after`.
void emulator_log_flow(int barrier, const void *after);

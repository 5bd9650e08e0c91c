// emulated_shared.h -- the dynamic shared memory of the block that runs on a CPU thread: the word
// tile points to it.
//
// It is found out when a thread reaches behind the bytes that the launch gives it.
#ifndef EMULATED_SHARED_H
#define EMULATED_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cpu/emulator.h"

struct emulated_shared {
    const struct emulator_launch *launch;
    unsigned char *memory;  // as large as it may be; behind it nobody may touch as much again
    size_t rounding_bytes;  // behind the launch's own, which nobody may write to
};

bool emulated_shared_create(struct emulated_shared *s);  // false: there is no memory
void emulated_shared_destroy(struct emulated_shared *s);

// Begin and end the blocks of one launch on this thread.
void emulated_shared_enter(struct emulated_shared *s, const struct emulator_launch *l);
void emulated_shared_leave(struct emulated_shared *s);

// False: the block has written behind its shared memory, too near for a fault; err then says so.
bool emulated_shared_check(const struct emulated_shared *s, struct error *err);

// Whether a fault at the address is behind the launch's shared memory; err then says so.
bool emulated_shared_explain(const struct emulated_shared *s, uintptr_t address, struct error *err);

#endif

// emulated_block.h -- runs one block of a launch on the calling CPU thread, its threads together up
// to each barrier. The words that kernels wait with (__syncthreads, shuffles, votes) end up here.
//
// Does not know the grid's other blocks: emulator.c deals them out. A struct emulated_block stays
// with the CPU thread that uses it.
#ifndef EMULATED_BLOCK_H
#define EMULATED_BLOCK_H

#include <signal.h>

#include "device/cpu/emulator.h"

struct emulated_block;

struct emulated_block *emulated_block_create(void);     // NULL: no memory
void emulated_block_destroy(struct emulated_block *b);  // accepts NULL

// Around the blocks of one launch. cancel: emulated_block_interrupt does something; NULL: never.
void emulated_block_enter(struct emulated_block *b, const struct emulator_launch *l,
                          const atomic_bool *cancel, bool is_reversed);
void emulated_block_leave(struct emulated_block *b);

// index: of the block in its grid, x first, then y, then z. False: the kernel cannot go on; its
// threads were abandoned where they stood.
bool emulated_block_run(struct emulated_block *b, size_t index, struct error *err);

// Signal handler: the block that runs on this thread fails ("cancelled") if it is to be cancelled
// and the thread was in its kernel's code; else nothing happens.
void emulated_block_interrupt(int signal, siginfo_t *info, void *context);

#endif

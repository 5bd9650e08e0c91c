// block.h -- runs one block of a launch on the calling CPU thread, its threads together up to each
// barrier. The words that kernels wait with (__syncthreads, shuffles, votes) end up here.
//
// Does not know the grid's other blocks: emulator.c deals them out. A struct block stays with the
// CPU thread that uses it.
#ifndef BLOCK_H
#define BLOCK_H

#include <signal.h>

#include "emulator.h"

struct block;

struct block *block_create(void);     // NULL: no memory
void block_destroy(struct block *b);  // accepts NULL

// Around the blocks of one launch. cancel: block_interrupt does something; NULL: never.
void block_enter(struct block *b, const struct emulator_launch *l, const atomic_bool *cancel,
                 bool is_reversed);
void block_leave(struct block *b);

// index: of the block in its grid, x first, then y, then z. False: the kernel cannot go on; its
// threads were abandoned where they stood.
bool block_run(struct block *b, size_t index, struct error *err);

// Signal handler: the block that runs on this thread fails ("cancelled") if it is to be cancelled
// and the thread was in its kernel's code; else nothing happens.
void block_interrupt(int signal, siginfo_t *info, void *context);

#endif

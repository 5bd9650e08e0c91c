// block.h -- runs one block of a launch on the calling CPU thread, its threads together up to each
// barrier. The words that kernels wait with (__syncthreads, shuffles, votes) end up here.
//
// Does not know the grid's other blocks: emulator.c deals them out. A struct block stays with the
// CPU thread that uses it.
#ifndef BLOCK_H
#define BLOCK_H

#include "emulator.h"

struct block;

struct block *block_create(void);     // NULL: no memory
void block_destroy(struct block *b);  // accepts NULL

// Around the blocks of one launch.
void block_enter(struct block *b, const struct emulator_launch *l, bool is_reversed);
void block_leave(struct block *b);

// index: of the block in its grid, x first, then y, then z. False: the kernel cannot go on; its
// threads were abandoned where they stood.
bool block_run(struct block *b, size_t index, struct error *err);

#endif

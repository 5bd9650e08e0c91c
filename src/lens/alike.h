// alike.h -- recognises blocks that do the same as one before, in another place.
//
// Two blocks are alike if their threads log the same events in the same order, and if what they
// touch of each piece of memory is shifted by a multiple of 128 bytes, the same for all accesses.
// Then all counts of the model (model.h) are equal: lines, sectors and banks repeat with 128 bytes,
// and no line belongs to two pieces. So are the paths of their threads, and the races in shared
// memory, whose addresses do not shift. Nothing is assumed of the kernel: each block is traced, and
// its own events are compared.
//
// The events of a block are compared by a hash of 128 bits, since those of one block may take many
// MiB. Two different blocks have the same hash in 1 of 2^128 cases.
//
// Pure: any thread may call.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "device/trace.h"
#include "lens/lens_result.h"

struct alike {
    guint64 low, high;
};

// Computes a block's hash. False: the block touches something outside of the memory and of its own
// shared memory, perhaps by mistake, and must be looked at by itself. Each piece of memory must
// begin at a multiple of 128 bytes.
bool alike_find(const struct trace_block *block, const struct lens_memory *memory, int count,
                struct alike *found);

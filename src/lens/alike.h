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
// MiB. Two different blocks have the same hash in 1 of 2^128 cases. A hash grows part by part, so
// that nobody has to keep a block's log (trace.h).
//
// Pure: any thread may call, one at a time for each struct alike_block.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "device/trace.h"
#include "lens/lens_result.h"

enum { ALIKE_MAX_THREADS = 1024 };

struct alike {
    guint64 low, high;
};

// What is known of a block while it runs.
struct alike_block {
    const struct lens_memory *memory;
    int count;
    // For each piece of memory, the offset that the block touched first, down to a multiple of 128.
    bool is_known[LENS_RESULT_MAX_MEMORY];
    guint64 begin[LENS_RESULT_MAX_MEMORY];
    guint64 shared_end;           // behind what was touched of shared memory
    bool is_outside;              // something was touched that is in no piece
    unsigned int loaded, stored;  // bit i: of piece i; an atomic does both
    struct alike_thread {
        size_t count;
        struct alike next, other;  // two hashes that take turns, for the event that follows
    } threads[ALIKE_MAX_THREADS];
};

// Each piece of memory, which is borrowed, must begin at a multiple of 128 bytes.
void alike_begin(struct alike_block *b, const struct lens_memory *memory, int count);
// The parts of a thread come in its order.
void alike_add(struct alike_block *b, int thread, const struct trace_event *events, size_t count);
// Computes a block's hash and begins another block. False: the block touches something outside of
// the memory and of its own shared memory, perhaps by mistake, and must be looked at by itself.
bool alike_end(struct alike_block *b, const struct trace_block *block, struct alike *found);

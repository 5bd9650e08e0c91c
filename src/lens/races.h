// races.h -- finds threads of a traced launch that touch the same byte, at least one of them
// writing, with nothing between the two accesses that orders them.
//
// These are ordered: a thread with itself; threads of a block, by __syncthreads; lanes of a warp,
// also by __syncwarp. Blocks are not. Two atomic accesses do not race. Lanes of a warp are not in
// step: since Volta a GPU may run them one after the other.
//
// The verdict does not depend on the order in which the emulator ran the threads. It may miss a
// race: a byte remembers its last writer and two readers; a __syncwarp of some lanes counts for
// each of them; and of a launch with a __threadfence, blocks are not compared, since what they
// agree on is not known.
//
// One thread at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "device/trace.h"

struct races;

// Two accesses: the one that was looked at first, and the other.
struct race {
    enum trace_space space;
    unsigned long long address;  // as in trace.h
    unsigned int site[2];
    enum trace_kind kind[2];
    int thread[2];        // in its block
    int bytes;            // of the second access
    size_t static_bytes;  // of the block's shared memory, before tile
    bool is_one_block;    // else they are of different ones
    // A block barrier that one of the two has passed and the other never reached, how many of the
    // block's threads passed it (waiting) or not (missing), and the first of each. waiting 0: there
    // is none.
    struct race_barrier {
        unsigned int site;
        int waiting, first_waiting;
        int missing, first_missing;
    } barrier;
};

enum { RACES_MAX = 256 };  // a line may have many instructions

struct races *races_create(void);
void races_destroy(struct races *r);  // accepts NULL

// A piece of global memory that is watched, besides shared memory.
void races_watch(struct races *r, unsigned long long address, size_t bytes);
// The blocks that follow are of another launch, which begins when the one before has ended.
void races_begin_launch(struct races *r);
void races_add_block(struct races *r, const struct trace_block *block);
// Adds the races of another one, which must not be used afterwards.
void races_merge(struct races *r, struct races *other);

// The place of a race in shared memory, in bytes from the beginning of the dynamic part (*is_tile)
// or of the file's __shared__ arrays.
int races_place(const struct race *race, bool *is_tile);

// At most RACES_MAX, each pair of sites once. They are valid until the next change.
const struct race *races_found(struct races *r, int *count);

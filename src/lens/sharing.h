// sharing.h -- how many requests, warps and blocks touch each 32-byte sector of global memory.
//
// A request counts once for each sector that it touches, as do a warp and a block, however often
// they come back. A load, a store and an atomic count alike; warps of two passes are different
// ones.
//
// The counts take 12 bytes a sector. Where the pieces of memory are larger than SHARE_SECTORS
// allows (share.h), 2, 4 or more neighbours are counted as one: what touches any of them counts
// once.
#pragma once

#include <glib.h>
#include <stddef.h>

#include "lens/lens_result.h"

struct sharing {
    struct sharing_array {
        unsigned long long first;  // its first sector: address / 32
        size_t count;              // of sectors
        size_t group;              // sectors that are counted as one: a power of 2
        unsigned int (*groups)[SHARING_COUNTS];
    } arrays[LENS_RESULT_MAX_MEMORY];  // as in lens_result.h
    int array_count;
};

// All zero. NULL: there is no memory.
struct sharing *sharing_create(const struct lens_memory *memory, int count);
void sharing_destroy(struct sharing *s);  // accepts NULL
void sharing_clear(struct sharing *s);

// Counts one request of a block. warps: what the block has touched so far; its owner empties it
// before each block. The requests of a block come warp after warp, all on one thread, while other
// threads may count other blocks.
void sharing_count(struct sharing *s, GHashTable *warps, int warp, const struct lens_request *r);
void sharing_add(struct sharing *to, const struct sharing *more);  // of the same memory

// Counts the block whose requests a result holds, all passes together. NULL as above.
struct sharing *sharing_of_block(const struct lens_result *r);

// The last of the sectors that are counted as one with this sector of an array.
size_t sharing_last(const struct sharing_array *a, size_t sector);

// The largest count among the sectors in which these bytes of an array lie. 0: they are outside.
unsigned int sharing_most(const struct sharing_array *a, enum sharing_by by, size_t offset,
                          size_t bytes);

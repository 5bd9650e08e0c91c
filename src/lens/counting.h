// counting.h -- counts one pass of a launch while it is traced: the requests of each instruction,
// accesses outside, threads that race, and, of one block, every request.
//
// It does not launch; tracing.c does, until counting_is_settled. The grader shares it.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "device/trace.h"
#include "lens/lens_result.h"
#include "lens/tracing.h"

struct counting;

// The counts of one instruction. Requests of one site are kept apart if they differ in what they
// do, where, or in bytes a lane: one instruction may copy from global to shared memory, or follow
// pointers into both.
struct counting_row {
    unsigned int site;          // as in trace.h
    unsigned char kind, space;  // enum trace_kind and enum trace_space
    unsigned char bytes;        // a lane
    struct lens_counts counts;
};

struct counting_setup {
    struct launch_config config;
    bool is_whole;
    int block_x, block_y;  // the block that is counted, unless is_whole
    // The pieces of global memory, borrowed. NULL: no races in shared memory and no accesses
    // outside are looked for.
    const struct lens_memory *memory;
    int memory_count;
    size_t max_events;  // of a block
    int workers;        // at most
    bool *is_too_long;  // as in trace.h
    struct tracing_watch *watch;
    struct sharing *sharing;  // of the memory, borrowed: it gets the counts. NULL: there is none
};

struct counting *counting_create(const struct counting_setup *setup);
void counting_destroy(struct counting *c);  // accepts NULL

// Pass it to the launch, which must have ended before the next call.
const struct trace *counting_trace(const struct counting *c);

// True: the counts are right. False: they are forgotten, and the launch must be traced again.
bool counting_is_settled(struct counting *c);
// True: a block made more requests than are kept.
bool counting_is_full(const struct counting *c);

// The first access outside that a launch made, even if it failed; NULL: there was none.
const struct lens_outside *counting_outside(const struct counting *c);

// All instructions that made requests, by rising site, then kind, space and bytes, once the
// counting is settled.
const struct counting_row *counting_rows(const struct counting *c, int *count);
// Fills the pass's counts, lines, races, accesses outside and steps. chains: source lines, from a
// site to its struct trace_chain; a site that is missing has none.
void counting_fill(struct counting *c, GHashTable *chains, struct lens_pass *pass);

// True if one access of a thread is outside: behind the block's shared memory, or just behind or
// before a piece of global memory. Only then all of o but its chain is written. An access far from
// a piece, or before shared memory, is not in a trace: the processor stops it, or it is to another
// variable.
bool counting_finds_outside(const struct trace_block *block, int thread,
                            const struct trace_event *e, const struct lens_memory *memory,
                            int memory_count, struct lens_outside *o);

// trace.h -- what the threads of a traced launch did: every memory access that a GPU would count,
// and the basic blocks between them.
//
// A module that was compiled with build.is_traced logs this when a launch has a struct trace. Only
// the cpu device can do it; what it logs holds for cuda, too, because the memory is laid out alike.
// Accesses to a thread's own variables, to parameters and to built-in variables are left out.
//
// This header does not count anything and knows no warps. A site is an instruction: the offset of
// its code in the compiled object, the same for all threads.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum trace_kind {
    TRACE_FLOW,  // the thread enters a basic block, or continues after a barrier; only site and
                 // bytes (an enum trace_barrier) have a meaning
    TRACE_LOAD,
    TRACE_STORE,
    TRACE_ATOMIC,
};

enum trace_barrier {
    TRACE_NO_BARRIER,
    TRACE_BLOCK_BARRIER,  // __syncthreads and its like
    TRACE_WARP_BARRIER,   // __syncwarp
    TRACE_FENCE,          // __threadfence: nobody waits, but others see earlier writes
};

enum trace_space { TRACE_GLOBAL, TRACE_SHARED, TRACE_CONSTANT, TRACE_TEXTURE };

struct trace_event {
    // In shared memory it is the offset in the block's, where the dynamic part follows the static
    // one; an access behind both has a larger offset.
    // Elsewhere it is the address; memory begins at the address that backend_alloc returned.
    unsigned long long address;
    unsigned int site;
    unsigned char kind, space;  // enum trace_kind, enum trace_space
    unsigned char bytes;        // 1, 2, 4, 8 or 16
    unsigned char is_wild;      // 1: a global access outside of the device's memory, or of the
                                // trace's pieces, and of the file's variables; else 0
};

// One thread's events, in its order. A thread that touched nothing may have none.
struct trace_thread {
    const struct trace_event *events;
    size_t count;
};

// A block that has ended. The trace also gets a block in which the processor stopped a thread for
// an access outside of its memory; the launch then fails.
struct trace_block {
    int x, y, z, width, height;          // blockIdx; threads
    int layers, grid_layers;             // of the height, and of the grid; 0: one
    const struct trace_thread *threads;  // row after row: thread t is lane t % 32 of warp t / 32
    size_t shared_bytes;                 // static and dynamic; an access beyond them is a mistake
    size_t static_bytes;                 // of the static part; the dynamic one, tile, follows
    bool is_cut;                         // the processor stopped a thread at its last event
};

enum { TRACE_SHIFT_BYTES = 128 };  // a line of a GPU's caches

// A part of the device's memory.
struct trace_piece {
    unsigned long long address;
    size_t bytes;
};

// How a launch is traced. It is borrowed until the launch has ended.
struct trace {
    // The device calls it for each block, on the thread that ran the block. Several calls may run
    // at once, each with another worker from 0 to TRACE_MAX_WORKERS - 1. The block is valid until
    // it returns. False stops the launch.
    bool (*block)(void *data, int worker, const struct trace_block *block);
    void *data;
    int only_x, only_y;  // only this block of the first plane runs; only_x -1: the whole grid
    size_t max_events;   // of a block; the launch fails if it has more
    int workers;         // at most; 0: TRACE_MAX_WORKERS
    bool *is_too_long;   // becomes true if a block has more than max_events; NULL: nobody asks

    // May be NULL. Called in place of `block` for a block that does what the last block did that
    // the worker gave to `block`: the same events in the same order, with the addresses in each
    // piece shifted by a multiple of TRACE_SHIFT_BYTES. False: `block` is called, too. Where most
    // blocks are alike this is much faster, since nobody keeps their logs.
    bool (*same)(void *data, int worker);
    const struct trace_piece *pieces;  // borrowed; no two share a byte
    int piece_count;                   // 0: all of the device's memory may be touched
    // Structs are copied in words of at most so many bytes, as their alignment allows. 0: not known
    int struct_word;
};

enum { TRACE_MAX_WORKERS = 8 };

// Where a site is in the source: its own line, then the line into which that was inlined, and so on
// up to one in the kernel's body.
enum { TRACE_MAX_PLACES = 6 };
struct trace_place {
    char file[64];  // without folders
    int line;
};
struct trace_chain {
    struct trace_place places[TRACE_MAX_PLACES];
    int count;  // 0: not known
};

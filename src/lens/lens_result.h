// lens_result.h -- what the lens has found: the counts of each pass and of each source line, and,
// of one block, every request in the order of its warps.
//
// It does not trace or count; tracing.h does. A result owns all that it points to, and nobody
// changes it once it is there.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/planes.h"
#include "device/backend.h"
#include "device/trace.h"
#include "filter/block_info.h"
#include "filter/filter.h"
#include "lens/model.h"
#include "lens/races.h"
#include "lens/bound.h"

enum { LENS_RESULT_SPACES = TRACE_TEXTURE + 1, LENS_RESULT_KINDS = TRACE_ATOMIC + 1 };
enum {
    LENS_RESULT_MAX_MEMORY = ARRAYS_MAX,
    LENS_RESULT_MAX_RACES = 16,
    LENS_RESULT_MAX_OUTSIDE = 16,
};

// A piece of global memory that addresses lie in: "in", "out", "scratch", "weights", or an array of
// a lab. Of one plane of a picture, pixel (x, y) is at address + y pitch + x step.
struct lens_memory {
    char name[FILTER_NAME];
    unsigned long long address;
    size_t bytes;
    struct planes shape;  // of a picture, without pixels; width 0: it is none
    int element_bytes;    // of an array, whose elements may be records; 1 of a picture
    struct array_record record;
};

// All requests of one kind that one line makes, with the lines that it was inlined into.
struct lens_line {
    struct trace_chain chain;  // count 0: not known
    enum trace_space space;
    enum trace_kind kind;
    int bytes;  // a lane
    struct lens_counts counts;
};

// One request of a block.
struct lens_step {
    int warp;
    int instance;  // how many requests of this site the warp has made before
    int line;      // index into the pass's lines
    struct lens_request request;
};

// Two threads of a block that touch the same word of shared memory, one of them writing, with no
// barrier between them (races.h). Races in global memory are not looked for.
struct lens_race {
    struct race race;
    struct trace_chain chain[2], barrier_chain;  // of its sites
};

// An access outside: behind the block's shared memory, or behind or before an array or picture
// (counting.h).
struct lens_outside {
    struct trace_chain chain;
    unsigned int site;
    enum trace_kind kind;
    int thread[3], block[3];  // threadIdx and blockIdx
    bool has_layers;          // the launch has some, which are then named
    char array[FILTER_NAME];  // "tile", or a piece of memory; empty: it is near none
    long long at;             // bytes from the array's beginning, or the address
    size_t array_bytes;
    int element_bytes;
};

struct lens_pass {
    char kernel[FILTER_ENTRY];
    struct launch_config config;
    // The whole launch does so many times what was counted; 1: all was counted. A block that is cut
    // by an edge of its domain counts as a part of one.
    double times;
    double warp_times;  // the same for what whole warps do (traced_block.h)
    struct lens_counts counts[LENS_RESULT_SPACES][LENS_RESULT_KINDS];
    struct lens_line *lines;  // by file and line
    int line_count;
    struct lens_race *races;  // each pair of lines once, at most LENS_RESULT_MAX_RACES
    int race_count;
    struct lens_outside *outside;  // each line and array once
    int outside_count;
    // For one block only: which one, and its requests, warp after warp, each in its order.
    int block_x, block_y;
    struct lens_step *steps;
    int step_count;
};

// The counts that each sector has (sharing.h).
enum sharing_by { SHARING_REQUESTS, SHARING_WARPS, SHARING_BLOCKS, SHARING_COUNTS };
struct sharing;

struct lens_result {
    bool is_whole;  // all blocks of all planes were counted; else one block of the first plane
    struct lens_pass passes[FILTER_MAX_PASSES];
    int pass_count;
    struct lens_memory memory[LENS_RESULT_MAX_MEMORY];
    int memory_count;
    bool has_touched;  // `touched` is known: of one block of a filter
    struct block_info_touched touched[FILTER_MAX_PASSES];
    struct bound_counts launch;  // as that one block tells it (traced_block.h)
    struct sharing *sharing;     // of a whole launch, if that was asked for (sharing.h); or NULL
    double elements;     // that the launch writes: pixels of all planes, or of its first out array
    char no_lines[256];  // why lines are not known; empty: they are
};

void lens_result_free(struct lens_result *r);  // accepts NULL
void lens_result_free_pass(struct lens_pass *p);
// Frees steps and counts of sectors, which take far more memory than all else.
void lens_result_drop_steps(struct lens_result *r);

// The piece of global memory that a lane touches. NULL: the lane is not active, or the request is
// to other memory.
const struct lens_memory *lens_result_memory_at(const struct lens_result *r,
                                                const struct lens_request *request, int lane);

// From a pixel of a picture's first plane to its right neighbour: 1, or more where pixels are
// packed.
int lens_result_pixel_bytes(const struct lens_memory *picture);

// The counts of a space, of loads, stores and atomics together.
struct lens_counts lens_result_of_space(const struct lens_pass *p, enum trace_space space);

// Sums over all passes.
struct lens_sums {
    struct lens_counts memory;  // global and texture
    struct lens_counts shared, constant;
    // Of the launch, a pixel or element that it writes: so variants whose blocks do more or less
    // can be compared. Blocks are taken to be alike.
    struct lens_rates {
        double wanted_bytes, sectors, ideal_sectors;  // of memory
        double conflicts;
    } each;
};
struct lens_sums lens_result_sum(const struct lens_result *r);
// Counts of one kind of access; -1: of all spaces or kinds.
struct lens_sums lens_result_sum_of(const struct lens_result *r, int space, int kind);

// Races and accesses outside, of all passes together.
int lens_result_fault_count(const struct lens_result *r);
// Fault i, those outside before the others: "outside: a.cu:31: thread (5, 0) of block (0, 0) reads
// tile[264]; tile has 528 bytes of shared memory (132 elements)", or "race: a.cu:20 (store of
// thread 0) and a.cu:22 (load of thread 9) touch tile[0]: put __syncthreads() between lines 20 and
// 22".
void lens_result_write_fault(const struct lens_result *r, int i, char *text, size_t size);
void lens_result_write_outside(const struct lens_outside *outside, char *text, size_t size);
// Appends "thread (5, 0) of …", without the line.
void lens_result_append_outside(const struct lens_outside *outside, char *text, size_t size);
// True if a line is one that a fault names.
bool lens_result_is_at_fault(const struct lens_result *r, const char *file, int line);
// True if the line is one of the chain's.
bool lens_result_leads(const struct trace_chain *chain, const char *file, int line);

// All kinds of access that there are, with one word for each: "global_load", "texture".
enum { LENS_RESULT_ACCESSES = 8 };
extern const struct lens_access_name {
    const char *name;
    enum trace_space space;
    enum trace_kind kind;
} lens_result_accesses[LENS_RESULT_ACCESSES];

// "global", "load"
const char *lens_result_space_name(enum trace_space space);
const char *lens_result_kind_name(enum trace_kind kind);

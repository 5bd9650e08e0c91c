// model.h -- what the hardware counts for one instruction of one warp.
//
// A request holds the addresses of a warp's active lanes. From these alone follow the sectors, the
// wavefronts and the other figures that Nsight Compute shows. The rules were measured on an H200;
// docs/lens.md has them, with their evidence.
//
// The hardware serves a request in turns. Each space has its own kind of turn:
//
//     global    one turn; lanes of an atomic on one address have a turn each
//     shared    a wavefront: each bank gives one word, so two words of one bank need two turns
//     constant  a word, which all lanes that want it get
//     texture   a quad of lanes: each is a request of its own
//
// The model knows nothing of caches, local memory or the wavefronts of global accesses.
//
// Pure: any thread may call.
#pragma once

#include "device/backend.h"
#include "device/trace.h"

enum {
    MODEL_LANES = 32,
    MODEL_SECTOR_BYTES = 32,
    MODEL_LINE_BYTES = 128,
    MODEL_BANKS = 32,
    MODEL_WORD_BYTES = 4,
    MODEL_MAX_SECTORS = 2 * MODEL_LANES,  // an access that is not aligned touches two
};

// One instruction of one warp.
struct lens_request {
    unsigned long long address[MODEL_LANES];  // of the active lanes
    unsigned int active;                      // bit l: lane l takes part
    unsigned int site;                        // as in trace.h
    unsigned char kind;                       // enum trace_kind, but not TRACE_FLOW
    unsigned char space;                      // enum trace_space
    unsigned char bytes;                      // a lane: 1, 2, 4, 8 or 16
};

// Sums over requests. A count that a space has no rule for stays 0.
struct lens_counts {
    unsigned long long requests;
    unsigned long long lanes;             // active ones
    unsigned long long wanted_bytes;      // of all lanes
    unsigned long long bytes;             // distinct ones of each request
    unsigned long long sectors, lines;    // global and texture: of 32 and of 128 bytes
    unsigned long long ideal_sectors;     // if the distinct bytes lay side by side
    unsigned long long wavefronts;        // shared
    unsigned long long ideal_wavefronts;  // without the conflicts
    unsigned long long words;             // constant
};

// Bank conflicts: wavefronts - ideal_wavefronts.
unsigned long long model_conflicts(const struct lens_counts *c);

// Sectors, wavefronts or words beyond the fewest that would do. One word would do for a request.
unsigned long long model_excess(const struct lens_counts *c, enum trace_space space);

// Adds a request's figures. A request without active lanes adds nothing.
void model_count(const struct lens_request *r, struct lens_counts *add_to);
void model_add(struct lens_counts *add_to, const struct lens_counts *more);
void model_add_times(struct lens_counts *add_to, const struct lens_counts *more,
                     unsigned long long times);

// ---- what the pictures need ----

struct lens_turns {
    int count;
    int ideal;                         // without conflicts
    signed char of_lane[MODEL_LANES];  // -1: not active
    bool is_conflict[MODEL_LANES];     // a shared request's turn that is there only because of one
};

// Wavefronts of a shared request, one after the other, that need the same banks.
struct lens_run {
    int first, count;
};

// The distinct sectors of a request, by rising address.
struct lens_sectors {
    int count;
    unsigned long long number[MODEL_MAX_SECTORS];  // address / 32
    unsigned int used[MODEL_MAX_SECTORS];          // bit b: byte b is wanted
    signed char of_lane[MODEL_LANES];  // index of the one with its first byte; -1: not active
};

void model_turns(const struct lens_request *r, struct lens_turns *turns);
void model_sectors(const struct lens_request *r, struct lens_sectors *sectors);

// The first bank that a lane's shared access needs, and how many it needs: one, two or four.
int model_bank(const struct lens_request *r, int lane);
int model_banks_a_lane(const struct lens_request *r);

// Divides all wavefronts into runs, each as long as can be. Returns how many there are.
int model_runs(const struct lens_request *r, const struct lens_turns *turns,
               struct lens_run runs[MODEL_LANES]);

// The architecture on which the rules were measured, "sm_90", for a GPU of another one, where they
// are a guess. NULL: they are the device's own, or it is no GPU. Accepts NULL.
const char *model_foreign_rules(const struct device *device);

// bound.h -- what bounds a kernel: how close it comes to each ceiling of the device.
//
//     needed      The bytes that a launch must move, at the rate at which a device copy moves
//                 bytes. This is "% of copy".
//     memory      "Memory traffic": the bytes of all sectors that a block touches, each once,
//                 however many of its requests ask for it, at the same rate. A sector has 32
//                 bytes, and comes whole. Memory moves no fewer than the needed bytes
//                 and, unless the L1 cache loses sectors, no more than these: blocks may share them
//                 in the L2 cache.
//     shared      Wavefronts of shared memory. A multiprocessor serves one a clock.
//     L1          Requests to global memory and textures, a clock each, and their sectors, four a
//                 clock: the 128 bytes that the data sheet of an H100 names, and published
//                 benchmarks found on an H200. Which of them miss is not known, so that this is
//                 the least.
//     issue       Instructions of warps, of the four that a multiprocessor can begin a clock: as
//                 many as the machine code shows (issue.h), or else the loads and stores alone.
//                 This is the least, too.
//
// A ceiling bounds a kernel that comes to 60 % of it. The ceilings are those at the highest clock.
// A kernel that comes close to none waits for something that is not counted: other instructions, or
// latency, which more threads would hide. On another architecture than sm_90 the words say whose
// rules these are. On an emulator times are a CPU's, and nothing is said about ceilings.
//
// Pure arithmetic: it measures and counts nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "device/backend.h"

enum { BOUND_SECTOR_BYTES = 32 };

// Counts of a whole launch, all its passes, as one traced block tells them (traced_block.h).
struct bound_counts {
    bool is_known;
    double sectors;       // distinct ones of each block, global memory and textures
    double wavefronts;    // of shared memory
    double requests;      // instructions of warps that access memory
    double l1_clocks;     // of a multiprocessor's L1 cache, at least
    double instructions;  // of warps, by the machine code (issue.h); 0: not known
};

struct bound_facts {
    const struct device *device;
    double ms, copy_ms;  // medians of the launch and of its device copy; 0: not known
    double bytes;        // figures_bytes()
    struct bound_counts counts;
    // The architecture whose rules the counts and ceilings follow, where the device is of another;
    // NULL: they are measured on the device's own.
    const char *foreign_rules;
};

enum bound_by {
    BOUND_UNKNOWN,   // a time is missing
    BOUND_EMULATED,  // the times are a CPU's
    BOUND_NEEDED,    // memory, by what must be moved
    BOUND_SECTORS,   // memory, by what is moved besides
    BOUND_SHARED,
    BOUND_L1,
    BOUND_ISSUE,
    BOUND_NEITHER,     // instructions or latency
    BOUND_NOT_MEMORY,  // no counts: it is not by the needed bytes, and no more is known
};

// How much of each ceiling is reached, 1: all of it; 0: not known.
struct bound {
    enum bound_by by;
    double needed, memory, shared, l1, issue;
    bool has_instructions;      // issue has arithmetic, too
    double moved;               // bytes of the sectors, for each needed byte; 0: not known
    const char *foreign_rules;  // as in the facts; NULL too where nothing was counted
};

struct bound bound_find(const struct bound_facts *facts);

// "bound by memory: 86 % of a copy's rate"; empty: nothing can be said.
void bound_write(const struct bound *b, char *text, size_t size);
// All parts: "memory 24 % to 110 % · shared memory 3 % · L1 at least 9 % · issue at least 5 % ·
// memory traffic 4.5× the minimum".
void bound_write_evidence(const struct bound *b, char *text, size_t size);

// The shortest time, in milliseconds, in which shared memory can serve the wavefronts; 0: there are
// none, or it is not known.
double bound_shared_ms(const struct bound_facts *facts);

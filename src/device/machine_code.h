// machine_code.h -- the instructions of one kernel, read from what nvdisasm prints of a cubin
// (SASS, with -c -gi) or from PTX, each with its place in the source and what it does to memory.
//
// It reads texts and runs nothing (frame/machine_text.h does). It knows by their names the
// instructions that reach memory, wait or branch; all others are MACHINE_OTHER. Of operands it
// reads only a branch's target, so a constant as an operand is no load.
//
// A loop lies between a label and a branch back to it, without an end of the kernel between them.
// Only innermost loops are found.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/trace.h"

enum machine_kind {
    MACHINE_OTHER,
    MACHINE_LOAD,
    MACHINE_STORE,
    MACHINE_ATOMIC,
    MACHINE_BARRIER,  // waits for other threads
    MACHINE_BRANCH,   // also calls and ends
};

enum machine_space {
    MACHINE_GENERIC,  // the address decides
    MACHINE_GLOBAL,
    MACHINE_SHARED,
    MACHINE_LOCAL,     // spilled registers, and arrays of a thread
    MACHINE_CONSTANT,  // also the kernel's params
    MACHINE_TEXTURE,
    MACHINE_SPACES
};

struct machine_line {
    char *text;   // "@P0 LDG.E R4, desc[UR4][R2.64]", "BRA 0x0230", with single blanks
    int opcode;   // where the opcode begins in the text; it ends at a blank or with the text
    int address;  // bytes from the kernel's start; for PTX, which has none, the index
    enum machine_kind kind;
    enum machine_space space;  // of loads, stores and atomics
    int bits;                  // bits that a thread moves; 0: not known, or none
    int loop;                  // 1 to loop_count; 0: it is in none
    int target;                // the line to which it branches; -1: none, or not known
    struct trace_chain chain;  // without the code that calls the file (BUILD_LOG_CALLS)
};

struct machine_code {
    struct machine_line *lines;
    int count, loop_count;
    bool is_ptx;
    char arch[16];  // "sm_90"
};

// Reads the kernel that launches `entry` (launch.h) from the text. False: it is not there.
bool machine_code_read(struct machine_code *m, const char *text, const char *entry,
                       struct error *err);
void machine_code_finish(struct machine_code *m);  // accepts a zeroed one

// The innermost place in that file (the user's), or else the innermost of all; NULL: not known.
const struct trace_place *machine_line_place(const struct machine_line *line, const char *file);

// Counts the lines from `first` on that only fetch the kernel's arguments, as PTX does at the
// start. Views show them as one.
int machine_code_arguments(const struct machine_code *m, int first);

// The line's part of the bracket that marks its loop; empty: it is in no loop.
const char *machine_code_bracket(const struct machine_code *m, int line);

// "load global 128 bits" for an instruction that reaches memory, "barrier", or empty.
void machine_line_write(const struct machine_line *line, char *text, size_t size);

// Writes what a loop, or for loop 0 the whole kernel, has: instructions, and accesses by the bits
// that a thread moves:
// "206 instructions; load global 12×32 2×128 bits; load local 3×32 bits (spilled); barrier 1".
void machine_code_write_counts(const struct machine_code *m, int loop, char *text, size_t size);

// "inner loop: 11 instructions, 1 global load, 2 shared stores" for the longest innermost loop, or
// "no loop: …" for a kernel without one.
void machine_code_write_inner(const struct machine_code *m, char *text, size_t size);

// issue.h -- how many instructions the warps of a launch execute, from the machine code and from
// what a trace has counted.
//
// The trace knows how often each source line reached memory, and the machine code has the loads
// and stores of that line, each in a basic block, all of whose instructions run when one does. So
// the block ran often enough for the line's bytes, and so did the blocks that must run before or
// after it. Every instruction is counted for one line only. What no counted access leads to, such
// as a loop that only computes, is missing: where the compiler has kept the accesses as they are
// written, the sum is at most what the hardware counts. Where it has left some out, by keeping
// what it loaded in registers, the sum is too large.
//
// Of what an H200 executes in 378 launches of our kernels, it finds 0.76 (median), and never more
// than all but in a kernel whose tiles the compiler keeps in registers.
#pragma once

#include "device/machine_code.h"
#include "lens/lens_result.h"

// Instructions of warps in what was counted of a pass, all of it or one block. 0: not known, as of
// PTX, or of a kernel for which it would take too long.
double issue_count(const struct machine_code *m, const struct lens_pass *p, bool is_whole);

// adopt.h -- proposes notes for a kernel file that has none, as a lab.
//
// It reads signatures and bodies as tokens and guesses: each __global__ function is a variant; what
// a kernel points to is an out array if it is assigned to; an int that bounds or multiplies an
// index is a size. Every guess has a line that says why. What it cannot guess, such as the type
// double, is a line that leaves the kernel out.
//
// The result of such a lab is unchecked: nobody has said what is right. It compiles nothing.
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct adopt {
    char *notes;    // lines that begin with //!; owned
    char *guesses;  // lines; owned
};

// name: of the lab. False: there is no kernel that can be run, and err says why of the first.
bool adopt_propose(struct adopt *a, const char *name, const char *source, struct error *err);
void adopt_finish(struct adopt *a);  // accepts a zeroed one

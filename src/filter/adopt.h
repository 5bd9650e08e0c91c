// adopt.h -- proposes notes for a kernel file that has none, as a lab.
//
// It reads signatures and bodies as tokens and guesses: each __global__ function is a variant; what
// a kernel points to is an out array if it is assigned to; an int that bounds or multiplies an
// index is a size. Every guess has a line that says why. What it cannot guess, such as the type
// double, is a line that leaves the kernel out.
//
// The result of such a lab is unchecked: nobody has said what is right. It compiles nothing.
#pragma once

#include "base/error.h"

// Returns lines that begin with //!, and sets *guesses to lines; the caller frees both. name: of
// the lab. NULL: there is no kernel that can be run, err says why of the first, and *guesses is
// NULL.
char *adopt_propose(const char *name, const char *source, char **guesses, struct error *err);

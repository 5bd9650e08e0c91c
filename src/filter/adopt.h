// adopt.h -- proposes notes for a kernel file that has none, as a lab.
//
// It reads signatures and bodies as tokens and guesses: each __global__ function is a variant; a
// pointer whose elements are assigned to is an out array; an int that bounds or multiplies an index
// is a size. A kernel that it cannot guess is left out. A line says why for each guess and each
// kernel left out.
//
// Nothing checks the results of such a lab, because nobody has said what is right. This module
// compiles nothing.
#pragma once

#include "base/error.h"

// Returns the notes, lines that begin with //!, and sets *guesses to the lines that say why; the
// caller frees both. The lab has the file's name (path); beside is the text of the headers that the
// file includes from its own folder, for their types and numbers. NULL: no kernel can be run, err
// says why the first one cannot, and *guesses is NULL.
char *adopt_propose(const char *path, const char *beside, const char *file, char **guesses,
                    struct error *err);

// True if the texts have words wider than a number, such as CUDA's vectors: their addresses must be
// multiples of 16 bytes.
bool adopt_has_vectors(const char *beside, const char *file);

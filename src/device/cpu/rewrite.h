// rewrite.h -- rewrites kernels so that a compiler makes fast CPU code of them.
//
// The emulator runs a block's threads one after the other, on fibers where they wait (emulator.h).
// A rewritten kernel runs the whole block itself, in strips of 32 neighbouring threads of one row,
// or of 16 or 8 if that suits the block (struct build). It computes once what is the same for all
// threads. A loop that all threads run alike, or stride through together, goes around the strip's
// threads. Then the innermost loop goes over neighbours, and the compiler makes vector instructions
// of it. A variable that is needed later becomes an array. Narrow neighbouring blocks run as one,
// so that strips are whole, if the kernel knows of a thread's column only where it is in the grid.
// So do a block's rows, if it knows of a thread only its number in the block. A barrier ends a loop
// over all strips:
//
//     for (int k = 0; k < n; k++)       for (strips)
//         sum += a[k * n + x];    ──▶       for (int k = 0; k < n; k++)
//     __syncthreads();                          for (lanes) sum[lane] += a[k * n + x_0 + lane];
//     …                                 for (strips) …
//
// It works on tokens and is careful: a kernel that it does not understand stays as it is, with a
// reason. fast_words.h has the words that it writes. Only fibers show whether a kernel keeps CUDA's
// rules (races, barriers, memory).
#pragma once

#include "device/headers.h"

struct rewritten {
    char *text;    // the rewritten kernels, to stand behind the file's text
    char *calls;   // in place of the file's calls (backend.h)
    char **kept;   // pairs of a kernel's name and why it stays on fibers; ends with NULL
    char **names;  // of the kernels that are rewritten; ends with NULL
    char **where;  // pairs of such a name and "where" it stays on fibers; ends with NULL
};

// source: the file's device code, as its compiler gets it. calls: the code that calls its kernels.
void rewrite(struct rewritten *w, const char *source, const char *calls,
             const struct headers *headers);
// The first keeps in the cache what a compiler said about the text, or "" if it compiled. The
// second reads that: after a refusal all kernels stay on fibers, and `kept` says why. source as in
// rewrite().
void rewritten_keep_refusal(const struct rewritten *w, const char *source, const char *said);
void rewritten_tell_refusal(struct rewritten *w, const char *source);
void rewritten_finish(struct rewritten *w);  // accepts a zeroed one

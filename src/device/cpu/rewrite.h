// rewrite.h -- writes kernels so that a compiler makes fast code of them for a CPU.
//
// The emulator runs a block's threads one after the other, on fibers where they wait (emulator.h).
// A rewritten kernel runs the whole block itself. Its threads come in strips, 32 neighbours of one
// row. What all threads compute alike is computed once; loops that all go through alike, or that
// stride through something together, stand around the strip's threads instead of inside each one,
// so that the innermost loop goes over neighbours, and vector instructions do it; variables that
// are needed further on are arrays; a barrier is the end of a loop over all strips:
//
//     for (int k = 0; k < n; k++)       for (strips)
//         sum += a[k * n + x];    ──▶       for (int k = 0; k < n; k++)
//     __syncthreads();                          for (lanes) sum[lane] += a[k * n + x_0 + lane];
//     …                                 for (strips) …
//
// It works on tokens and is careful: a kernel that it does not understand stays as it is, with a
// reason. fast_words.h has the words that it writes. Whether a kernel keeps CUDA's rules (races,
// barriers, memory) is seen on fibers only.
#pragma once

#include "device/headers.h"

struct rewritten {
    char *text;    // what stands behind the file's text
    char *calls;   // in place of the file's calls (backend.h)
    char **kept;   // pairs of a kernel's name and why it stays on fibers; ends with NULL
    char **names;  // of the kernels that are rewritten; ends with NULL
};

// source is the file's device code, as its compiler gets it. calls: how its kernels are called.
void rewrite(struct rewritten *w, const char *source, const char *calls,
             const struct headers *headers);
// What a compiler says of it when it does not compile, or "", is kept in the cache. Where the last
// word was a refusal, all kernels stay on fibers: kept says why. source as in rewrite().
void rewritten_keep_refusal(const struct rewritten *w, const char *source, const char *said);
void rewritten_tell_refusal(struct rewritten *w, const char *source);
void rewritten_finish(struct rewritten *w);  // accepts a zeroed one

// files.h -- kernel files for tests, and the mistakes in them.
#pragma once

#include <stddef.h>

#include "filter/filter.h"

// The beginning of a filter, its kernel, and what an unknown note is told.
#define MEAN  "//! filter \"Mean\"\n"
#define NAIVE "//! variant naive 32x8\n__global__ void mean_naive()\n{\n}\n"
#define KNOWN                                                                               \
    "known are filter, lab, param, array, reference, tolerance, weights, let, file, goal, " \
    "before, variant, library, untimed and compiled"

// Reads kernels/mean.cu of that text; the caller finishes it.
struct filter parsed(const char *source);

// Its variants are described by these lines: "naive: k 32x8" with each
// option that is given, and a further pass behind " | ".
void assert_variants(const struct filter *f, const char *wanted);

// A text is refused with "PATH: MESSAGE", whether somebody asks why or not, and no filter is
// made.
void assert_error(const char *path, const char *source, const char *message);
void assert_refused(const char *source, int line, const char *message);  // of mean.cu

// Each text, between the two others, is refused at its line, or at that of all.
struct mistake {
    const char *text, *message;
    int line;  // 0: that of all
};
void assert_mistakes(const char *before, const struct mistake *mistakes, size_t count,
                     const char *after, int line);

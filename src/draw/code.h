// code.h -- gives the words of a kernel's text their colours.
//
// Every colour has a contrast of at least 4.5:1 on both themes' panels. A colour repeats what the
// spelling says; nothing is told by it alone.
#pragma once

#include <stddef.h>

#include "draw/paint.h"

enum code_kind {
    CODE_PLAIN,
    CODE_COMMENT,
    CODE_LAUNCH,   // a //! comment, which the program reads
    CODE_KEYWORD,  // of C, and CUDA's words for where something lives
    CODE_TYPE,
    CODE_NUMBER,  // and texts in quotes
    CODE_DIRECTIVE,
    CODE_CUDA,  // threadIdx, __syncthreads() and their like
    CODE_KINDS
};

// The kind of each byte of a text.
void code_classify(const char *text, size_t length, unsigned char *kinds);

struct paint_color code_color(enum code_kind kind, bool is_light);

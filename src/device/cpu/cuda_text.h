// cuda_text.h -- rewrites a text of CUDA C++ so that a C++ compiler takes it, with cuda_words.h.
//
// Only one thing of CUDA needs another form: shared memory whose size is known at launch.
//
//     extern __shared__ float s[][4];    becomes, in a function and outside of all,
//
//     EMULATOR_UNUSED float (*const s)[ 4 ] = (float (*)[ 4 ])EMULATOR_TILE_START;
//     extern EMULATOR_TILE float (*const s)[ 4 ] EMULATOR_IS_TILE;
//
// Functions need the first form, because GCC drops the symbol of the second one in a template. An
// alignment is left out, because the memory is aligned for every type. No line moves.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/c_tokens.h"

// A declaration of such memory outside of functions and namespaces.
struct cuda_tile {
    struct c_token name;  // in the text
    bool is_of_bytes;     // of type unsigned char
};

// Adds each such name once to tiles, which may be NULL. g_free frees the text.
char *cuda_text(const char *source, GArray *tiles);

// The text without what #ifdef __CUDACC__, or #if defined(__CUDACC__) && …, keeps from compilers
// other than NVIDIA's, up to #else or #endif. Where a text has such lines, it has no comments. No
// line moves. The caller frees it.
char *cuda_text_without_nvcc(const char *source);
// The text with a form of #pragma unroll that GCC knows, from a place on, where a loop ends at a
// constant: of up to eight rounds, it leaves no loop. The caller frees it.
char *cuda_text_unroll(const char *text, const char *from);
// The text with x / emulator_sign / y for x / y (cuda_words.h), if y is no constant and the
// quotient is not a variable's first value. *is_own becomes true, and the text stays, if it
// declares what does not go with that; if it is true before, the text stays as well. The caller
// frees it.
char *cuda_text_divide(const char *text, bool *is_own);

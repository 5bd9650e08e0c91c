// adopt_notes.h -- what adopt.c has found out of kernels and arguments, and the notes that follow.
#ifndef ADOPT_NOTES_H
#define ADOPT_NOTES_H

#include <glib.h>

#include "filter/adopt_body.h"
#include "filter/filter.h"

enum { ADOPT_MAX_ARGUMENTS = FILTER_MAX_PARAMS + ARRAYS_MAX + 1 };

// An argument, of all kernels that have one of this name.
struct adopt_argument {
    char name[FILTER_NAME];
    const char *type;  // as a note has it: "float"
    bool is_array;
    // Of a param:
    bool is_size, is_unguarded;  // unguarded: a kernel does not compare with it
    int dimensions;              // at most, of the arrays that it is a side of
    // Of an array:
    int lanes;  // a float4 has four elements
    bool is_out;
    int sides[ARRAYS_MAX_DIMENSIONS], side_count;
    struct adopt_use use;
};

struct adopt_kernel {
    struct signature signature;
    struct adopt_body body;
    int numbers[SIGNATURE_MAX_ARGUMENTS];                  // of its arguments
    unsigned int arguments;                                // the same as bits
    char variant[FILTER_NAME], given[SIGNATURE_TEMPLATE];  // given: to its template, "<float, 16>"
    int out;                                               // an array that it writes
    int width, height, each;  // of its block; each: rows that a thread writes
    bool is_fixed, is_tiled;  // tiled: a row of 1024 threads is a square
};

struct adopter {
    struct adopt_argument arguments[ADOPT_MAX_ARGUMENTS];
    int count;
    struct adopt_kernel *kernels[FILTER_MAX_VARIANTS];
    int kernel_count;
    struct adopt_constants constants;
    GString *notes, *guesses;
};

// Adds a line that says what was guessed. Always false.
bool adopt_guess(struct adopter *a, const char *format, ...) G_GNUC_PRINTF(2, 3);

// The kernel's block: of __launch_bounds__, or a number such as TILE_DIM, with BLOCK_ROWS beside
// it.
void adopt_choose_block(const struct adopter *a, struct adopt_kernel *k);
// Chooses the shapes of all arrays, and writes all notes.
void adopt_write_notes(struct adopter *a, const char *name);

#endif

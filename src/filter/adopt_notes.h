// adopt_notes.h -- what adopt.c finds out about kernels, and the notes that follow from it.
#pragma once

#include <glib.h>

#include "base/c_tokens.h"
#include "base/signature.h"
#include "filter/filter.h"

// A number that the file gives to a name, as in #define N (1 << 20) or dt = 0.5f / 3.
struct adopt_constant {
    char name[SIGNATURE_NAME];
    double value;
    bool is_whole;  // a whole number, written without a point
};

// A __constant__ array that the file's main fills, as in __constant__ float c[2 * RADIUS + 1].
struct adopt_coefficients {
    char name[FILTER_NAME];
    const char *type;  // as a note has it
    int count;
    bool is_used;  // a kernel uses it
};

enum { ADOPT_MAX_ARGUMENTS = FILTER_MAX_PARAMS + ARRAYS_MAX + 4, ADOPT_MAX_CHOSEN = 8 };

// An argument, which stands for those of this name in all kernels. Sets of arguments are bits.
struct adopt_argument {
    char name[FILTER_NAME];
    const char *type;  // as a note has it: "float"
    bool is_array;
    // If it is a param:
    bool is_size, is_unguarded;  // unguarded: a kernel does not compare with it
    bool is_looped, is_guard;    // it ends a thread's loop; guard: it bounds its index
    bool is_bool, is_window;     // window: a side of a small square, as of a filter's weights
    bool is_radius, is_step;     // its arrays' sides are 2 * r + 1; the whole index is i * s
    double value;                // that main passes; 0: not known
    int pitch_of, pitch_bytes;   // 1 + the param whose elements, of so many bytes, it counts
    int dimensions;              // the most that an array with this side has
    int least;                   // of a size: that the file's numbers allow; of noise: 1 of a
                                 // divisor, 97 of letters; 0: any
    // If it is an array:
    int most;            // the largest value of its noise and its picture: 1 of a bool
    int sums[2];         // of so many such values what is stored adds and subtracts; 0: not known
    int lanes;           // a float4 has four elements
    int stride;          // from one of its indexes to the next; 0: it has none
    int fixed;           // its number of elements; 0: params give it
    int before;          // how many elements a stencil reads in front of those that it writes
    unsigned int plain;  // enum adopt_plain of all its uses
    int constants;       // 1 + the largest index that is a number
    const struct adopt_kernel *of_blocks;  // it has an element for each of that kernel's blocks
    bool is_out, is_read, is_stored;       // stored: something is assigned to its elements
    bool is_added, is_counter;     // only atomicAdd reads it, or another of these; by a number
    bool is_indirect;              // values of an array index it
    bool is_run;                   // from such a value on, as for a list of neighbours
    bool is_deep;                  // its index has a z
    bool is_lookup;                // an element's value chooses its row
    bool is_row_a_thread;          // the thread's number in x does
    bool has_end;                  // ints, of which one more is read, as where a last row ends
    unsigned int factors, bounds;  // params that multiply its indexes, and bound their parts
    unsigned int places, pitches;  // params that are terms of its indexes, or multiply variables
    unsigned int radii;            // params r of factors 2 * r + 1
    unsigned int steps, ends;      // params s of a whole index i * s, or n of a[n]
    unsigned int offsets;          // places that are added
    int wider;                     // by so much its sides are longer than params: 2 of i * (n + 2)
    int pitch;                     // 1 + the last of these, which counts a row's elements
    int sides[ARRAYS_MAX_DIMENSIONS], side_count;
};

// What an index consists of, if it is only that.
enum adopt_plain { PLAIN_THREAD = 1, PLAIN_BLOCK = 2, PLAIN_NUMBER = 4, PLAIN_OTHER = 8 };

struct adopt_kernel {
    struct signature signature;
    int numbers[SIGNATURE_MAX_ARGUMENTS];                  // of its arguments
    unsigned int arguments;                                // the same as bits
    char variant[FILTER_NAME], given[SIGNATURE_TEMPLATE];  // given: to its template, "<float, 16>"
    // What main's launch gives to the template; empty: nothing.
    char chosen[ADOPT_MAX_CHOSEN][SIGNATURE_NAME];
    int out;                 // an array that it writes; -1: none
    int over;                // an array that has an element for each thread; -1: none
    int across, down, deep;  // params that bound the threads' indexes in x, y and z; -1: none
    bool is_row_a_block;     // blockIdx.x alone is an index
    bool has_wide_blocks;    // blockIdx.x is multiplied: a block is more than one element or row
    bool has_rows, has_layers, is_fixed;  // rows, layers: its threads or blocks have a y, a z
    bool is_one_block;                    // it does not look at blockIdx
    int shared;                           // bytes of dynamic shared memory for each thread
    // The file's numbers that bound an index over the grid, multiply its row, and bound one over
    // the grid or a block; 0: none.
    int bound, row, most;
    int width, height, depth;  // of its block
    int launched_block[3];     // the block that main launches; 0: not known
    int launched[2];           // how many threads it launches across and down; 0: not known
    int each, across_each;     // how many rows, and elements of a row, a thread writes
    int taps;                  // elements of the largest array of coefficients that it uses
    bool has_products;         // it sums products of two arrays' elements
    bool has_sums;             // it sums elements, or what other lanes have
    bool is_square;            // each thread goes through all blocks' elements
    int unused;   // a size that it does not look at, as the rows of a product; -1: none
    int tile[2];  // numbers that multiply blockIdx.x and y; 0: none
    int span;     // a larger one that multiplies blockIdx.x
};

struct adopter {
    const char *path;
    int line;       // of what is looked at
    GString *code;  // the source's tokens, a blank behind each, without comments
    struct adopt_argument arguments[ADOPT_MAX_ARGUMENTS];
    int count;
    struct adopt_kernel *kernels[FILTER_MAX_VARIANTS];
    int kernel_count;
    GArray *coefficients;  // struct adopt_coefficients
    GString *notes, *guesses;
};

// Adds a line that says what was guessed. Always returns false.
bool adopt_guess(struct adopter *a, const char *format, ...) G_GNUC_PRINTF(2, 3);

// Both texts with blanks in place of the lines that an #if surely leaves out. No letter moves. The
// caller frees it.
char *adopt_read_lines(const char *beside, const char *file);

// ---- adopt_head.c ----

// As adopt_guess(), but the line begins with the present one: "k.cu:7: ".
bool adopt_leave_out(struct adopter *a, const char *format, ...) G_GNUC_PRINTF(2, 3);

// Reads a kernel's name and arguments, and adds its template's numbers to the constants. False: the
// kernel is left out, and a guess says why.
bool adopt_read_head(struct adopter *a, struct adopt_kernel *k, const struct c_item *item,
                     GArray *constants);

// True if the file has a statement with one of two words and then the name before a comma, as in
// surf2Dwrite(value, name, x, y).
bool adopt_is_given(const struct adopter *a, const char *name, const char *one, const char *other);

// Chooses a template's arguments: main's, or float, true, or a block's side up to a default.
void adopt_give(struct adopt_kernel *k, bool is_flat);

// Reads main's launch of the kernel: the block, its shared bytes, and arguments that are numbers.
void adopt_read_launch(struct adopter *a, struct adopt_kernel *k, const char *source,
                       const GArray *constants);

// Finds all struct adopt_constant, in the file's order. The caller frees the array.
GArray *adopt_find_constants(struct adopter *a, const char *source);

// Finds the whole number of a name that matches the pattern, if it is at most `most`; 0: none.
// body: the count tokens in which the name must stand, or NULL.
int adopt_find_number(const GArray *constants, const struct c_token *body, int count,
                      const char *pattern, int most);

// Find the file's coefficients, and, in the tokens of a body, what the kernel sums.
void adopt_find_coefficients(struct adopter *a, const char *source, const GArray *constants);
void adopt_find_sums(struct adopter *a, struct adopt_kernel *k, const struct c_token *tokens,
                     int count);

// Chooses the shapes of all arrays, and writes all notes.
void adopt_write_notes(struct adopter *a, const char *name);

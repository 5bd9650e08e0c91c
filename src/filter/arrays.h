// arrays.h -- the arrays that kernels work on, and where they lie in memory.
//
// A lab's file declares them, and its kernels take pointers to them. A filter has always the
// same four: the pictures `in` and `out`, whose shape is known when a picture is there, `scratch`
// for variants of several passes, and `weights`.
//
// Arrays lie one behind the other, each 512-aligned. Behind a lab's are as many bytes as a device
// copy writes that moves as much as the launch must at least: half of what `out` holds and of what
// the launch needs of `in`. The copy of a picture writes over `out`.
//
//     each pair (workspace.h)           │ a (in) │ b (out) │ t (scratch) │ the copy's target │
//     each pair, where there is prepare=       │ a source of its own │ a result of its own │
//     all pairs together                       │ a filter's scratch │ weights │
//
// Pure arithmetic: asks no device and allocates nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/color_map.h"
#include "base/error.h"
#include "base/planes.h"
#include "filter/expr.h"

enum { ARRAYS_MAX = 8, ARRAYS_MAX_DIMENSIONS = 3, ARRAYS_NAME = 32 };

// fill.h knows the numbers of types and fills, too.
enum array_type {
    ARRAY_BYTE,
    ARRAY_INT,
    ARRAY_UINT,
    ARRAY_FLOAT,
    ARRAY_CHAR,
    ARRAY_SHORT,
    ARRAY_USHORT,
    ARRAY_LONG,  // of 64 bits, as is the next
    ARRAY_ULONG,
    ARRAY_HALF,
    ARRAY_DOUBLE,
    ARRAY_TYPES
};
enum array_kind { ARRAY_IN, ARRAY_OUT, ARRAY_SCRATCH };
enum array_fill {
    ARRAY_NOISE,        // whole numbers from low to high, by a hash of the index
    ARRAY_LETTER,       // the same, but a large F has the upper third, all else the lower
    ARRAY_COUNTED,      // the index
    ARRAY_PERMUTATION,  // each of 0 ... count - 1 once, in a random order
    ARRAY_GIVEN,        // a picture, or weights: not by a kernel
};
enum array_extent {
    ARRAY_EXPRESSED,  // shape says it
    ARRAY_PICTURE,    // planes.h
    ARRAY_WORDS,      // a word for each pixel, if the variant has several passes
    ARRAY_WEIGHTS,    // WEIGHTS_BYTES, if the filter has weights
};
// The arrays of a filter.
enum { ARRAYS_IN, ARRAYS_OUT, ARRAYS_SCRATCH, ARRAYS_WEIGHTS, ARRAYS_OF_FILTER };

struct array {
    char name[ARRAYS_NAME];
    enum array_type type;
    enum array_kind kind;
    enum array_extent extent;
    enum array_fill fill;                      // of `in`
    struct expr shape[ARRAYS_MAX_DIMENSIONS];  // rows before columns
    int dimensions;
    struct expr reads;      // of `in`: how many elements a launch needs; none: all
    struct expr low, high;  // of noise and the letter; of `out`: the range that its picture shows
    enum color_map map;     // of `out`: the colours of its picture
    bool is_constant;       // of `in`: a __constant__ array of that name is filled with it, too
    int from;               // of `out`: 1 + the in array that it begins as; 0: rubbish
    bool has_reference;     // of `out`: a function says what it should hold
};

// Where one lies, for some params. bytes 0: it is not needed.
struct array_place {
    size_t offset, bytes;
    bool is_shared;         // by all pairs
    struct planes picture;  // the shape of a picture; else {0}
    long long count;        // of elements; those of a picture are numbered by planes, rows, columns
    long long sides[ARRAYS_MAX_DIMENSIONS];
    int columns;          // of its last dimension
    long long rows;       // count / columns
    long long low, high;  // as above, evaluated
};

// The values at the two ends of the colours of an array's picture.
struct array_scale {
    long long low, high;
};

struct arrays_layout {
    struct array_place places[ARRAYS_MAX];
    int count;
    size_t bytes;                    // of a pair, with the copy's target
    size_t own_bytes, shared_bytes;  // beside it
    size_t copy_offset, copy_bytes;  // its target, and what it moves
    double in_bytes, out_bytes;      // what `in` and `out` hold
    double least_bytes;              // what a launch must move at least: what it needs of both
    double taken_bytes;              // the same of the arrays that the choice's variant takes
};

struct choice;
struct filter;
struct param_values;
struct variant;

// Gives a filter its arrays.
void arrays_add_pictures(struct filter *f);

// picture: the shape of a filter's; {0}: not known. What only some variants need is there for the
// choice's; of no variant, its scratch is there; of no filter, the pictures alone, for a copy of
// one. False: a shape comes out as less than one or more than 2^31 elements, or needs more than 64
// bits.
bool arrays_plan(struct arrays_layout *layout, const struct choice *c, struct planes picture,
                 struct error *err);

// True if a launch moves as many bytes with both, so that one copy is the floor of both. That of a
// filter always does.
bool arrays_move_alike(const struct filter *f, const struct param_values *a,
                       const struct param_values *b);

// True if a variant takes that array, for which it may need others: what an out array begins as,
// and what prepare= turns into another one. Variants of a lab with a reference all do the same,
// and take all, as do those of a library and those that take nothing.
bool arrays_are_taken(const struct filter *f, const struct variant *v, int array);
// True if it takes all of what a copy of the lab moves, so that the copy is its floor. In a file of
// several kernels that have nothing to do with each other, none may.
bool arrays_are_all_taken(const struct filter *f, const struct variant *v);

// Where the room behind an array's place ends, from where that is counted: at the next multiple of
// 512.
size_t array_end(const struct array_place *place);
// The number of the element at an offset from the array's beginning; -1: padding of a picture.
long long array_index(const struct array *a, const struct array_place *place, size_t offset);
// The picture that a filter works on; {0}: it is a lab, whose arrays are none. f NULL: the copy's.
struct planes arrays_picture(const struct filter *f, struct planes picture);
// The picture that the screen shows of an array: its own, or rows are rows. Vectors are wrapped at
// a power of two that makes them about square, at most 4096, and rows that are short and many stand
// side by side, in the order of memory. Of sides above 4096 only one element in *step is shown,
// across and down.
struct planes array_picture(const struct array *a, const struct array_place *place, int *columns,
                            int *step);
// True if a launch works on what an out array begins as, so that two in a row are not one.
bool arrays_are_in_place(const struct choice *c);
// True for an in array of random numbers from low to high.
bool array_is_noise(const struct array *a);
// True for arrays that a kernel of ours fills.
bool array_is_filled(const struct array *a);

// The numbers of an array; -1: there is none.
int arrays_find(const struct filter *f, const char *name);
int arrays_first(const struct filter *f, enum array_kind kind);
// The array of that index; where there is none, the first `out` that the choice's variant takes,
// or else the first one, which is all that a filter shows.
int arrays_shown(const struct choice *c, int index);

struct array_type_facts {
    const char *name, *npy;  // "unsigned char"; in a .npy file "|u1"
    size_t bytes;
    bool is_real;  // float, half or double
};
extern const struct array_type_facts array_types[ARRAY_TYPES];
// "float 4096×4096"; at most size bytes.
void array_write_shape(const struct array *a, const struct array_place *place, char *text,
                       size_t size);
// The value of an element in host memory. A number of 64 bits is rounded to 53.
double array_value(enum array_type type, const void *elements, long long index);

// arrays.h -- the arrays of a lab: what its file says of them, and where they lie in memory.
//
// A lab's struct arrays has a pointer for each. The program keeps all arrays of one launch in one
// piece of memory, one behind the other, each 512-aligned, and behind them as many bytes as a
// device copy writes that moves as much as the launch must at least: half of what `out` holds and
// of what the launch needs of `in`.
//
//     │ a (in) │ b (out) │ t (scratch) │ the copy's target │
//
// Pure arithmetic: asks no device and allocates nothing.
#ifndef ARRAYS_H
#define ARRAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/color_map.h"
#include "base/error.h"
#include "filter/expr.h"

enum { ARRAYS_MAX = 8, ARRAYS_MAX_DIMENSIONS = 3, ARRAYS_NAME = 32 };

// lab.h knows the numbers of types and fills, too.
enum array_type { ARRAY_BYTE, ARRAY_INT, ARRAY_UINT, ARRAY_FLOAT };
enum array_kind { ARRAY_IN, ARRAY_OUT, ARRAY_SCRATCH };
enum array_fill {
    ARRAY_NOISE,        // whole numbers from low to high, by a hash of the index
    ARRAY_COUNTED,      // the index
    ARRAY_PERMUTATION,  // each of 0 ... count - 1 once, in a random order
};

struct array {
    char name[ARRAYS_NAME];
    enum array_type type;
    enum array_kind kind;
    enum array_fill fill;                      // of `in`
    struct expr shape[ARRAYS_MAX_DIMENSIONS];  // rows before columns
    int dimensions;
    struct expr reads;      // of `in`: how many elements a launch needs; none: all
    struct expr low, high;  // of noise; of `out`: the range that its picture shows
    enum color_map map;     // of `out`: the colours of its picture
    bool has_reference;     // of `out`: REFERENCE(name) says what it should hold
};

// Where one lies, for some params.
struct array_place {
    size_t offset, bytes;
    long long count;  // of elements
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
    size_t bytes;                    // of all, with the copy's target
    size_t copy_offset, copy_bytes;  // its target, and what it moves
    double in_bytes, out_bytes;      // what `in` and `out` hold
    double least_bytes;              // what a launch must move at least: what it needs of both
};

struct filter;
struct param_values;

// False: a shape comes out as less than one or more than 2^31 elements, or needs more than 64 bits.
bool arrays_plan(struct arrays_layout *layout, const struct filter *f,
                 const struct param_values *values, struct error *err);

// True if a launch moves as many bytes with both, so that one copy is the floor of both. That of a
// filter always does.
bool arrays_move_alike(const struct filter *f, const struct param_values *a,
                       const struct param_values *b);

int arrays_find(const struct filter *f, const char *name);  // -1: there is none
int arrays_first_in(const struct filter *f);                // -1: there is none
// The array that the screen shows at first: the first `out`.
int arrays_first_out(const struct filter *f);
// The array of that index, or, where there is none, arrays_first_out().
int arrays_shown(const struct filter *f, int index);

size_t array_type_bytes(enum array_type type);
const char *array_type_name(enum array_type type);  // "unsigned char", "float"
const char *array_type_npy(enum array_type type);   // in a .npy file: "|u1", "<f4"
// "float 4096×4096"; at most size bytes.
void array_write_shape(const struct array *a, const struct array_place *place, char *text,
                       size_t size);
// The value of an element in host memory.
double array_value(enum array_type type, const void *elements, long long index);

#endif

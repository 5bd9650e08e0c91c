// arrays.h -- the arrays that kernels work on, and where they lie in memory.
//
// A lab's file declares them, and its kernels take pointers to them. A filter always has the same
// four: the pictures `in` and `out`, whose shape is known once a picture is loaded, `scratch` for
// variants of several passes, and `weights`.
//
// Arrays lie one behind the other, each aligned to 512 bytes. Behind a lab's lies the target of a
// device copy that moves the least that a launch must move: half of what `out` holds and the launch
// needs of `in`. A picture's copy writes over `out`.
//
//     each pair (workspace.h)           │ a (in) │ b (out) │ t (scratch) │ the copy's target │
//     each pair, where there is prepare=       │ a source of its own │ a result of its own │
//     all pairs together                       │ a filter's scratch │ weights │
//
// Where sizes are guessed, there are gaps before and behind each array, as long as it is, but at
// most 1 MiB. An access that misses it then lies in no other one, which the lens sees, and the CPU
// device, which closes the gaps while a kernel runs.
//
// This module is pure arithmetic: it asks no device and allocates nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/color_map.h"
#include "base/error.h"
#include "base/planes.h"
#include "base/text.h"
#include "filter/expr.h"

enum { ARRAYS_MAX = 12, ARRAYS_MAX_DIMENSIONS = 3, ARRAYS_NAME = 32, ARRAYS_MAX_FIELDS = 16 };

// fill.h repeats the numbers of types and fills.
enum array_type {
    ARRAY_BYTE,
    ARRAY_INT,
    ARRAY_UINT,
    ARRAY_FLOAT,
    ARRAY_CHAR,
    ARRAY_SHORT,
    ARRAY_USHORT,
    ARRAY_LONG,  // 64 bits, as the next
    ARRAY_ULONG,
    ARRAY_HALF,
    ARRAY_DOUBLE,
    ARRAY_BFLOAT,  // the upper half of a float
    ARRAY_TYPES
};
enum array_kind { ARRAY_IN, ARRAY_OUT, ARRAY_SCRATCH };
enum array_fill {
    ARRAY_NOISE,        // whole numbers from low to high, by a hash of the index
    ARRAY_LETTER,       // the same, but a large F has the upper third, the rest the lower
    ARRAY_COUNTED,      // the index
    ARRAY_PERMUTATION,  // each of 0 ... count - 1 once, in a random order
    ARRAY_GIVEN,        // the host fills it: a picture, or weights
};
enum array_extent {
    ARRAY_EXPRESSED,  // struct array's shape
    ARRAY_PICTURE,    // planes.h
    ARRAY_WORDS,      // a word for each pixel, if the variant has several passes
    ARRAY_WEIGHTS,    // WEIGHTS_BYTES, if the filter has weights
};
// The arrays of a filter.
enum { ARRAYS_IN, ARRAYS_OUT, ARRAYS_SCRATCH, ARRAYS_WEIGHTS, ARRAYS_OF_FILTER };

// A struct of numbers, of which an array may consist. Its elements are then the fields, record by
// record.
struct array_record {
    char name[ARRAYS_NAME];  // the struct's
    int bytes, count;        // from one record to the next; fields, 0: the array is one of numbers
    int alignment;
    struct {
        char name[ARRAYS_NAME];
        enum array_type type;
        int offset;
        bool is_bool;  // a byte of 0 or 1
    } fields[ARRAYS_MAX_FIELDS];
};

struct array {
    char name[ARRAYS_NAME];
    enum array_type type;  // of a record: its first field's
    struct array_record record;
    enum array_kind kind;
    enum array_extent extent;
    enum array_fill fill;                      // of `in`
    struct expr shape[ARRAYS_MAX_DIMENSIONS];  // rows before columns
    int dimensions;
    struct expr reads;      // of `in`: the elements that a launch needs; none: all
    struct expr low, high;  // of noise and the letter; of `out`: the range that its picture shows
    enum color_map map;     // of `out`: the colours of its picture
    bool is_constant;       // of `in`: a __constant__ array of that name is filled with it, too
    int from;               // of `out`: 1 + the in array that it begins as; 0: rubbish
    bool has_reference;     // of `out`: a reference function says what it should hold
    char argument[ARRAYS_NAME];  // the name that a kernel has for it, if that is another one
};

// Where an array lies, for some params. bytes 0: it is not needed.
struct array_place {
    size_t offset, bytes;
    bool is_shared;         // by all pairs
    struct planes picture;  // the shape of a picture; else {0}
    long long count;        // of elements; those of a picture are numbered by planes, rows, columns
    long long sides[ARRAYS_MAX_DIMENSIONS];  // in records, if it has these
    int columns;                             // elements of its last dimension
    long long rows;                          // count / columns
    long long low, high;                     // struct array's, evaluated
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

// Plans the arrays that the choice's variant needs. picture: the shape of a filter's picture; {0}:
// not known. A choice without a variant has scratch, too; one without a filter has only the
// pictures, to copy one. False: a shape has less than one or more than 2^31 elements, or its value
// needs more than 64 bits.
bool arrays_plan(struct arrays_layout *layout, const struct choice *c, struct planes picture,
                 struct error *err);

// True if a launch moves as many bytes with a as with b, so that one copy is the floor of both. A
// filter's always does.
bool arrays_move_alike(const struct filter *f, const struct param_values *a,
                       const struct param_values *b);

// True if a variant takes that array, or needs it for one that it takes: as the array that an out
// array begins as, or that prepare= turns into another one. In a lab with a reference all variants
// do the same and take all, as do a library's and those that take none.
bool arrays_are_taken(const struct filter *f, const struct variant *v, int array);
// True if a variant takes every array that the lab's copy moves, so that the copy is its floor. No
// variant may, in a file of unrelated kernels.
bool arrays_are_all_taken(const struct filter *f, const struct variant *v);

// The offset where the array and the padding behind it end: the next multiple of 512.
size_t array_end(const struct array_place *place);
// Where an element lies behind the array's beginning, and its type.
size_t array_offset(const struct array *a, const struct array_place *place, long long index);
enum array_type array_type_at(const struct array *a, long long index);
// The field that holds a byte of an array of records, or the one before it.
long long array_record_index(const struct array_record *record, size_t offset);
// Lowers the bytes of the words in which records are copied to the record's alignment; 0: any.
void array_limit_word(const struct array_record *record, int *word);
// The bytes from one number, or record, of an array to the next, and how many elements each has: a
// number is one.
size_t array_step(const struct array *a);
int array_fields(const struct array *a);
bool array_has_reals(const struct array *a);
// The picture that a filter, or for f NULL the copy, works on; {0} for a lab, which has none.
struct planes arrays_picture(const struct filter *f, struct planes picture);
// The picture in which the screen shows an array: the array's own picture, or its rows as rows. A
// vector is wrapped at a power of two, at most 4096, that makes it about square. Many short rows
// stand side by side, in the order of memory. If a side is above 4096, the screen shows one element
// in *step, across and down.
struct planes array_picture(const struct array *a, const struct array_place *place, int *columns,
                            int *step);
// True if an out array begins as an in array, so that two launches in a row do not give the result
// of one.
bool arrays_are_in_place(const struct choice *c);
// True for an in array of random numbers from low to high.
bool array_is_noise(const struct array *a);
// True if a kernel of the program fills the array.
bool array_is_filled(const struct array *a);

// The index of the array of that name, and of the first of that kind; -1: there is none.
int arrays_find(const struct filter *f, const char *name);
int arrays_first(const struct filter *f, enum array_kind kind);
// The index itself if such an array can be shown; or else the first `out` that the choice's variant
// takes, or the first of all. A filter shows only that one.
int arrays_shown(const struct choice *c, int index);

struct array_type_facts {
    const char *name, *npy;  // "unsigned char"; in a .npy file "|u1"
    size_t bytes;
    bool is_real;  // float, half or double
};
extern const struct array_type_facts array_types[ARRAY_TYPES];
// The bytes of which a guessed array's address must be a multiple.
size_t array_word(const struct filter *f, int array);
// The name that messages about a kernel give to an array: where notes are guessed, the kernel's.
const char *array_words(const struct filter *f, int array);
// Writes "a[5]", or "a[2][5].x" of a record's field; row -1: the array has one dimension.
void array_write_element(const char *name, const struct array_record *record, long long row,
                         long long column, char *text, size_t size);
// "float", or the name of the struct; the type in a .npy file, where a record is plain bytes: |V12
const char *array_type_name(const struct array *a);
struct words array_npy(const struct array *a);
// "float 4096×4096"
struct words array_write_shape(const struct array *a, const struct array_place *place);
// The value of an element in host memory. A number of 64 bits is rounded to 53.
double array_value(enum array_type type, const void *elements, long long index);

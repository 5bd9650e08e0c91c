// library.h -- the functions of vendors' libraries that may stand in for a kernel.
//
// A kernel file names one in a `//! library` line, with the params and arrays that it is given.
// This module says which functions there are and what each one takes. Only the CUDA device opens
// and calls them (device/cuda/libraries.c).
//
// To add one: a row in library.c, and its call in device/cuda/libraries.c.
#pragma once

#include "base/planes.h"

enum { LIBRARY_MAX_ARGUMENTS = 5 };

enum library_id {
    LIBRARY_BOX,
    LIBRARY_GAUSS,
    LIBRARY_THRESHOLD,
    LIBRARY_TRANSPOSE,
    LIBRARY_MATRIX_VECTOR,
    LIBRARY_MATRIX_PRODUCT,
    LIBRARY_SUM,
    LIBRARY_HISTOGRAM,
    LIBRARY_SCAN,
    LIBRARY_COUNT,
};

// Each argument is a letter: n is a whole number; b, i, u and f are arrays of bytes, ints, unsigned
// ints and floats. The letter is a capital if the function writes the array.
struct library_function {
    const char *name;       // as the library calls it: "cublasSgeam"
    const char *symbol;     // the name that its object exports; NULL: the same
    const char *object;     // what must be installed: "libcublas"
    const char *arguments;  // "nnfF"
    const char *example;    // the same for people: "rows, columns, a, b"
    int least;              // its first number must be at least this
    bool is_of_pictures;    // for filters: it also takes in, out and weights; false: for labs
};

const struct library_function *library_of(enum library_id id);
enum library_id library_id_of(const struct library_function *function);
const struct library_function *library_find(const char *name);  // NULL: there is no such function

// The arguments of one call. Arrays, planes and weights lie in the device's memory.
union library_value {
    int whole;
    void *array;
};
struct library_arguments {
    union library_value values[LIBRARY_MAX_ARGUMENTS];  // as the function's letters say
    struct planes out, in;                              // of a function of pictures
    const float *weights;  // the filter's, as parts of 1, between two zeros; NULL: it has none
};

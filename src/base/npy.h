// npy.h -- the head of a .npy file, NumPy's format 1.0, which describes its elements.
//
//     \x93NUMPY │ 1 0 │ length of the text │ text, blanks and a newline │ elements
//
//     {'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }
//
// The text is a dictionary of Python's, with these three keys in any order. This module neither
// reads nor writes elements, and it does not say which types are wanted. The format is described in
// NumPy's numpy.lib.format and NEP 1.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

enum { NPY_MAX_DIMENSIONS = 8, NPY_TYPE = 8, NPY_SHAPE = NPY_MAX_DIMENSIONS * 24 };

struct npy {
    char type[NPY_TYPE];  // as NumPy writes it: byte order, kind and bytes, such as "<i4"
    int dimensions;       // 0: one element that has no shape
    long long shape[NPY_MAX_DIMENSIONS];  // rows before columns: elements lie in C's order
};

// Reads a head and leaves the stream before the first element. It refuses other versions, Fortran's
// order and records. err does not name the file, and head is untouched on failure.
bool npy_read(struct npy *head, FILE *stream, struct error *err);

// Writes a head whose size is a multiple of 64 bytes, as NumPy does.
bool npy_write(const struct npy *head, FILE *stream, struct error *err);

// Writes a shape as Python does: "(2, 3)", "(5,)". It needs NPY_SHAPE bytes.
void npy_write_shape(const struct npy *head, char *text);

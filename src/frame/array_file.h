// array_file.h -- arrays of a lab in files: .npy (base/npy.h), or .bin as the lab's file line says.
//
// The ending of a file's name tells its form. A .bin holds what that line lists, in words of four
// bytes: the values of params, then the elements. Both forms are little-endian. Both set params: a
// .bin those that it holds, a .npy each param that alone is a side of the array.
//
//     array_input_open ──▶ the params ──▶ arrays_plan ──▶ array_input_check ──▶ array_input_read
//
// Elements are copied between file and device in pieces, so that they take little host memory. This
// module chooses no params and opens no outputs. The thread that uses the backend makes all calls.
// Messages about an input name its path.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/npy.h"
#include "filter/filter.h"
#include "frame/frame.h"

enum array_form { ARRAY_FILE_NPY, ARRAY_FILE_BIN };

// Finds the form that the ending of a path asks for. False: there is no such form, or it is a .bin,
// and the lab's file line does not name the array.
bool array_file_form(enum array_form *form, const struct filter *lab, int array, const char *path,
                     struct error *err);

// ---- reading ----

// A file whose head is read. {0}: none.
struct array_input {
    const struct filter *lab;  // borrowed
    int array;
    enum array_form form;
    char *path;       // owned
    FILE *stream;     // before the first element
    long long bytes;  // from there to the end
    struct npy head;  // of a .npy
    struct {
        int param;
        double value;
    } fixed[FILTER_MAX_PARAMS];
    int fixed_count;
    bool has_unusual;  // once read: floats that are not whole or outside of the noise's range
};

bool array_input_open(struct array_input *in, const struct filter *lab, int array, const char *path,
                      struct error *err);
// Compares shape and length with the array's place.
bool array_input_check(const struct array_input *in, const struct array_place *place,
                       struct error *err);
// Copies the elements into a planned frame's array. It refuses numbers that a permutation lacks, as
// kernels use them as indices.
bool array_input_read(struct array_input *in, const struct frame *frame,
                      const struct frame_memory *memory, struct error *err);
void array_input_finish(struct array_input *in);  // accepts a zeroed one

// ---- writing ----

// Writes an array of a planned frame whose queue is idle, head and all.
bool array_output_write(const struct frame *frame, const struct frame_memory *memory, int array,
                        enum array_form form, FILE *stream, struct error *err);

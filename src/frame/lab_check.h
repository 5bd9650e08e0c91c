// lab_check.h -- compares elements of a lab's out arrays with the file's REFERENCE.
//
// A REFERENCE is compiled for the host, whatever device runs the kernels, and reads host copies of
// the in arrays (struct lab_data). Some elements are compared: the first, the last, and runs that a
// seed spreads between them, or all of them.
//
// lab_check_compare may run on another thread; the rest belongs to the one that uses the backend.
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "frame/frame.h"

// ---- the in arrays in host memory ----

// Laid out as on the device; only the in arrays are there. {0}: nothing.
struct lab_data {
    unsigned char *memory;
    struct arrays_layout layout;
    const struct filter *lab;
    struct param_values params;
    int array;    // the one that is being copied; all before it are there
    size_t done;  // of its bytes
};

bool lab_data_is_of(const struct lab_data *data, const struct frame *frame);
// Makes room for a planned frame's arrays. False: no memory.
bool lab_data_begin(struct lab_data *data, const struct frame *frame, struct error *err);
// Copies some megabytes more, and waits for them. *is_complete: all are there.
bool lab_data_step(struct lab_data *data, const struct frame *frame,
                   const struct frame_memory *memory, bool *is_complete, struct error *err);
void lab_data_finish(struct lab_data *data);  // accepts a zeroed one

// ---- elements of the out arrays ----

// Element i of an out array; arrays is a struct arrays of host pointers.
typedef double lab_reference(const void *arrays, const void *params, long long i);

// The REFERENCE of that array, in a module that references_get() has compiled; NULL: there is none.
lab_reference *lab_check_reference(struct backend *host, const struct module *references,
                                   const char *array);

enum { LAB_CHECK_RUNS = 16, LAB_CHECK_RUN = 32 };

struct lab_check_run {
    int array;
    long long first;
    int count;  // of elements, at most LAB_CHECK_RUN
    unsigned char values[4 * LAB_CHECK_RUN];
};

// An element that was compared.
struct lab_check_pair {
    int array;
    double is, wanted;
};

struct lab_check {
    const struct filter *lab;
    struct arrays_layout layout;
    const struct lab_data *data;  // complete; borrowed
    unsigned char params[4 * FILTER_MAX_PARAMS];
    struct backend *host;  // with the module of the references; borrowed
    const struct module *module;
    lab_reference *references[ARRAYS_MAX];  // by out array; NULL: has none
    struct lab_check_run runs[LAB_CHECK_RUNS];
    int run_count;
    // Where lab_check_compare() puts each of them, lab_check_count() in all; NULL: nowhere.
    struct lab_check_pair *pairs;
    int written_behind;  // the number of an array from 1, behind which something was written; or 0
    bool has_answers;  // pairs has what a check of the same elements wanted: it is not asked again
};

// Finds the references in a module of the lab that a cpu backend has compiled. False: it has none.
bool lab_check_init(struct lab_check *check, const struct frame *frame, const struct lab_data *data,
                    struct backend *host, const struct module *references);
// Reads the runs from the frame's arrays, and what lies behind them, which lab_poison has filled
// before, and waits.
bool lab_check_read(struct lab_check *check, const struct frame *frame,
                    const struct frame_memory *memory, unsigned int seed, struct error *err);
// Counts the elements that are compared up in steps. stop: when it becomes true, the rest is left
// out; NULL: never. x and y of what is found are the column and row of an element, plane is the
// array. False: a REFERENCE faulted, or did not come back.
bool lab_check_compare(const struct lab_check *check, const atomic_bool *stop, atomic_uint *steps,
                       struct image_difference *found, struct error *err);
// How many elements are compared.
int lab_check_count(const struct lab_check *check);

#endif

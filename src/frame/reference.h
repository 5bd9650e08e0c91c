// reference.h -- makes the reference of a filter or lab callable on the host. It is the slow and
// obvious version of the file, which every variant must equal to the bit.
//
// A reference is compiled for the host by a cpu backend, whatever device runs the kernels. On cpu
// the device itself is the host. Nothing is compiled before it is asked for, by the one thread that
// uses a struct references. A reference that was found may be called by any thread, as long as its
// module is loaded.
#pragma once

#include <stdbool.h>

#include "base/planes.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "frame/builder.h"

// ---- who compiles them ----

// {0}: nobody.
struct references {
    struct backend *host;     // NULL: a GPU without the cpu backend beside it
    struct builder *builder;  // of the host; NULL without one
    bool has_own_host, has_own_builder;
    // The caller may set a module of the host that has the references of the file that he asks for.
    // NULL: the builder compiles them.
    const struct module *module;
};

// Opens the host that belongs to a device, with the device's include folder. builder: the device's,
// which is shared if the device is the host; NULL: there is none.
void references_open(struct references *r, struct backend *device, struct builder *builder);
void references_close(struct references *r);  // accepts {0}

// The sources changed, and the device has another builder. Returns a builder that the caller
// destroys once nobody uses its modules; NULL: none.
struct builder *references_renew(struct references *r, struct builder *builder);

// ---- one of them ----

// The function that a file exports for an out array; it computes element i. arrays are host
// pointers: those of a lab's struct arrays, or of a filter's arrays, where `in` is a struct planes.
typedef double reference_element(const void *arrays, const void *params, long long i);

// A file's reference with its params' values. It does not point to the filter.
struct reference {
    const struct backend *host;               // that has compiled the module
    const struct module *module;              // with the functions; both borrowed
    reference_element *elements[ARRAYS_MAX];  // by array; NULL: that one has none
    unsigned char params[4 * FILTER_MAX_PARAMS];
    int weights[WEIGHTS_MAX];
};

// READY fills the reference. FAILED: there is none to call, because the file has none, nobody
// compiles it, or its windows are so large that a pixel takes longer than some milliseconds.
enum builder_state reference_get(struct reference *r, const struct references *from,
                                 const struct filter *f, const struct param_values *values);
// The same, and waits for the compiler. False: failed.
bool reference_wait(struct reference *r, const struct references *from, const struct filter *f,
                    const struct param_values *values);

// Computes the whole picture on `threads` threads; 0: one for each processor. out and in have one
// shape. Nothing ends a function that does not come back: let check.h try it first.
void reference_run(const struct reference *r, struct planes out, struct planes in, int threads);

// references.h -- who makes the references of kernel files callable: a cpu backend, and a builder
// that compiles for it.
//
// A REFERENCE is compiled for the host, whatever device runs the kernels. On cpu the device itself
// is the host. Nothing is compiled before it is asked for. This module calls no reference. One
// thread makes all calls. {0}: there is nobody who compiles.
#ifndef REFERENCES_H
#define REFERENCES_H

#include <stdbool.h>

#include "device/backend.h"
#include "filter/filter.h"
#include "frame/builder.h"

// What a REFERENCE may take for one pixel or element, in milliseconds of processor time, before it
// counts as endless. Of the program's own, the slowest takes half a second: one bin of 2^30 bytes.
enum { REFERENCES_LIMIT_MS = 3000 };

struct references {
    struct backend *host;     // NULL: a GPU without the cpu backend beside it
    struct builder *builder;  // of the host; NULL without one
    bool has_own_host, has_own_builder;
};

// Opens the host that belongs to a device, with the device's include folder. builder: the device's,
// which is shared if the device is the host; NULL: there is none.
void references_open(struct references *r, struct backend *device, struct builder *builder);
void references_close(struct references *r);  // accepts {0}

// The sources changed, and the device has another builder. Returns a builder that the caller
// destroys once nobody uses its modules; NULL: none.
struct builder *references_renew(struct references *r, struct builder *builder);

// The module that has a file's references. FAILED: nobody compiles, or the file does not compile.
enum builder_state references_get(const struct references *r, const struct filter *f,
                                  const struct module **module);
// The same, and waits for the compiler. NULL: failed.
const struct module *references_wait(const struct references *r, const struct filter *f);

#endif

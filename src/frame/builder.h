// builder.h -- compiles kernels on a thread of its own, so that the picture never waits for a
// compiler.
//
// It keeps every module until the sources change: for each filter one for any radius, and one for
// each unrolled radius. One thread makes all calls; the builder has one worker thread. It copies a
// filter when it is asked for it, and afterwards uses the address only as a name.
#ifndef BUILDER_H
#define BUILDER_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/filter.h"

struct builder;

enum builder_state { BUILDER_BUILDING, BUILDER_READY, BUILDER_FAILED };

struct builder *builder_create(struct backend *b);
// Waits for the running compilation and unloads all modules. The backend's queue must be idle.
// Accepts NULL.
void builder_destroy(struct builder *r);

// The module of a filter for a radius, or (-1) for any radius. READY fills *module, and FAILED
// fills err with the compiler's log. The first call asks the worker and returns BUILDING. A request
// for an unrolled radius that has not begun is dropped when another radius is asked for.
enum builder_state builder_get(struct builder *r, const struct filter *f, int radius,
                               const struct module **module, struct error *err);
// The same without asking the worker. It also returns BUILDING for what nobody has asked for.
enum builder_state builder_look(struct builder *r, const struct filter *f, int radius,
                                const struct module **module, struct error *err);

#endif

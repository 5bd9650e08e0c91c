// builder.h -- compiles kernels on a thread of its own, so that the picture never waits for a
// compiler.
//
// Keeps every module it made (one a filter for any radius, one a filter and unrolled radius) until
// the sources change. One worker thread; all calls come from the thread that created the builder.
// Filters are copied when they are asked for: their addresses are only names afterwards.
#ifndef BUILDER_H
#define BUILDER_H

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/filter.h"

struct builder;

enum builder_state { BUILDER_BUILDING, BUILDER_READY, BUILDER_FAILED };

struct builder *builder_create(struct backend *b);
// Waits for the compile in hand and unloads all modules; the backend's queue must be idle. Accepts
// NULL.
void builder_destroy(struct builder *r);

// The module of a filter for a radius, or (-1) for any: READY fills *module, FAILED fills err with
// the compiler's log. The first call asks the worker and says BUILDING. Asking for one thing at a
// time is enough: an unrolled request that is not yet begun is dropped when another radius is asked
// for.
enum builder_state builder_get(struct builder *r, const struct filter *f, int radius,
                               const struct module **module, struct error *err);
// The same, but asks for nothing: BUILDING, too, what nobody asked for.
enum builder_state builder_look(struct builder *r, const struct filter *f, int radius,
                                const struct module **module, struct error *err);

#endif

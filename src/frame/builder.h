// builder.h -- compiles kernels on a thread of its own, so that the picture never waits for a
// compiler.
//
// For each filter it keeps one module for any params and, until builder_trim, one for each variant
// and set of unrolled params. On a CPU, each variant's kernels are also written anew (backend.h),
// for strips of one width. That takes longer to compile, so a module with the kernels as they stand
// is compiled first. It does not know who uses a module. One thread makes all calls; the builder
// has one worker thread. It copies a filter when one is asked for, and afterwards uses its address
// only as a name. Changed sources get a builder of their own, while the old one's modules run on.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "filter/filter.h"
#include "filter/launch.h"

struct builder;

enum builder_state { BUILDER_BUILDING, BUILDER_READY, BUILDER_FAILED };

struct builder *builder_create(struct backend *b);
// The same for modules without variants, in which nothing but the files' references can be called.
struct builder *builder_create_for_references(struct backend *b);
// Waits for the running compilation and unloads all modules, and those of the builders that it has
// taken over. The backend's queue must be idle. Accepts NULL.
void builder_destroy(struct builder *r);
// Takes over another builder, whose modules nobody uses any more. That one begins no other
// compilation, and is destroyed once its compiler has ended, which may be one that cannot be
// stopped. old may be NULL.
void builder_retire(struct builder *r, struct builder *old);

// Finds the module of a filter for what launch_build() says. READY fills *module, and FAILED fills
// err with the compiler's log. The first call asks the worker and returns BUILDING. A request for
// unrolled params drops earlier ones whose compilation has not begun.
enum builder_state builder_get(struct builder *r, const struct filter *f,
                               const struct launch_build *build, const struct module **module,
                               struct error *err);
// The same without asking the worker. It also returns BUILDING for what nobody has asked for.
enum builder_state builder_look(struct builder *r, const struct filter *f,
                                const struct launch_build *build, const struct module **module,
                                struct error *err);
// Finds a module for any params of a variant (NULL: of all variants), which may have the kernels as
// they stand, or strips of another width.
enum builder_state builder_get_first(struct builder *r, const struct filter *f,
                                     const struct variant *v, const struct module **module,
                                     struct error *err);
// Compiles a filter as it stands when nothing else is wanted, so that it can be shown at once.
void builder_prepare(struct builder *r, const struct filter *f);
// READY: all of these filters are compiled for any params, as they stand; NULL ends their list
// early. FAILED: one cannot be, or there is no builder (r NULL).
enum builder_state builder_get_all(struct builder *r, const struct filter *const *filters,
                                   int count, struct error *err);
// Finds the module to run a choice with now: its own if that is there. Until then *is_generic is
// true, and the module is one of builder_get_first.
enum builder_state builder_pick(struct builder *r, const struct choice *choice,
                                const struct module **module, bool *is_generic, struct error *err);

// Unloads unrolled modules, the one that was asked for longest ago first, until there are at most
// `most`. Those in `used`, which may hold NULL, stay; the queue must be idle. An unloaded module is
// compiled again, or found in the cache, when it is asked for. Also destroys the retired builders
// that are not compiling any more.
void builder_trim(struct builder *r, int most, const struct module *const *used, int used_count);

// builder.h -- compiles kernels on a thread of its own, so that the picture never waits for a
// compiler.
//
// It keeps for each filter one module for any params, and one for each unrolled choice of them
// until builder_trim. On a CPU, kernels are also written anew (backend.h), which takes longer to
// compile: the module for any params as it stands is ready first. It does not know who uses a
// module. One thread makes all calls; the builder has one worker thread. It copies a filter when it
// is asked for it, and afterwards uses the address only as a name. Changed sources get a builder of
// their own, while the old one's modules run on.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "filter/filter.h"

struct builder;

enum builder_state { BUILDER_BUILDING, BUILDER_READY, BUILDER_FAILED };

struct builder *builder_create(struct backend *b);
// Waits for the running compilation and unloads all modules, and those of the builders that it has
// taken over. The backend's queue must be idle. Accepts NULL.
void builder_destroy(struct builder *r);
// Takes over another builder, whose modules are not used any more. That one begins no other
// compilation, and is destroyed after its compiler, which may be one that cannot be stopped, has
// come back. Accepts old NULL.
void builder_retire(struct builder *r, struct builder *old);

// The module of a filter for the params of launch_build(), or (empty) for any. READY fills *module,
// and FAILED fills err with the compiler's log. The first call asks the worker and returns
// BUILDING. A request for unrolled params that has not begun is dropped when others are asked for.
enum builder_state builder_get(struct builder *r, const struct filter *f, const char *params,
                               const struct module **module, struct error *err);
// The same without asking the worker. It also returns BUILDING for what nobody has asked for.
enum builder_state builder_look(struct builder *r, const struct filter *f, const char *params,
                                const struct module **module, struct error *err);
// One for any params, which may have its kernels as they stand.
enum builder_state builder_get_first(struct builder *r, const struct filter *f,
                                     const struct module **module, struct error *err);
// READY: all of these filters are compiled for any params, as they stand; NULL ends their list
// early. FAILED: one cannot be, or there is no builder (r NULL).
enum builder_state builder_get_all(struct builder *r, const struct filter *const *filters,
                                   int count, struct error *err);
// The module to run a choice with now: its own when that is there, and meanwhile that for any
// params, or as it stands, which is_generic says.
enum builder_state builder_pick(struct builder *r, const struct choice *choice,
                                const struct module **module, bool *is_generic, struct error *err);

// Unloads the unrolled modules that nobody has asked for in the longest time, until there are at
// most so many. Those in `used` stay (NULL: none); the queue must be idle. What was unloaded
// is compiled again, or found in the cache, when it is asked for. It also destroys the retired
// builders that are not compiling any more.
void builder_trim(struct builder *r, int most, const struct module *const *used, int used_count);

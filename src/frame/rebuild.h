// rebuild.h -- compiles changed sources beside the old ones, which run on meanwhile.
//
//     begin ──▶ state: BUILDING … READY ──▶ take: the new builder
//                               FAILED       retire: the old one, whose compiler may still run
//
// A compiler that cannot be stopped holds nothing up: its builder is destroyed after it has come
// back. If the device is lost meanwhile, what was begun is begun again on the next one. One thread
// uses it.
#ifndef REBUILD_H
#define REBUILD_H

#include <glib.h>

#include "frame/builder.h"

enum { REBUILD_MOST = 2 };  // filters that are shown at once

struct rebuild {
    struct builder *next;
    const struct filter *filters[REBUILD_MOST];  // that must be compiled; NULL: none
    GPtrArray *old;                              // builders whose modules are not used any more
};

void rebuild_init(struct rebuild *r);
void rebuild_finish(struct rebuild *r);  // after rebuild_close()

// A device was opened: what was begun on another one begins here again. Before the device closes,
// with an idle queue, rebuild_close() destroys all of its builders.
void rebuild_open(struct rebuild *r, struct backend *b);
void rebuild_close(struct rebuild *r);

// Compiles these filters, which are borrowed until the end; the rest may be NULL. b NULL: there is
// no device.
void rebuild_begin(struct rebuild *r, struct backend *b,
                   const struct filter *const filters[REBUILD_MOST]);
// READY: all are compiled. FAILED: one cannot be, and this is the end; err has the compiler's log.
enum builder_state rebuild_state(struct rebuild *r, struct error *err);
struct builder *rebuild_take(struct rebuild *r);  // the end after READY; the caller destroys it

void rebuild_retire(struct rebuild *r, struct builder *builder);  // takes it over; accepts NULL
// Destroys the retired builders that are not compiling. The queue must be idle.
void rebuild_clean(struct rebuild *r);

#endif

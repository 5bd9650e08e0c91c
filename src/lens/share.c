#include "lens/share.h"

#include <glib.h>

#include "filter/axis.h"
#include "frame/workspace.h"
#include "lens/lens_result.h"

static const size_t MIB = 1 << 20;
// An event takes 16 bytes, and half as much again for the room that logs keep (emulated_trace.c).
static const size_t EVENT_BYTES = 24;
static const size_t MAX_EVENTS = 12000000;  // of a block that is traced alone
static const size_t RACE_BYTES = 64;        // for each byte of shared memory (races.c)
static const size_t STATIC_SHARED = 48 << 10;

// Sectors of a whole launch: of its passes, of the one that is traced, and of two sides.
enum { SECTOR_TABLES = 4 };

enum { MAX_MEMORY_MIB = 320, LEAST_LOG_MIB = 112, STEPS_MIB = 75, ALL_MIB = 1024 };

_Static_assert(SHARE_MAX_STEPS * sizeof(struct lens_step) <= (size_t)STEPS_MIB << 20,
               "the requests of a block fit");
_Static_assert(SHARE_BLOCKS + SHARE_WHOLE + (SHARE_MAX_BLOCKS + 1) * STEPS_MIB +
                           2 * SHARE_SECTORS <=
                       ALL_MIB &&
                   (int)SHARE_ALONE <= (int)ALL_MIB,
               "all together stay below 1 GiB");

size_t share_memory_bytes(enum share share)
{
    return (size_t)MIN(MAX_MEMORY_MIB, (int)share - LEAST_LOG_MIB) * MIB;
}

bool share_fits(enum share share, const struct choice *c, struct planes picture, struct error *err)
{
    struct arrays_layout layout;
    const size_t most = share_memory_bytes(share);
    if (!arrays_plan(&layout, c, picture, err)) return false;
    const bool is_picture = filter_has_picture(c->filter);
    // Behind arrays lies the target of a copy that nobody times here: it is never touched.
    const size_t bytes = is_picture ? workspace_bytes(&layout, 1) : layout.copy_offset;
    const int axis = axis_find(c->filter, NULL);  // makes a lab's arrays larger
    if (bytes > most && !is_picture)
        return error_set(err,
                         "the lens works on arrays of up to %zu MiB, and these take %zu: make %s "
                         "smaller",
                         most / MIB, bytes / MIB,
                         axis >= 0 ? c->filter->params[axis].name : "its parameters");
    return bytes <= most ||
           error_set(err,
                     "the lens works on pictures of up to %zu MiB, and %s takes %zu: choose a "
                     "smaller one",
                     most / MIB, c->variant->name, bytes / MIB);
}

size_t share_max_events(enum share share, const struct share_launch *l)
{
    const size_t workers = l->is_whole ? (size_t)l->workers : 1;
    const size_t races = workers * (l->shared_bytes + STATIC_SHARED) * RACE_BYTES;
    const size_t steps = l->is_whole ? 0 : STEPS_MIB * MIB;
    const size_t sectors = l->has_sectors ? SECTOR_TABLES * SHARE_SECTORS * MIB : 0;
    const size_t taken = l->memory_bytes + races + steps + sectors, all = (size_t)share * MIB;
    const size_t room = taken < all ? (all - taken) / EVENT_BYTES : 0;
    const size_t most = l->is_whole ? room : MIN(room, MAX_EVENTS);
    return MAX(most / workers, 1);
}

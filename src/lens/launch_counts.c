#include "lens/launch_counts.h"

#include <glib.h>

_Static_assert((int)BOUND_SECTOR_BYTES == (int)MODEL_SECTOR_BYTES, "one size of sector");

static bool has_sectors(const struct lens_request *r)
{
    return r->space == TRACE_GLOBAL || r->space == TRACE_TEXTURE;
}

static void add_sectors(GHashTable *seen, const struct lens_request *r)
{
    struct lens_sectors sectors;
    model_sectors(r, &sectors);
    for (int i = 0; i < sectors.count; i++)
        g_hash_table_add(seen, GSIZE_TO_POINTER(sectors.number[i]));
}

// What several loads bring counts once, and what is loaded and stored, twice.
static double distinct_sectors(const struct lens_pass *p)
{
    GHashTable *loaded = g_hash_table_new(NULL, NULL), *stored = g_hash_table_new(NULL, NULL);
    for (int i = 0; i < p->step_count; i++) {
        const struct lens_request *r = &p->steps[i].request;
        if (has_sectors(r)) add_sectors(r->kind == TRACE_LOAD ? loaded : stored, r);
    }
    const double count = g_hash_table_size(loaded) + g_hash_table_size(stored);
    g_hash_table_destroy(loaded);
    g_hash_table_destroy(stored);
    return count;
}

static double wavefronts(const struct lens_pass *p)
{
    return (double)lens_result_of_space(p, TRACE_SHARED).wavefronts;
}

// An L1 cache begins a request a clock, and gives four sectors a clock (bound.h).
static double l1_clocks(const struct lens_pass *p)
{
    const double sectors_a_clock = 4;
    double clocks = 0;
    for (int i = 0; i < p->step_count; i++) {
        struct lens_counts c = {0};
        if (!has_sectors(&p->steps[i].request)) continue;
        model_count(&p->steps[i].request, &c);
        clocks += MAX(1, (double)c.sectors / sectors_a_clock);
    }
    return clocks;
}

struct bound_counts launch_counts_find(const struct lens_result *block)
{
    struct bound_counts counts = {.is_known = !block->is_whole && block->pass_count > 0};
    for (int i = 0; counts.is_known && i < block->pass_count; i++) {
        const struct lens_pass *p = &block->passes[i];
        const double blocks =
            (double)p->config.grid_width * p->config.grid_height * MAX(p->depth, 1);
        counts.sectors += blocks * distinct_sectors(p);
        counts.wavefronts += blocks * wavefronts(p);
        counts.requests += blocks * p->step_count;
        counts.l1_clocks += blocks * l1_clocks(p);
    }
    return counts;
}

#include "lens/launch_counts.h"

#include <glib.h>

_Static_assert((int)BOUND_SECTOR_BYTES == (int)MODEL_SECTOR_BYTES, "one size of sector");

// ---- warps ----

// How many of a block's threads along one axis have something of the domain.
static int threads_inside(int threads, long long of_block, long long domain, int block)
{
    const long long inside = CLAMP(domain - block * of_block, 0, of_block);
    return (int)((inside * threads + of_block - 1) / of_block);
}

// The warps that have one of the threads in a block's corner, which are numbered row after row.
static double warps_with(const struct launch_config *c, int across, int down)
{
    enum { WARP = 32 };
    int warps = 0, last = -1;
    for (int y = 0; y < down; y++)
        for (int x = 0; x < across; x++) {
            const int warp = (y * c->block_width + x) / WARP;
            warps += warp != last;
            last = warp;
        }
    return warps;
}

static double warps_at(const struct launch_counts_block *b, int x, int y)
{
    const struct launch_config *c = &b->config;
    return warps_with(c, threads_inside(c->block_width, b->tile.columns, b->domain.columns, x),
                      threads_inside(c->block_height, b->tile.rows, b->domain.rows, y));
}

// Only the last blocks of a row and of a column differ from the others.
double launch_counts_warps(const struct launch_counts_block *b)
{
    const int columns = b->config.grid_width, rows = b->config.grid_height;
    const double all = (double)(columns - 1) * (rows - 1) * warps_at(b, 0, 0) +
                       (rows - 1) * warps_at(b, columns - 1, 0) +
                       (columns - 1) * warps_at(b, 0, rows - 1) +
                       warps_at(b, columns - 1, rows - 1);
    return all / MAX(1, warps_at(b, b->x, b->y));
}

// ---- what a block costs ----

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
        counts.sectors += p->warp_times * distinct_sectors(p);
        counts.wavefronts += p->warp_times * wavefronts(p);
        counts.requests += p->warp_times * p->step_count;
        counts.l1_clocks += p->warp_times * l1_clocks(p);
    }
    return counts;
}
